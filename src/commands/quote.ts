/** A value in quotes, with every control character escaped: a terminal obeys those that JSON leaves as they are. */
export const quote = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
