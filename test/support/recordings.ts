import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const FOLDER = new URL('../fixtures/recordings/', import.meta.url);

/** A folder of a test's own, which goes away with it. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A recording of a real program as the program printed it: the lines of the recorder are left out. */
export const readRecording = (name: string): string =>
  readFileSync(new URL(name, FOLDER), 'utf8').replaceAll(/^### .*\n/gm, '');

/** A file with a text in it. */
export function writeLog(text: string | Buffer, name = 'saved.log'): string {
  const path = join(useFolder(), name);
  writeFileSync(path, text);
  return path;
}
