import { expect, test } from 'vitest';
import { packs } from '../../../../src/watch/logs/packs.ts';

test.each(Object.entries(packs))('the names of the pack of %s are labels, and each once', (_, patterns) => {
  const names = patterns.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
});
