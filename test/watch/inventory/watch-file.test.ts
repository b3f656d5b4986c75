import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readText } from '../../../src/watch/inventory/read-text.ts';
import { watchFile } from '../../../src/watch/inventory/watch-file.ts';
import { eventually } from '../../support/cli.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const codeOf = (read: Promise<string>) => read.then(String, (error: NodeJS.ErrnoException) => error.code);
const openFiles = () => readdirSync('/proc/self/fd').length;

describe('a file that is read whole', () => {
  it('is text, of a file or of a pipe, however late it is written', async () => {
    const path = pathOf('file');
    writeFileSync(path, 'ü'.repeat(400_000));
    expect(await readText(path)).toBe('ü'.repeat(400_000));
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const read = readText(path);
    execFileSync('sh', ['-c', 'exec >"$1"; echo a; sleep 0.1; echo b', '-', path]);
    expect(await read).toBe('a\nb\n');
  });

  it('is refused when it has no end, and nothing of it stays open', async () => {
    const before = openFiles();
    const [pipe, zero, large] = ['pipe', 'zero', 'large'].map(pathOf) as [string, string, string];
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/dev/zero', zero);
    writeFileSync(large, '');
    truncateSync(large, 16 * 1024 * 1024 + 1);
    const codes = await Promise.all(
      [pipe, zero, large, pathOf('.'), pathOf('none')].map((path) => codeOf(readText(path))),
    );
    expect(codes).toEqual(['ETIMEDOUT', 'EFBIG', 'EFBIG', 'EISDIR', 'ENOENT']);
    await eventually(() => expect(openFiles()).toBeLessThanOrEqual(before));
  });
});

describe('a file that is watched', () => {
  it('is reported once when it is missing, and when it is back unchanged', async () => {
    const path = pathOf('file');
    writeFileSync(path, 'a');
    let changes = 0;
    const watch = watchFile(
      path,
      () => {
        changes += 1;
      },
      20,
    );
    cleanups.push(watch.stop);
    watch.setKnownText('a');
    rmSync(path);
    await eventually(() => expect(changes).toBe(1));
    // Five polls more.
    await sleep(100);
    expect(changes).toBe(1);
    writeFileSync(path, 'a');
    await eventually(() => expect(changes).toBe(2));
  });
});
