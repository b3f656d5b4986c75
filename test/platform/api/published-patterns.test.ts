import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDate } from '../../../src/platform/api/check-value.ts';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { TEXT_PATTERNS } from '../../../src/platform/api/published-patterns.ts';
import { parameter } from '../../../src/platform/api/read-parameters.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { misfitsInPython, misfitsOf } from '../../support/pattern-engines.ts';

const document: unknown = createOpenApi(resources);

/** Every pattern of the document, with the paths of what has it. */
function patternsIn(value: unknown, path: string, found: Map<string, string[]>): Map<string, string[]> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, one] of Object.entries(value)) {
    if (name === 'pattern' && typeof one === 'string') found.set(one, [...(found.get(one) ?? []), path]);
    else patternsIn(one, `${path}/${name}`, found);
  }
  return found;
}
const patterns = [...patternsIn(document, '', new Map()).keys()];

/** The pattern of a parameter, wherever it is. */
function patternOf(name: string): string {
  const find = (value: unknown): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { schema } = value as { readonly schema?: { readonly pattern?: string } };
    if ('name' in value && value.name === name && schema?.pattern !== undefined) return schema.pattern;
    return Object.values(value)
      .map(find)
      .find((one) => one !== undefined);
  };
  const found = find(document);
  if (found === undefined) throw new Error(`no parameter ${name} has a pattern`);
  return found;
}

describe('the published patterns', () => {
  it('are several', () => expect(patterns.length).toBeGreaterThan(8));

  it.each(patterns)('%s compiles in RE2, in Python and in JavaScript, and looks no way around', (pattern) => {
    expect(() => misfitsOf(pattern, '')).not.toThrow();
    expect(() => misfitsInPython([{ pattern, texts: [''] }])).not.toThrow();
    expect(pattern).toMatch(/^[\x20-\x7e]+$/);
    expect(pattern).not.toMatch(/\(\?[^:]|\\[pPuUbBdDsS]/);
  });

  const blanks = fc.string({ unit: fc.constantFrom(' ', '\u00a0', '\u3000', '\t', '\ufeff'), maxLength: 2 });
  const padded = (one: fc.Arbitrary<string>) =>
    fc.tuple(blanks, one, blanks).map(([before, text, after]) => `${before}${text}${after}`);
  const date = fc.oneof(
    fc
      .date({ min: new Date('1971-01-01'), max: new Date('2970-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString()),
    fc.constantFrom('2026-01-31', '2026-01-31T18:00Z', '2026-01-31T18:00:01+01:00', '2026-02-30', 'soon', ''),
  );
  const boolean = fc
    .tuple(fc.constantFrom('true', 'false', 'yes'), fc.infiniteStream(fc.boolean()))
    .map(([word, capitals]) => [...word].map((one) => (capitals.next().value ? one.toUpperCase() : one)).join(''));

  it.each([
    ['since', padded(date), (text: string) => checkDate(text, 'since').ok],
    ['IsDeleted', padded(boolean), (text: string) => parameter('boolean', '').read(text, 'IsDeleted').ok],
    [
      'atLeast',
      fc.constantFrom('0', '-0', '1.5', '007', '1.'),
      (text: string) => /^-?\d{1,80}(?:\.\d{1,18})?$/.test(text),
    ],
  ] as const)('that of %s takes what its check takes', (name, texts, isTaken) => {
    const pattern = patternOf(name);
    const taken: string[] = [];
    fc.assert(
      fc.property(texts, (text) => {
        if (!isTaken(text)) return;
        taken.push(text);
        expect(misfitsOf(pattern, text), JSON.stringify(text)).toEqual([]);
      }),
    );
    expect(taken).not.toEqual([]);
    expect(misfitsInPython([{ pattern, texts: taken }])).toEqual([]);
  });

  it.each([
    ['text', ['', ' ', 'a\nb', '\ta', 'a\u009bm']],
    ['email', ['', 'a', 'a@b', 'a@b@c.example', '@b.example', 'a@.example', 'a\n@b.example', 'a"b@c.example']],
    ['path', ['', '/a', ' /a', 'a\\b', '\\a', 'a\0.png']],
    ['password', ['', 'a\nb', '\u001b[31m']],
  ] as const)('that of a %s refuses what is plainly wrong', (kind, texts) => {
    for (const text of texts) expect(misfitsOf(TEXT_PATTERNS[kind], text), JSON.stringify(text)).toHaveLength(3);
  });

  it.each(Object.entries(TEXT_PATTERNS))('that of a %s takes time in proportion to a long text', (_kind, pattern) => {
    for (const unit of ['a', ' ', '\u00a0', 'a.', '@', '.'])
      expect(misfitsOf(pattern, `a@b.c${unit.repeat(100_000)}\n\n`)).toHaveLength(3);
  });
});
