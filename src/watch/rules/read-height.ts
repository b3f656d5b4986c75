/**
 * A height that a program printed, with commas or without; undefined for one beyond all that numbers can tell apart, as
 * 400 digits are.
 */
export function readHeight(text: string | undefined): number | undefined {
  const height = Number(text?.replaceAll(',', ''));
  return Number.isSafeInteger(height) ? height : undefined;
}
