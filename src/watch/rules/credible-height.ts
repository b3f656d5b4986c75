/** A height this far above the others is no lead: the chain makes about that many blocks in half an hour. */
const NOT_CREDIBLE_BLOCKS = 1_000;

/** Can a node have this height, given the one that at least half of the nodes have reached? */
export const isCredible = (height: number, reference: number | undefined): boolean =>
  reference === undefined || height - reference <= NOT_CREDIBLE_BLOCKS;
