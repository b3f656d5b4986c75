/** When a masternode makes its blocks, in milliseconds, as long as no round times out. */
export interface Turn {
  /** Until its next block. */
  readonly nextTurnMs: number;
  /** From one of its blocks to the next. */
  readonly turnEveryMs: number;
  /** How long its container took to end when it was last stopped on request, else the slowest of the others; absent while none was. */
  readonly stopMs?: number | undefined;
}

/** Whether a node may be restarted now without costing its subnet a block. */
export interface RestartAnswer extends Partial<Turn> {
  readonly safe: boolean;
  /** False when it cannot be decided; then it is not safe either. */
  readonly known: boolean;
  /** Why, as the end of "because …". */
  readonly reason: string;
  /** How many masternodes a block needs, how many can vote, without those that have just started, and how many of those may be missing. */
  readonly required?: number | undefined;
  readonly voting?: number | undefined;
  readonly headroom?: number | undefined;
  /** Why the node itself is not relied on, as after a restart; absent when it is. */
  readonly unready?: string | undefined;
  /** The container that Docker has for it, and when that was started, in Unix milliseconds. */
  readonly container?: { readonly name: string; readonly startedAt?: number | undefined } | undefined;
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
  /** Null for a node that has no turns, or whose restart costs no vote anyway. */
  readonly nextTurnMs: number | null;
  readonly turnEveryMs: number | null;
  readonly stopMs: number | null;
  /** Why the node itself is not relied on, as after a restart; null when it is. */
  readonly unready: string | null;
  readonly container: string | null;
  /** When that was started, in ISO 8601. */
  readonly startedAt: string | null;
}

/** An answer in the shape for programs. */
export const toRestartBody = (answer: Extract<RestartResult, { kind: 'answer' }>): RestartBody => {
  const { safe, reason, required = null, voting = null, headroom = null, known, subnet, node } = answer;
  const { nextTurnMs = null, turnEveryMs = null, stopMs = null, unready = null, container } = answer;
  return {
    ...{ safe, reason, required, voting, headroom, known, subnet, node },
    ...{ nextTurnMs, turnEveryMs, stopMs, unready },
    container: container?.name ?? null,
    startedAt: container?.startedAt === undefined ? null : new Date(container.startedAt).toISOString(),
  };
};
