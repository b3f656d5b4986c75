import { afterAll, beforeAll } from 'vitest';
import type { Databases } from './databases.ts';
import { startPortal, type TestPortal, type Visitor } from './portal.ts';

/**
 * The portal on an empty database, and a visitor who is signed in as `root`, for the hooks and tests of a file or a block. The
 * members of both are there once the hooks have run. `headers` are those of the visitor.
 */
export function usePortal(
  databases: Pick<Databases, 'create'>,
  options?: Parameters<typeof startPortal>[1],
  headers?: Readonly<Record<string, string>>,
): { readonly portal: TestPortal; readonly visitor: Visitor } {
  const portal: Partial<TestPortal> = {};
  const visitor: Partial<Visitor> = {};
  beforeAll(async () => {
    const started = await startPortal(await databases.create(), options);
    Object.assign(portal, started);
    const root = started.visitor(headers);
    await root.signIn();
    Object.assign(visitor, root);
  }, 60_000);
  afterAll(() => portal.stop?.());
  return { portal: portal as TestPortal, visitor: visitor as Visitor };
}
