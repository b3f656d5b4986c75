import { highest } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { listNames } from '../../lib/words.ts';
import { START_MS } from '../../model/restart-cause.ts';
import type { ExplainedCheckState, TargetState } from '../../model/snapshot.ts';
import { ASKED_WITHIN_MS, awaitsPeers, checkOf, countMissing, heardSince, isLossNew } from './subnet-view.ts';
import { viewContainer, viewStart } from './view-node.ts';

/** Why a node that runs may not be connected to all others yet, as said of one node and of several. */
const COMES = {
  starts: ['has just started', 'have just started'],
  returns: ['is just back', 'are just back'],
} as const;

type Coming = keyof typeof COMES;

/** Whether a node can be read again for less than a minute. */
export function isBack(state: TargetState, now: number): boolean {
  const { verdict, since = 0, failures = 0 } = checkOf(state, 'latest_block') ?? {};
  return verdict !== 'fail' && failures > 0 && now - since < START_MS;
}

/** What the problems of a subnet say of who is just back. */
export interface Returns {
  /** The nodes whose own problem has ended, though they may still lag, and when. */
  readonly nodes: ReadonlyMap<string, number>;
  /** When it was last found that no node can be seen: who is well again since then was not away. */
  readonly blindAt: number;
  /** The same of a halt, but for who did not answer in it. */
  readonly haltedAt: number;
}

/** A node may count a peer that is gone until its next ping, which it sends so often (p2p/peer.go). */
const PING_MS = 15_000;

/** Whether a node has had all its peers since it came at a time: then it, or another one, lacks one for another reason. */
export function hadPeers(state: TargetState, cameAt: number): boolean {
  const { verdict, since = 0, lastRun = 0, runs = 0, failures = 0 } = checkOf(state, 'peers') ?? {};
  const { at = cameAt } = state.facts.node?.returned ?? {};
  const from = Math.max(cameAt, at);
  // While it has them, others have been asked since it got them.
  if (verdict === 'pass') return lastRun - from >= ASKED_WITHIN_MS;
  return verdict === 'fail' && runs > failures && since - from >= PING_MS;
}

function findComing(state: TargetState, now: number, { nodes, blindAt, haltedAt }: Returns): Coming | undefined {
  const { target, facts } = state;
  const { isStarting, startedAt = now } = viewStart(state, viewContainer(state), now);
  if (isStarting) return target.component !== 'node' || hadPeers(state, startedAt) ? undefined : 'starts';
  if (facts.node?.observation.answered !== true) return undefined;
  const { since = now } = checkOf(state, 'latest_block') ?? {};
  const allAt = awaitsPeers(state, now) ? blindAt : Math.max(blindAt, haltedAt);
  const wasOfAll = since >= allAt && since - allAt < ASKED_WITHIN_MS;
  const backAt = nodes.get(target.name) ?? (isBack(state, now) && !wasOfAll ? since : undefined);
  return backAt !== undefined && now - backAt < START_MS && !hadPeers(state, backAt) ? 'returns' : undefined;
}

/** Who comes, as `subnet2 has just started, and subnet4 is just back`. */
const describe = (coming: readonly (readonly [TargetState, Coming])[]): string =>
  [...Map.groupBy(coming, ([, how]) => how)]
    .map(
      ([how, ones]) => `${listNames(ones.map(([{ target }]) => target.name))} ${COMES[how][ones.length === 1 ? 0 : 1]}`,
    )
    .join(', and ');

/** What to do about a node with too few peers while it, or as many others as it misses, came a moment ago. */
function findFix(state: TargetState, coming: ReadonlyMap<TargetState, Coming>, isNew: boolean): string | undefined {
  const missing = countMissing(state);
  if (missing <= 0) return undefined;
  const own = coming.get(state);
  const others = [...coming].filter(([one]) => one !== state);
  if (others.length < missing) {
    if (own !== undefined) return `wait up to a minute: it ${COMES[own][0]}`;
    return isNew ? 'wait a moment: not every other node has been asked since' : undefined;
  }
  // Which of them are its peers is not known.
  const some = others.length > missing ? `; it misses ${missing} of them` : '';
  return `wait up to a minute: ${describe(others)}${some}`;
}

const isUnexplained = ({ check, verdict, because }: ExplainedCheckState): boolean =>
  check === 'peers' && verdict === 'fail' && because === undefined;

/** The targets with what to do about too few peers that no problem explains, where nodes that have just come are why. */
export function explainPeers(targets: readonly TargetState[], returns: Returns): readonly TargetState[] {
  const unexplained = new Set(targets.filter(({ checks }) => checks.some(isUnexplained)));
  if (unexplained.size === 0) return targets;
  const now = highest([...unexplained].map((state) => checkOf(state, 'peers')?.lastRun ?? 0));
  const coming = new Map(
    collect(targets, (state) => {
      const how = findComing(state, now, returns);
      return how && ([state, how] as const);
    }),
  );
  const heardFrom = Math.min(...targets.filter(({ target }) => target.component === 'node').map(heardSince));
  return targets.map((state) => {
    const fix = unexplained.has(state) ? findFix(state, coming, isLossNew(state, heardFrom, now)) : undefined;
    if (fix === undefined) return state;
    return { ...state, checks: state.checks.map((one) => (isUnexplained(one) ? { ...one, fix } : one)) };
  });
}
