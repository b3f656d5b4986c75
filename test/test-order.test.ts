import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findTests } from './support/find-tests.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

test('the files that start first are there', () => {
  const config = readFileSync(`${root}vitest.config.ts`, 'utf8');
  const names = [...config.matchAll(/^ {2}'([\w/-]+)',$/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(`${root}test/${name}.test.ts`))).toEqual([]);
});

test('a test belongs to those without other programs unless it, or what it imports, starts one', () => {
  const { unit, parts } = findTests(root);
  expect(unit).toContain('test/rules/judge-node.test.ts');
  // It imports what starts a database server, and that imports its driver.
  expect(parts).toContain('test/notify/incident-store.test.ts');
  expect(parts).toContain('test/commands/run.test.ts');
  expect(unit.filter((file) => parts.includes(file))).toEqual([]);
});
