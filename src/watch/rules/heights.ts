/**
 * A height that a program printed, with commas or without; undefined for one beyond all that numbers can tell apart, as
 * 400 digits are.
 */
export function readHeight(text: string | undefined): number | undefined {
  const height = Number(text?.replaceAll(',', ''));
  return Number.isSafeInteger(height) ? height : undefined;
}

/** A height this far above the others is no lead: the chain makes about that many blocks in half an hour. */
const NOT_CREDIBLE_BLOCKS = 1_000;

/** Can a node have this height, given the one that at least half of the nodes have reached? */
export const isCredible = (height: number, reference: number | undefined): boolean =>
  reference === undefined || height - reference <= NOT_CREDIBLE_BLOCKS;
