import { expect } from 'vitest';
import type { FilePosition } from '../../src/model/log.ts';
import { createFileSet } from '../../src/watch/logs/file/create-file-set.ts';
import { findLogFiles } from '../../src/watch/logs/file/find-log-files.ts';
import { createOpenFiles, type OpenFiles } from '../../src/watch/logs/file/open-files.ts';

/** A follower's files, as a test sweeps them: `begin` starts with stored positions, `look` is one sweep. */
export function sweptFiles(
  pattern: string,
  begun: {
    readonly openFiles?: OpenFiles;
    readonly toLine?: (line: string) => string;
    /** Called after each chunk. */
    readonly onChunk?: () => void;
  } = {},
) {
  const { openFiles = createOpenFiles(), toLine = (line) => line, onChunk = () => {} } = begun;
  const read: string[] = [];
  let now = 0;
  const begin = (stored?: readonly FilePosition[]) =>
    createFileSet({
      ...(stored && { stored }),
      lookBackBytes: 0,
      onLine: (all, start, end) => void read.push(toLine(all.slice(start, end))),
      shouldContinue: () => {
        onChunk();
        return true;
      },
      openFiles,
      now: () => now,
    });
  const find = async () => {
    const found = await findLogFiles(pattern);
    return found.ok ? found.files : [];
  };
  const pass = (ms: number) => {
    now += ms;
  };
  const look = async (set: ReturnType<typeof begin>) => {
    pass(1_000);
    expect(await set.sweep(await find())).toBeUndefined();
  };
  return { read, begin, find, pass, look };
}
