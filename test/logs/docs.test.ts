import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logPatternsPage } from '../../scripts/log-patterns.ts';
import { packs } from '../../src/logs/packs.ts';

test('the page about log patterns is what the packs say', () => {
  const page = readFileSync(new URL('../../docs/log-patterns.md', import.meta.url), 'utf8');
  expect(page, 'run node scripts/log-patterns.ts').toBe(logPatternsPage());
});

test.each(Object.entries(packs))('the names of the pack of %s are labels, and each once', (_, patterns) => {
  const names = patterns.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
});
