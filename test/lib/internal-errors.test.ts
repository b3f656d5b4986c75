import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createInternalErrors, describeInternalError } from '../../src/lib/internal-errors.ts';

const start = () => {
  const lines: string[] = [];
  const log = pino({ base: undefined, timestamp: false }, { write: (line: string) => void lines.push(line) });
  return { lines, errors: createInternalErrors(log) };
};

test('an error is logged with what it is about, and counted for the part that broke', () => {
  const { lines, errors } = start();
  const error = Object.assign(new RangeError('Invalid array length'), { stack: 'the stack' });
  errors.report(error, 'diagnosis', { subnet: 'devnet' });
  errors.of('page')(error);
  errors.of('page')(error);
  const err = '"err":{"type":"RangeError","message":"Invalid array length","stack":"the stack"}';
  const page = `{"level":50,${err},"msg":"a page broke; please report this"}\n`;
  expect(lines).toEqual([
    `{"level":50,"subnet":"devnet",${err},"msg":"the diagnosis of a subnet broke, and what was last found in it stays; please report this"}\n`,
    page,
    page,
  ]);
  expect([errors.counts.get('diagnosis'), errors.counts.get('page'), errors.counts.get('mail')]).toEqual([1, 2, 0]);
  expect(errors.total()).toBe(3);
});

test('every part is counted from 0, by a name of lower-case letters, and asks for a report', () => {
  const { counts, report } = start().errors;
  expect(counts.size).toBe(13);
  for (const [part, count] of counts) {
    expect(part).toMatch(/^[a-z]+$/);
    expect(count).toBe(0);
    expect(describeInternalError(part as Parameters<typeof report>[1])).toMatch(/^\S.*[^.]; please report this$/);
  }
});
