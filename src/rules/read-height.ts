/** A height that a program printed; undefined for one beyond all that numbers can tell apart, as 400 digits are. */
export function readHeight(text: string | undefined): number | undefined {
  const height = Number(text);
  return Number.isSafeInteger(height) ? height : undefined;
}
