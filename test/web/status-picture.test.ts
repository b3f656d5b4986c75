import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outlineOf, PICTURES, sizeOf, takeStatusPictures } from '../support/status-picture.ts';

const root = new URL('../../', import.meta.url);

// Pixels differ from machine to machine with their fonts, so a picture has to show the same page and not the same pixels.
// A new panel does not make it wrong. `npm run screenshot` makes them again.
it('the pictures in the README are of the page as it is: size and style sheet, and no panel or target that is gone', async () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const taken = await takeStatusPictures(false);
  expect(taken.map(({ file }) => file)).toEqual(PICTURES.map(({ file }) => file));
  taken.forEach(({ file, png, outline }, index) => {
    const committed = readFileSync(new URL(`docs/images/${file}`, root));
    expect(sizeOf(png)).toMatchObject({ width: PICTURES[index]?.width, height: PICTURES[index]?.height });
    expect(sizeOf(committed)).toEqual(sizeOf(png));
    const lines = outlineOf(committed)?.split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(15);
    expect(outline.split('\n')).toEqual(expect.arrayContaining(lines));
    expect(readme).toContain(`](docs/images/${file})`);
  });
}, 180_000);
