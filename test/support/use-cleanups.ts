import { afterEach, beforeEach } from 'vitest';
import { temporaryFolder } from './cli.ts';

/** Gives each test of a file a folder, and ends what it pushed onto `cleanups`, the last first, before that is removed. */
export function useCleanups() {
  const cleanups: (() => unknown)[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    folder.remove();
  });
  return { cleanups, pathOf: (name: string) => folder.path(name) };
}
