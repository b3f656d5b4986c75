import { mkdirSync, writeFileSync } from 'node:fs';
import { takeStatusPictures, withOutline } from '../test/support/status-picture.ts';

/** Writes the pictures of the README, from the demo in Chromium. */
const folder = new URL('../docs/images/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const picture of await takeStatusPictures(true))
  writeFileSync(new URL(picture.file, folder), withOutline(picture));
