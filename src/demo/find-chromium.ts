import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** What distributions call it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The first Chromium on a PATH; undefined when there is none. */
export function findChromium(path: string): string | undefined {
  const candidates = path.split(':').flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
