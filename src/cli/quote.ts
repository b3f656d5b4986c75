/** Characters that a terminal obeys or hides: escape sequences, changes of direction, zero width, line breaks. */
const HIDDEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escapeUnits = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A foreign text on one line, with each hidden character as its `\u` escape. */
export const escapeText = (text: string): string => text.replace(HIDDEN, escapeUnits).replaceAll('\n', '\\u000a');

/** JSON that a terminal shows as it is. Line breaks of JSON are between values only, so they stay. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(HIDDEN, escapeUnits);

/** A value in quotes, for people. */
export const quote = (value: unknown): string => toJson(value);
