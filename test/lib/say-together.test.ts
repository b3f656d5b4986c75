import { expect, test } from 'vitest';
import { sayTogether } from '../../src/lib/words.ts';

const say = (...summaries: readonly string[]) => {
  const all = summaries.map((summary) => ({ name: summary.split(' ')[0] ?? '', summary }));
  return sayTogether(all[0] ?? { summary: '' }, all);
};

test.each([
  [['a hangs', 'b hangs'], 'a and b hang'],
  [
    ['a is cut off from the other nodes', 'b is cut off from the other nodes'],
    'a and b are cut off from the other nodes',
  ],
  [['a misses blocks', 'b misses blocks'], 'a and b miss blocks'],
  [['a ran out of memory', 'b ran out of memory'], 'a and b ran out of memory'],
  [['a hangs', 'b hangs', 'c hangs', 'd hangs'], 'a, b, c and 1 other hang'],
  [['a hangs', 'b is slow'], 'a hangs'],
  [['a has lost its newest blocks', 'b has lost its newest blocks'], 'a has lost its newest blocks'],
])('%j is said of all together as "%s"', (summaries, words) => {
  expect(say(...summaries)).toBe(words);
});

test('what does not begin with its name stays as it is', () => {
  const one = { name: 'a', summary: 'the container of a does not run' };
  expect(sayTogether(one, [one, { name: 'b', summary: 'the container of a does not run' }])).toBe(one.summary);
});
