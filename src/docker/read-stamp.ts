/** Docker's timestamps always have nine digits and are in UTC, so they compare as text. */
export const STAMP_BYTES = '2026-11-21T09:00:00.000000000Z '.length;
const SECOND_BYTES = '2026-11-21T09:00:00'.length;
const ZERO = 0x30;

/** Reads the second of timestamps, in Unix milliseconds; consecutive ones often share it. */
export function createSecondReader(): (text: string) => number {
  let second: string | undefined;
  let at = 0;
  return (text) => {
    if (second === undefined || !text.startsWith(second)) {
      second = text.slice(0, SECOND_BYTES);
      at = Date.parse(`${second}Z`);
    }
    return at;
  };
}

/** Reads the nine digits after the second. This runs for each line, so it makes no text of them. */
export function readNanos(text: string): number {
  let nanos = 0;
  for (let at = SECOND_BYTES + 1; at < SECOND_BYTES + 10; at++) nanos = nanos * 10 + text.charCodeAt(at) - ZERO;
  return nanos;
}
