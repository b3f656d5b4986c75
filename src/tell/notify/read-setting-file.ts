import { readFileSync } from 'node:fs';
import { UnusableFile } from './describe-failure.ts';

/** The text of a file that a setting names. Throws `UnusableFile`, which names the setting and the path. */
export function readSettingFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableFile(`${setting}: ${path} cannot be read (${code}); correct the path or its mode`);
  }
}
