import { type Problem, type ProblemSeverity, problemKey, type Suspicion } from '../model/problem.ts';

/** How long a suspicion must last to be a problem, and how long it must be gone to be over, in milliseconds. */
export interface Patience {
  readonly severity: ProblemSeverity;
  readonly confirmMs: number;
  readonly clearMs: number;
}

/** By key. */
export type Problems<Name extends string> = ReadonlyMap<string, Problem<Name>>;

/** A suspicion that was not judged for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 60_000;

function raise<Name extends string>(
  before: Problem<Name> | undefined,
  found: Suspicion<Name>,
  { severity, confirmMs }: Patience,
  now: number,
): Problem<Name> {
  const { clearingSince: _, ...known } = before ?? {};
  const isNew = before === undefined || (before.openedAt === undefined && now - before.seenAt > UNSEEN_MS);
  // A clock that was set back must not delay a problem.
  const since = isNew ? now : Math.min(before.since, now);
  const openedAt = isNew ? undefined : before.openedAt;
  const base = { ...known, ...found, severity, since, seenAt: now };
  if (openedAt === undefined && now - since < confirmMs) return { ...base, state: 'suspected' };
  return { ...base, state: 'open', openedAt: openedAt ?? now };
}

/** A problem that is not found any more; undefined when it is over. */
function clear<Name extends string>(
  before: Problem<Name>,
  { clearMs }: Patience,
  now: number,
): Problem<Name> | undefined {
  if (before.state === 'suspected') return undefined;
  const clearingSince = Math.min(before.clearingSince ?? now, now);
  return now - clearingSince >= clearMs ? undefined : { ...before, state: 'clearing', clearingSince };
}

/** Brings the problems of a subnet up to date with what was found at `now`. */
export function followProblems<Name extends string>(
  before: Problems<Name>,
  found: readonly Suspicion<Name>[],
  patienceOf: (problem: Name) => Patience,
  now: number,
): Problems<Name> {
  const after = new Map<string, Problem<Name>>();
  for (const one of found) {
    const key = problemKey(one);
    after.set(key, raise(before.get(key), one, patienceOf(one.problem), now));
  }
  for (const [key, problem] of before) {
    if (after.has(key)) continue;
    const cleared = clear(problem, patienceOf(problem.problem), now);
    if (cleared !== undefined) after.set(key, cleared);
  }
  return after;
}
