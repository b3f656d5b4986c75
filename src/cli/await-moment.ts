import { formatDuration } from '../lib/duration.ts';
import type { RestartBody } from '../model/restart-answer.ts';
import { escapeText } from './report.ts';

/** What came of a question whether a node may be restarted. */
export type Answer =
  | { readonly kind: 'yes' | 'no' | 'unknown'; readonly reason: string; readonly body?: RestartBody }
  /** Waiting changes nothing. */
  | { readonly kind: 'refused'; readonly reason: string; readonly body?: undefined };

/** How a command waits. Times are in milliseconds. */
export interface Waiting {
  readonly ask: (node: string) => Promise<Answer>;
  /** Rejects when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Never goes back. */
  readonly now: () => number;
  /** From one question to the next. */
  readonly everyMs: number;
  /** Says what is waited for, each time that it changes. */
  readonly tell: (node: string, reason: string) => void;
}

/** The reason without its durations, which change all the time. */
const toPattern = (reason: string): string => reason.replaceAll(/(?:\b\d+(?:ms|s|m|h)\b ?)+/g, '');

/** Says what is waited for when it is something else than before. */
export function tellChanges(tell: Waiting['tell'], node: string): (reason: string) => void {
  let told: string | undefined;
  return (reason) => {
    const text = escapeText(reason);
    if (toPattern(text) !== told) tell(node, text);
    told = toPattern(text);
  };
}

/** A block has come to the others this long after its turn. */
const AFTER_TURN_MS = 1_000;

/** A turn has just passed for this long, and for a tenth of the time from one turn to the next. */
const JUST_MS = 2_000;

/** How long until a node that is asked to stop ends right after a turn of its own; 0 for now, and for one without turns. */
function untilBest({ nextTurnMs, turnEveryMs, stopMs }: Partial<RestartBody>): number {
  if (typeof nextTurnMs !== 'number' || typeof turnEveryMs !== 'number') return 0;
  const passed = (turnEveryMs - nextTurnMs + (stopMs ?? 0)) % turnEveryMs;
  return passed <= Math.max(JUST_MS, turnEveryMs / 10) ? 0 : turnEveryMs - passed + AFTER_TURN_MS;
}

/** From here on a stop is waited for, and not just how a process ends. */
const SLOW_STOP_MS = 1_000;

/** What is waited for. */
const describeBest = (pauseMs: number, stopMs: number): string =>
  stopMs < SLOW_STOP_MS
    ? `its turn to make a block is in ${formatDuration(pauseMs)}, and right after that is the best moment`
    : `the best moment is in ${formatDuration(pauseMs)}: its container takes ${formatDuration(stopMs)} to stop, and then ends right after its turn to make a block`;

/**
 * Asks until the answer is yes and the node would end right after its own turn, so that a restart is over before the next one; at most for
 * two turns more. Resolves to the last answer, at the end of the time whatever it is.
 */
export async function awaitMoment(node: string, end: number, waiting: Waiting): Promise<Answer> {
  const { ask, sleep, now, everyMs } = waiting;
  const tell = tellChanges(waiting.tell, node);
  let turnsEnd: number | undefined;
  for (;;) {
    const answer = await ask(node);
    const { kind, reason, body = {} as Partial<RestartBody> } = answer;
    if (kind === 'refused') return answer;
    if (kind !== 'yes') {
      turnsEnd = undefined;
      if (now() + everyMs > end) return answer;
      tell(reason);
      await sleep(everyMs);
      continue;
    }
    const pauseMs = untilBest(body);
    turnsEnd ??= now() + 2 * (body.turnEveryMs ?? 0);
    if (pauseMs === 0 || now() + pauseMs > Math.min(end, turnsEnd)) return answer;
    tell(describeBest(pauseMs, body.stopMs ?? 0));
    await sleep(pauseMs);
  }
}
