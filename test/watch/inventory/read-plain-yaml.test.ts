import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter, stringify } from 'yaml';
import { parseBounded } from '../../../src/watch/inventory/parse-bounded.ts';
import { readPlainYaml } from '../../../src/watch/inventory/read-plain-yaml.ts';
import { type Environment, substitute } from '../../../src/watch/inventory/substitute.ts';

/** What the parser of all of YAML reads; undefined for a text with an error. */
function readByParser(text: string, environment: Environment): { readonly value: unknown } | undefined {
  const read = parseBounded(text, new LineCounter());
  if ('excess' in read || read.document.errors.length + read.document.warnings.length > 0) return undefined;
  let isGood = true;
  substitute(read.document, environment, () => {
    isGood = false;
  });
  return isGood ? { value: read.document.toJS() } : undefined;
}

const ENVIRONMENT = {
  PASS: 's3cret',
  PEERS: '3',
  YES: 'true',
  EMPTY: '',
  ODD: 'a #b: [c]',
  END: 'a:',
  ODD_URL: 'ws://h?a=b&c=*',
};

/** Either it is left to the parser, or both read the same. */
const expectSame = (text: string) => {
  const read = readPlainYaml(text, ENVIRONMENT);
  if (read !== undefined) expect(read, text).toEqual(readByParser(text, ENVIRONMENT));
  return read !== undefined;
};

const full = readFileSync(new URL('./full.yaml', import.meta.url), 'utf8');
const example = readFileSync(new URL('../../../config/subnetd.yaml.example', import.meta.url), 'utf8');

describe('is read as the parser does', () => {
  it.each([
    ['the example of the repository', example],
    ['an inventory with everything', full],
    ['lists at the column of their key', 'a:\n- b: 1\n  c: 2\n- b: 3\n'],
    ['lists within braces, and empty ones', 'a: { b: [], c: {}, d: [1, x, { e: y }] }\n'],
    ['comments and empty lines', '# one\n\na: # two\n\n  b: x # three\n  # four\nc: "#five" #six'],
    ['quotes', `a: 'x: y'\nb: "it's # [not]"\nc: ''\nd: 'it''s'\n"e": 1\n`],
    ['words and numbers', 'a: true\nb: null\nc: -12\nd: 007\ne: False\nf: truely\ng: 10s\nh: 1.2.3.4\n'],
    ['other numbers', 'a: 0x1f\nb: 0o17\nc: 0b11\nd: 1_000\ne: +1\nf: 1.5\ng: 1e3\nh: .inf\ni: 12:30:45\n'],
    ['what another version of YAML takes for something else', 'a: yes\nb: off\nc: 2026-11-23\nd: =\n'],
    ['references', 'a: http://me:${PASS}@h/x\nb: "${ODD_URL}"\nc: { d: \'${PASS}\' }\ne: $${PASS}\n'],
    ['texts over several lines', 'a: one\n  two\nb: >-\n  three\n  four\nc: |\n  five\n'],
    ['escapes', 'a: "\\n\\x41\\u00e9"\n'],
    ['a key without a value', 'a:\nb: 1\n'],
    ['other letters', 'a: ü\nb: "🙂"\n'],
    ['other ends of lines', 'a: b\r\nc:\r\n  - d\r\n'],
    ['no last line end', 'a:\n  - b'],
  ])('%s', (_what, text) => {
    expect(readByParser(text, ENVIRONMENT)).toBeDefined();
    expect(expectSame(text), 'it is left to the parser').toBe(true);
  });

  it('what a program writes of an inventory', () => {
    const nodes = Array.from({ length: 30 }, (_, i) => ({
      name: `n${i}`,
      rpc: `http://10.0.0.${i}:8545`,
      container: { project: 'p', service: `s${i}` },
      logFiles: [`/var/log/${i}.log`],
      expectedPeers: i,
    }));
    const text = stringify({ subnets: [{ name: 'd', nodes, checks: { rpc: { schedule: 'every 10s' } } }] });
    expect(expectSame(text)).toBe(true);
  });
});

describe('is left to the parser', () => {
  it.each([
    ['nothing', ''],
    ['a comment alone', '# a'],
    ['several documents', 'a: 1\n---\nb: 2\n'],
    ['a tag', 'a: !!str 1\n'],
    ['an alias', 'a: &x 1\nb: *x\n'],
    ['a key twice', 'a: 1\na: 2\n'],
    ['a key twice in braces', 'a: { b: 1, b: 2 }\n'],
    ['a key that is a number', '1: a\n'],
    ['a key that is a word of YAML', 'true: a\n'],
    ['a merge', 'a: { <<: b }\n'],
    ['a prototype', '__proto__: { a: b }\n'],
    ['too many keys', Array.from({ length: 201 }, (_, i) => `k${i}: 1\n`).join('')],
    ['too many levels', `a: ${'['.repeat(70)}${']'.repeat(70)}\n`],
    ['a reference that is not set', 'a: ${NOBODY}\n'],
    ['a broken reference', 'a: "${"\n'],
    ['a reference whose value is no text without quotes', 'a: ${PEERS}\n'],
    ['a reference whose value is another text without quotes', 'a: "${ODD}"\n'],
    ['a text that is too long', `a: ${'x'.repeat(3_000_000)}\n`],
  ])('%s', (_what, text) => {
    expect(readPlainYaml(text, ENVIRONMENT)).toBeUndefined();
  });
});

describe('whatever is read is what the parser reads', () => {
  const runs = { numRuns: Number(process.env.RUNS ?? 2_000) };
  const word = fc.constantFrom(
    ...[
      'a',
      'b c',
      'x:y',
      'x: y',
      '-1',
      '- 1',
      '0o7',
      '1_0',
      '+1',
      '.5',
      'null',
      '~',
      'true',
      'yes',
      'http://h:1/p?a=b&c=*',
      '#x',
      'a#b',
      'a #b',
    ],
    ...[
      '${PASS}',
      '${PEERS}',
      'x${END}',
      '${EMPTY}',
      "'q'",
      '"q"',
      '[a',
      'a]',
      '{',
      '}',
      ',',
      'a, b',
      '%a',
      '@a',
      '!a',
      '&a',
      '*a',
      '|',
      '>',
      '?',
      ':',
    ],
  );

  it('of documents that are written in all styles', () => {
    const tree = fc.letrec<{ readonly tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.string()),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'name', 'y', 'null'), word), tie('tree'), { maxKeys: 4 }),
      ),
    })).tree;
    const style = fc.record({
      indent: fc.constantFrom(1, 2, 3, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
      lineWidth: fc.constantFrom(0, 20, 80),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, { maxKeys: 3 }), style, (value, options) => {
        expectSame(stringify(value, options));
      }),
      runs,
    );
  });

  it('of lines that are put together by chance', () => {
    const line = fc
      .tuple(
        fc.nat(4),
        fc.constantFrom('', '- ', '- - ', 'a: ', 'b: ', '- a: ', '- b: ', '? ', 'a : '),
        fc.oneof(word, fc.constantFrom('', '{ a: b }', '[a, b]', '{a: b}', '[ ]', '{ a: [b] , c: d, }')),
      )
      .map(([indent, begin, rest]) => `${' '.repeat(indent)}${begin}${rest}`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        expectSame(lines.join('\n'));
      }),
      { numRuns: 5 * runs.numRuns },
    );
  });

  it('of an inventory with some other letters in it', () => {
    const letter = fc.constantFrom(...' \n:-#\'"{}[],&*!|>%@`~?.\\\t\r0aé'.split(''), '${PASS}', ': ', ' #', '- ');
    const texts = fc.constantFrom(full, example, 'a:\n  - b: c\n    d: { e: f }\n');
    fc.assert(
      fc.property(texts, fc.nat(), letter, fc.nat(3), (text, place, inserted, removed) => {
        const at = place % text.length;
        expectSame(text.slice(0, at) + inserted + text.slice(at + removed));
      }),
      runs,
    );
  });
});
