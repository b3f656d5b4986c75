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

/** 0: success; 1: a check failed, or something broke; 2: wrong usage or a bad configuration. */
export type ExitCode = 0 | 1 | 2;

/** Writes a line of output. */
export const printLine = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Writes errors and warnings for a person to stderr, one per line. */
export function report(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
}

/** Reports why a command line is refused, under the name of its command; its exit code. */
export function refuse(command: string, ...errors: readonly string[]): 2 {
  report(errors.map((error) => `${command}: ${error}`));
  return 2;
}

/** Why an address could not be bound, as a sentence with a remedy. */
export function describeBindError(error: unknown, address: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `subnetd: ${address} is in use already; stop what listens there, or choose another with --listen`;
  if (code === 'EACCES')
    return `subnetd: ${address} cannot be bound by this user; choose a port above 1023 with --listen`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `subnetd: ${address} is not an address of this machine; choose another with --listen`;
  return `subnetd: cannot listen on ${address}: ${message}`;
}
