import { mkdirSync, writeFileSync } from 'node:fs';
import { takeStatusPicture, withOutline } from '../test/support/status-picture.ts';

/** Writes the picture of the README, from the demo in Chromium. */
const folder = new URL('../docs/images/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('status.png', folder), withOutline(await takeStatusPicture(true)));
