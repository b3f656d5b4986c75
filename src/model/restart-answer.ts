/** Whether a node may be restarted now without costing its subnet a block. */
export interface RestartAnswer {
  readonly safe: boolean;
  /** False when it cannot be decided; then it is not safe either. */
  readonly known: boolean;
  /** Why, as the end of "because …". */
  readonly reason: string;
  /** How many masternodes a block needs, how many can vote, as the quorum of the subnet says, and how many of those may be missing. */
  readonly required?: number | undefined;
  readonly voting?: number | undefined;
  readonly headroom?: number | undefined;
}

/** What came of a question about a node: the answer, or why there is none. */
export type RestartResult =
  | ({ readonly kind: 'answer'; readonly subnet: string; readonly node: string } & RestartAnswer)
  /** The inventory has no such node. */
  | { readonly kind: 'unknown'; readonly error: string }
  /** The question does not say which node is meant. */
  | { readonly kind: 'ambiguous'; readonly error: string };

/** The answer as programs read it, at `/safe-to-restart` and from the command; numbers are null while they are not known. */
export interface RestartBody {
  readonly safe: boolean;
  /** Why, as the end of "because …". */
  readonly reason: string;
  readonly required: number | null;
  readonly voting: number | null;
  readonly headroom: number | null;
  /** False when it cannot be decided, so that it is not safe. */
  readonly known: boolean;
  readonly subnet: string;
  readonly node: string;
}

/** An answer in the shape for programs. */
export const toRestartBody = (answer: Extract<RestartResult, { kind: 'answer' }>): RestartBody => {
  const { safe, reason, required = null, voting = null, headroom = null, known, subnet, node } = answer;
  return { safe, reason, required, voting, headroom, known, subnet, node };
};
