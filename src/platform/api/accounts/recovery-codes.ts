import { randomBytes } from 'node:crypto';

/** Crockford's base32: no letter looks like a digit. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

const CODES = 10;
const LETTERS_EACH = 15;

const withDashes = (code: string): string => (code.match(/.{4}/g) ?? []).join('-');

/** New recovery codes of 75 bits, as in `3k7f-9q2m-x4tb-12ab`. The first character is the place in the list. */
export const makeRecoveryCodes = (): readonly string[] =>
  Array.from({ length: CODES }, (_, place) => {
    const letters = [...randomBytes(LETTERS_EACH)].map((byte) => LETTERS[byte & 31]);
    return withDashes(`${place}${letters.join('')}`);
  });

/** The code as it was made, and its place in the list; undefined for a text of another form. */
export function parseRecoveryCode(text: string): { readonly place: number; readonly code: string } | undefined {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  if (!new RegExp(`^\\d[${LETTERS}]{${LETTERS_EACH}}$`).test(letters)) return undefined;
  return { place: Number(letters[0]), code: withDashes(letters) };
}
