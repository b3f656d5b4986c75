import { expect, test } from 'vitest';
import { compileOwnPattern, requiredLiteral } from '../../src/logs/compile-own-pattern.ts';
import { createLogReader } from '../../src/logs/create-log-reader.ts';
import { toLatin1 } from '../../src/logs/latin1.ts';
import type { LogHit } from '../../src/model/log.ts';
import type { Pattern } from '../../src/model/target.ts';

const pattern = (match: string, more: Partial<Pattern> = {}): Pattern => ({
  name: 'own',
  match,
  means: 'error',
  ...more,
});

const hitsOf = (own: Pattern, ...lines: readonly string[]) => {
  const hits: Omit<LogHit, 'counted'>[] = [];
  const reader = createLogReader({
    pack: [],
    own: [own],
    timezone: 'UTC',
    now: () => 2,
    onHit: (hit) => void hits.push(hit),
  });
  for (const line of lines.map(toLatin1)) reader.read(line, 0, line.length, 1);
  return hits;
};

test.each(['(a+)+$', '(x+x+)+y', '([a-zA-Z]+)*!', '(.*a){20}', 'disk.*full.*now.*'])(
  'a pattern that would backtrack for ever comes to an end on a hostile line: %s',
  (match) => {
    const hits = hitsOf(pattern(match), `${'a'.repeat(65_000)}b`, 'x'.repeat(65_000));
    expect(hits).toHaveLength(match === '(.*a){20}' ? 1 : 0);
  },
  120_000,
);

test.each(['(?=a)b', '(a)\\1', '(?<!a)b'])('a pattern that no bounded engine runs is refused: %s', (match) => {
  expect(() => compileOwnPattern(pattern(match))).toThrow();
});

test('a value names a group that the pattern has', () => {
  expect(() => compileOwnPattern(pattern('height (?<h>\\d+)', { value: 'height' }))).toThrow('no group');
  expect(hitsOf(pattern('height (?<h>\\d+)', { value: 'h' }), 'height 12')).toEqual([
    { pattern: 'own', means: 'error', at: 1, value: '12' },
  ]);
});

test('a pattern beyond ASCII finds its line', () => {
  expect(hitsOf(pattern('⛔ (.) gestört'), 'x ⛔ ä gestört', 'gestort')).toHaveLength(1);
});

test('the literal that a pattern needs is found, and none where it is not certain', () => {
  expect(requiredLiteral('disk full')).toBe('disk full');
  expect(requiredLiteral('disk .* full\\.')).toBe(' full.');
  expect(requiredLiteral('colou?r \\d+ is')).toBe('colo');
  expect(requiredLiteral('a|b')).toBe('');
  expect(requiredLiteral('(?i)disk')).toBe('');
  for (const [match, line] of [
    ['ab*c', 'ac'],
    ['ab+c', 'abbc'],
    ['a\\d+b', 'a12b'],
    ['\\[x\\] y', '[x] y'],
    ['a\\tb', 'a\tb'],
  ] as const)
    expect(hitsOf(pattern(match), line), match).toHaveLength(1);
});
