import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** The content of a file, or for `-` of standard input; undefined with the reason if it cannot be read. */
export async function readGiven(file: string): Promise<{ readonly content?: string; readonly why?: string }> {
  try {
    return { content: file === '-' ? await text(process.stdin) : await readFile(file, 'utf8') };
  } catch (error) {
    return { why: `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}` };
  }
}
