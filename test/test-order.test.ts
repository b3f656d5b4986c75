import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findTests } from './support/find-tests.ts';
import { mixWaiting } from './support/mix-waiting.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

test('the files that are known to wait are there', () => {
  const config = readFileSync(`${root}vitest.config.ts`, 'utf8');
  const names = [...config.matchAll(/^ {2}'([\w/-]+)': \d+,$/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(`${root}test/${name}.test.ts`))).toEqual([]);
});

test('files that wait start longest first, with enough of the others between them for the other workers', () => {
  const seconds: Readonly<Record<string, number>> = { w10: 10, w60: 60, w30: 30 };
  const files = ['a', 'w10', 'b', 'c', 'w30', 'd', 'w60', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
  const order = mixWaiting(files, (file) => seconds[file], { longest: 2, shortest: 0, others: 1 });
  // The third begins when the second ends, after 30 s: ten others of 3 s are begun by then.
  expect(order.join(' ')).toBe('w60 w30 a b c d e f g h i j w10 k l');
  expect(mixWaiting(['w10', 'w60'], (file) => seconds[file], { longest: 1, shortest: 0, others: 1 })).toEqual([
    'w60',
    'w10',
  ]);
});

test('some workers begin with the shortest of those that wait', () => {
  const seconds: Readonly<Record<string, number>> = { w10: 10, w60: 60, w30: 30 };
  const files = ['a', 'w10', 'b', 'c', 'w30', 'd', 'w60', 'e', 'f'];
  const order = mixWaiting(files, (file) => seconds[file], { longest: 1, shortest: 1, others: 1 });
  expect(order.join(' ')).toBe('w60 w10 a b c d w30 e f');
});

test('a test belongs to those without other programs unless it, or what it imports, starts one', () => {
  const { unit, parts, sharing } = findTests(root);
  expect(unit).toContain('test/watch/rules/judge-node.test.ts');
  // It imports what starts a database server, and that imports its driver.
  expect(parts).toContain('test/tell/notify/tracked-alert-store.test.ts');
  expect(parts).toContain('test/cli/run.test.ts');
  expect(unit.filter((file) => parts.includes(file))).toEqual([]);
  // With fake timers, or to measure memory, a file has its process for itself.
  expect(sharing).toContain('test/watch/rules/judge-node.test.ts');
  expect(sharing).toContain('test/cli/run.test.ts');
  expect(unit.filter((file) => !sharing.includes(file))).toEqual(
    expect.arrayContaining(['test/watch/monitor/create-timer.test.ts', 'test/watch/logs/file/memory.test.ts']),
  );
});
