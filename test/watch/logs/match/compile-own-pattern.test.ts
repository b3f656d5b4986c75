import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogHit } from '../../../../src/model/log.ts';
import type { Pattern } from '../../../../src/model/target.ts';
import { compileOwnPattern, compileRe2 } from '../../../../src/watch/logs/match/compile-own-pattern.ts';
import { createLogReader } from '../../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../../src/watch/logs/match/line-form.ts';
import { anyCharacter } from '../../../support/any-character.ts';

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
  'a pattern that would backtrack forever ends on a hostile line: %s',
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

test.each([
  ['error.*?timeout', 'error: i/o timeout'],
  [String.raw`\x41BC`, 'an ABC'],
  [String.raw`\pLbc`, 'abc'],
  [String.raw`\Qa.b*\E`, 'a.b*'],
  [String.raw`\x{1F600}d`, '😀d'],
  [String.raw`a\141b`, 'aab'],
  ['ab*c', 'ac'],
  ['ab+c', 'abbc'],
  [String.raw`a\d+b`, 'a12b'],
  [String.raw`\[x\] y`, '[x] y'],
  [String.raw`a\tb`, 'a\tb'],
])('the pattern %s matches the line %s', (match, line) => {
  expect(hitsOf(pattern(match), line)).toHaveLength(1);
});

const atom = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'B', 'c', 'é', '⛔', '😀', 'disk', 'full', ' ', '=', '7') },
  fc.constantFrom('.', String.raw`\.`, String.raw`\x41BC`, String.raw`\pLbc`, String.raw`\PL`, String.raw`\p{Greek}`),
  fc.constantFrom(
    String.raw`\d`,
    String.raw`\W`,
    String.raw`\s`,
    String.raw`\bdisk`,
    String.raw`\B`,
    String.raw`\Qa.b\E`,
  ),
  fc.constantFrom('^', '$', String.raw`\A`, String.raw`\z`, '[ab]', '[^ab]', '[[:digit:]é]', String.raw`[\d.]`),
  fc.constantFrom('error.*?timeout', '(?i)disk', '(?i:É)', '(?s:.)', '(?U)a+', '(?m)^b', '(?=a)', '(a)\\1', '[b'),
);
const expression = fc.letrec<{ whole: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(tie('part'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,}?'))
      .map((two) => two.join('')),
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:', '(?<v>'), tie('whole')).map(([open, inner]) => `${open}${inner})`),
    fc.tuple(tie('part'), tie('part')).map((two) => two.join('')),
  ),
  whole: fc
    .array(tie('part'), { minLength: 1, maxLength: 3 })
    .chain((parts) => fc.constantFrom(parts.join(''), parts.join('|'))),
})).whole;
const lineOf = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        'B',
        'c',
        'bc',
        'ABC',
        'é',
        'É',
        'α',
        '⛔',
        '😀',
        'disk',
        'DISK',
        'full',
        ' ',
        '=',
        '7',
        '.',
      ),
      fc.constantFrom('error', 'timeout', 'INFO [11-21|07:42:00] ', 'a.b', '\t', '\u{ff}'),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll(/[\r\n]/g, ' '));

test('every pattern that is accepted finds in any line what RE2 alone finds, with the same value', () => {
  let matched = 0;
  let refused = 0;
  fc.assert(
    fc.property(expression, fc.array(lineOf, { minLength: 1, maxLength: 8 }), (match, lines) => {
      let alone: ReturnType<typeof compileRe2>;
      try {
        alone = compileRe2(match);
      } catch {
        refused++;
        return;
      }
      const value = 'v' in alone.namedGroups() ? 'v' : undefined;
      const expected = lines.flatMap((line) => {
        // A line is text as far as it is UTF-8.
        const matcher = alone.matcher(Buffer.from(line).toString());
        if (!matcher.find()) return [];
        const text = value && matcher.group(value);
        return [text == null ? 'no value' : `value ${text}`];
      });
      matched += expected.length;
      const hits = hitsOf(pattern(match, value === undefined ? {} : { value }), ...lines);
      expect(hits.map((hit) => (hit.value === undefined ? 'no value' : `value ${hit.value}`))).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
  // What is compared is not silence with silence.
  expect(matched).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(0);
});
