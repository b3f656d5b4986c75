import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { docs, listPages, ROOT_PAGES } from '../../site/sidebar.ts';

// The soak test of the same name builds the site.
test('the site leads to every page of the documentation, once and by its title', () => {
  const items = listPages().flatMap((group) => group.items);
  const pages = globSync('**/*.md', { cwd: docs }).filter((file) => file !== 'index.md');
  const all = [...pages, ...Object.keys(ROOT_PAGES)];
  expect(items.map(({ link }) => link).toSorted()).toEqual(all.map((file) => `/${file}`).toSorted());
  expect(items[0]).toEqual({ text: 'Your first hour', link: '/first-hour.md' });
});
