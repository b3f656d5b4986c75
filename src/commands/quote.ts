/** What a terminal would obey or not show: escape sequences, turns of the direction, zero width, breaks of lines. */
const HIDDEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escapeUnits = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text that somebody else wrote, on one line, with each character that does not show as its `\u` escape. */
export const escapeText = (text: string): string => text.replace(HIDDEN, escapeUnits).replaceAll('\n', '\\u000a');

/** JSON that a terminal shows as it is; in JSON a line break stands between values only. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(HIDDEN, escapeUnits);

/** A value in quotes, for people. */
export const quote = (value: unknown): string => toJson(value);
