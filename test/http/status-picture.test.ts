import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outlineOf, PICTURE_SIZE, sizeOf, takeStatusPicture } from '../support/status-picture.ts';

const FILE = new URL('../../docs/images/status.png', import.meta.url);

// Pixels differ from machine to machine with their fonts, so the picture has to show the same page and not the same pixels.
// A new panel does not make it wrong. `npm run screenshot` makes it again.
it('the picture in the README is of the page as it is: its size and style sheet, and no panel or target that is gone', async () => {
  const committed = readFileSync(FILE);
  const { png, outline } = await takeStatusPicture(false);
  expect(outline).toContain('Target\nState\nNow\n24 hours\n30 days\n');
  expect(sizeOf(png)).toEqual(PICTURE_SIZE);
  expect(sizeOf(committed)).toEqual(PICTURE_SIZE);
  const lines = outlineOf(committed)?.split('\n') ?? [];
  expect(lines.length).toBeGreaterThan(15);
  expect(outline.split('\n')).toEqual(expect.arrayContaining(lines));
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain('](docs/images/status.png)');
}, 60_000);
