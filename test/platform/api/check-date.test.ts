import { expect, it } from 'vitest';
import { checkDate, checkSize } from '../../../src/platform/api/check-value.ts';

it.each([
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  [' 2028-02-29 ', '2028-02-29T00:00:00.000Z'],
  ['2027-01-31T18:00:00Z', '2027-01-31T18:00:00.000Z'],
  ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
])('the date %s is %s', (text, at) => {
  expect(checkDate(text, 'since')).toEqual({ ok: true, value: at });
});

it.each([
  '2027-02-29',
  '9999-12-31T23:59-01:00',
  '2027-13-01',
  '31.01.2027',
  '2027-01-31T18:00:00',
  '2027-01-31T25:00Z',
  'tomorrow',
  '',
])('the date %j has the code 1009', (text) => {
  const message = 'since must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z';
  expect(checkDate(text, 'since')).toEqual({ ok: false, failure: { code: 1009, message } });
});

it('a date or a value of a fixed size that is not a string has the code 1003', () => {
  expect(checkDate(20_270_131, 'since')).toMatchObject({ failure: { code: 1003 } });
  expect(checkSize(43, 'ResetToken', 2)).toMatchObject({ failure: { code: 1003 } });
});

it('a value of another size than the fixed one has the code 1007, with the size in the text', () => {
  expect(checkSize(' abc ', 'ResetToken', 3)).toEqual({ ok: true, value: 'abc' });
  for (const text of ['ab', 'abcd'])
    expect(checkSize(text, 'ResetToken', 3)).toEqual({
      ok: false,
      failure: { code: 1007, message: 'ResetToken must have 3 characters; send the whole value' },
    });
});
