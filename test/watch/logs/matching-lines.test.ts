import { expect, test } from 'vitest';
import { toLatin1 } from '../../../src/watch/logs/match/line-form.ts';
import { createMatchingLines } from '../../../src/watch/logs/matching-lines.ts';

const hit = (pattern: string, means: 'progress' | 'error' | 'fatal' | 'state', at: number) => ({ pattern, means, at });

test('the last lines that matched are kept by time, and a flood of progress drives out no error', () => {
  const lines = createMatchingLines();
  for (let at = 0; at < 10; at += 1) lines.add(hit('bad', 'error', at * 10), `error ${at}`);
  for (let at = 0; at < 100_000; at += 1) lines.add(hit('block', 'progress', 1_000 + at), `block ${at}`);
  expect(lines.read([]).map(({ text }) => text)).toEqual([
    ...['error 4', 'error 5', 'error 6', 'error 7', 'error 8', 'error 9'],
    'block 99000',
  ]);
});

test('of what is not a fault, the last line of each of the last four patterns is kept', () => {
  const lines = createMatchingLines();
  for (const [at, pattern] of ['a', 'b', 'c', 'd', 'a', 'e'].entries())
    lines.add(hit(pattern, 'state', at * 1_000), `${pattern} ${at}`);
  expect(lines.read([]).map(({ text }) => text)).toEqual(['c 2', 'd 3', 'a 4', 'e 5']);
});

test('each line is shown as UTF-8, without secrets, and cut', () => {
  const lines = createMatchingLines();
  lines.add(hit('a', 'fatal', 1), toLatin1('☠ secret=hunter2 of 10.0.0.1/token-of-ours'));
  lines.add(hit('b', 'state', 2), `${'x'.repeat(10_000)}`);
  expect(lines.read(['token-of-ours'])).toEqual([
    { pattern: 'a', means: 'fatal', at: 1, text: '☠ secret=[redacted] of 10.0.0.1/[redacted]' },
    { pattern: 'b', means: 'state', at: 2, text: `${'x'.repeat(500)}…` },
  ]);
});

test('half of a secret at the end of a line that was cut is not shown', () => {
  const lines = createMatchingLines();
  const line = `token=${'é'.repeat(900)} http://me:${'hunter2'.repeat(40)}@10.0.0.1`;
  lines.add(hit('a', 'error', 1), toLatin1(line));
  expect(lines.read([])[0]?.text).toBe('token=[redacted] …');
});
