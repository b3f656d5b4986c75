import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineCutter, MAX_LINE_BYTES, type OnLine } from '../../../../src/lib/bytes.ts';
import type { LogPattern } from '../../../../src/model/log.ts';
import type { Pattern } from '../../../../src/model/target.ts';
import { compileOwnPattern } from '../../../../src/watch/logs/match/compile-own-pattern.ts';
import { compilePack, createMatcher } from '../../../../src/watch/logs/match/create-matcher.ts';
import {
  fromLatin1,
  isNethermindLine,
  splitLine,
  toLatin1,
  toPrinted,
} from '../../../../src/watch/logs/match/line-form.ts';
import { packs } from '../../../../src/watch/logs/packs.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const own: readonly Pattern[] = [
  { name: 'own_literal', means: 'error', match: 'disk full' },
  { name: 'own_value', means: 'progress', match: 'number=(?<n>\\d+) ', value: 'n' },
  { name: 'own_either', means: 'error', match: 'panic|(?i)Error' },
  { name: 'own_beyond_ascii', means: 'error', match: '⑂ .*fork' },
];

const compiledOwn = own.map(compileOwnPattern);

/** Each pattern on its own, with nothing to be fast, for a log that is read within a moment. */
function matchSimply(pack: readonly LogPattern[], log: readonly string[]): readonly (readonly string[])[] {
  let isServed = false;
  let isNethermind = false;
  let ending: string | undefined;
  const matchLine = (line: string) => {
    if (isServed) {
      isServed = !line.includes('=');
      return [];
    }
    const printed = toPrinted(line);
    isNethermind ||= isNethermindLine(printed);
    if (isNethermind && !isNethermindLine(printed)) {
      ending ??= pack.find(({ ends, literal }) => ends && printed.startsWith(literal))?.name;
      return [];
    }
    const { record, level } = splitLine(printed);
    const ended = ending !== undefined && record.startsWith('Nethermind is starting up') ? [ending] : [];
    if (isNethermindLine(printed)) ending = undefined;
    const ofCall = record.startsWith('Served ');
    isServed = ofCall && !record.includes('=');
    const isOfNethermind = isNethermindLine(printed);
    const matchOne = (pattern: LogPattern) => {
      const text = toLatin1(pattern.literal);
      if (pattern.level !== undefined && pattern.level !== level) return [];
      if (pattern.anywhere ? ofCall || !record.includes(text) : !record.startsWith(text)) return [];
      const { name, match } = pattern;
      if (match === undefined) return [name];
      const found = new RegExp(toLatin1(match.source), match.flags.replace('u', '')).exec(record);
      return found === null ? [] : [`${name} ${found[1]}`];
    };
    const atStart = pack.filter(({ anywhere }) => !anywhere).flatMap(matchOne);
    if (isOfNethermind && atStart.length === 0) return ended;
    return [...ended, ...atStart, ...pack.filter(({ anywhere }) => anywhere).flatMap(matchOne)];
  };
  return log.map((raw) => {
    const line = raw.slice(0, MAX_LINE_BYTES).replace(/\r$/, '');
    const ofOwn = compiledOwn.flatMap(({ name, test }) => {
      const match = test(fromLatin1(line));
      return match === undefined ? [] : [`${name} ${match.value}`];
    });
    return [...matchLine(line), ...ofOwn].toSorted();
  });
}

const heads = [
  ...['TRACE', 'DEBUG', 'INFO ', 'WARN ', 'ERROR', 'CRIT ', 'INFO'].map((level) => `${level}[11-21|07:42:00] `),
  ...['WARN [11-21|07:42:00.123] ', 'CRIT [11-21|07:42:00.123] "', 't=1 lvl=crit msg=', '[1] {"msg":"'],
  ...['2026-11-21 07:42:00 error: ', '2026-11-21 07:42:00 debug: ', '{"lvl":"info","msg":"', '21 Nov 07:42:00 | '],
  'error Error: ',
];
const COLOURED = '\u001b[32mINFO \u001b[0m[11-21|07:42:00] ';
const pieces = (pack: readonly LogPattern[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...pack.map(({ literal }) => literal)) },
    fc.constantFrom(...heads, 'node1  | ', '2026-11-21T07:42:00Z '),
    fc.constantFrom(' number=12 ', ' num=7', ' blockNum=99', ' QcNumber=3', ' err=x', ' parentBlockNum 5', 'disk full'),
    fc.constantFrom('\r', ' ', 'Error', 'panic', '⑂ a fork', '[1] ', '[0] ', 'PARENTNET ', 'execution reverted'),
    fc.constantFrom('ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'status 503', 'socket hang up', '"429 '),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
  );
const lines = (pack: readonly LogPattern[]) =>
  fc
    .tuple(fc.constantFrom('', ...heads, COLOURED), fc.array(pieces(pack), { maxLength: 6 }))
    .map(([head, parts]) => toLatin1(head + parts.join('').replaceAll('\n', ' ')));

/** What may have become of a line: nothing, a part lost, or bytes that are no UTF-8 in between. */
const damaged = (pack: readonly LogPattern[]) =>
  fc
    .tuple(
      lines(pack),
      fc.nat(200),
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: fc.record({ lost: fc.nat(30), added: fc.constant('') }) },
        {
          weight: 1,
          arbitrary: fc.record({ lost: fc.nat(2), added: fc.constantFrom('\xff', '\xc3', '\0', '\x80\x8d') }),
        },
      ),
    )
    .map(([line, at, damage]) => (damage ? line.slice(0, at) + damage.added + line.slice(at + damage.lost) : line));

test.each(Object.entries(packs))('for %s it finds what each pattern finds alone, in any log', (_, pack) => {
  const compiledPack = compilePack(pack);
  const found = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(damaged(pack), { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 }),
      (all, lineBreak, cuts) => {
        const matcher = createMatcher(compiledPack, compiledOwn, () => 0);
        const text = all.join(lineBreak);
        const cutter = createLineCutter();
        const results: (readonly string[])[] = [];
        const onLine: OnLine = (text, start, end) => {
          const names: string[] = [];
          matcher(text, start, end, ({ name, test }, value) => {
            names.push(test === undefined ? name : `${name} ${value}`);
            found.add(name);
          });
          results.push(names.toSorted());
        };
        let at = 0;
        for (const size of cuts) {
          cutter.push(text.slice(at, at + size), onLine);
          at += size;
        }
        cutter.push(text.slice(at), onLine);
        cutter.flush(onLine);
        const whole = text.endsWith('\n') || text === '' ? text.slice(0, -1) : text;
        const expected = text === '' ? [] : matchSimply(pack, whole.split('\n'));
        expect(results).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
  // What is compared is not silence with silence.
  expect(found.size).toBeGreaterThan((pack.length + own.length) / 5);
});

test('several patterns of one line are all found, each once', () => {
  const matcher = createMatcher(compilePack(packs.node), compiledOwn);
  const names: string[] = [];
  const line = 'INFO [11-21|07:42:00] Imported new chain segment               number=12 disk full';
  matcher(line, 0, line.length, ({ name }, value) => void names.push(`${name} ${value}`));
  expect(names).toEqual(['imported_segment 12', 'own_literal undefined', 'own_value 12']);
});

test('text in the fields of a line is not its message', () => {
  const matcher = createMatcher(compilePack(packs.node));
  const found = (line: string) => {
    const names: string[] = [];
    matcher(line, 0, line.length, ({ name }) => void names.push(name));
    return names;
  };
  const words = 'Imported new chain segment   number=99999999';
  expect(found(`WARN [11-21|07:42:00] Served eth_x  err="the method ${words} does not exist"`)).toEqual([
    'rpc_refused',
  ]);
  expect(found(`node1  | INFO [11-21|07:42:00] ${words}`)).toEqual(['imported_segment']);
});

test('of a line over 64 KiB, the first 64 KiB are matched', () => {
  const matcher = createMatcher(compilePack([]), compiledOwn);
  const cutter = createLineCutter();
  const found: string[] = [];
  const onLine: OnLine = (text, start, end) => matcher(text, start, end, ({ name }) => void found.push(name));
  cutter.push(`disk full${'x'.repeat(MAX_LINE_BYTES)}panic\n${'x'.repeat(MAX_LINE_BYTES)}disk full\n`, onLine);
  expect(found).toEqual(['own_literal']);
});
