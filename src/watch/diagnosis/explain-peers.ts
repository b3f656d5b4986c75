import { highest } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { listNames } from '../../lib/words.ts';
import { isLooping as crashesAgain, START_MS } from '../../model/restart-cause.ts';
import type { ExplainedCheckState, TargetState } from '../../model/snapshot.ts';
import { ASKED_WITHIN_MS, checkOf, countMissing, findsPeers, heardSince, isLossNew, isStopped } from './subnet-view.ts';
import { viewContainer, viewStart } from './view-node.ts';

/** Why a node that runs may not be connected to all others, as said of one node and of several. */
const COMES = {
  starts: ['has just started', 'have just started'],
  returns: ['is just back', 'are just back'],
  finds: ['is finding its peers', 'are finding their peers'],
  loops: ['ends again and again', 'end again and again'],
} as const;

type Coming = keyof typeof COMES;

/** How each of the nodes came that came a moment ago, or comes again and again, by name. */
type ComingNodes = ReadonlyMap<string, Coming>;

/** When a node answered again, if that is less than a minute ago. One that only stood while it answered was not away. */
function findReturn({ facts: { node } }: TargetState, now: number): number | undefined {
  const { observation, returned } = node ?? {};
  return observation?.answered === true && returned !== undefined && now - returned.at < START_MS
    ? returned.at
    : undefined;
}

/** Whether a node answers again for less than a minute. */
export const isBack = (state: TargetState, now: number): boolean => findReturn(state, now) !== undefined;

/** What the problems of a subnet say of who is just back. */
export interface Returns {
  /** The nodes whose own problem has ended, though they may still lag, and when. */
  readonly nodes: ReadonlyMap<string, number>;
  /** When it was last found that no node can be seen: who answers again since then was not away. */
  readonly blindAt: number;
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

function findHow(state: TargetState, now: number, { nodes, blindAt }: Returns): Coming | undefined {
  const { target, facts } = state;
  const container = viewContainer(state);
  const { isStarting, isLooping, startedAt = now } = viewStart(state, container, now);
  // One that waits for its next restart does so too.
  if (isLooping || (isStopped({ container }) && crashesAgain(facts.container, now))) return 'loops';
  if (isStarting) return hadPeers(state, startedAt) ? undefined : 'starts';
  // It may have ended since its last answer.
  if (facts.node?.observation.answered !== true || isStopped({ container })) return undefined;
  const answeredAt = findReturn(state, now);
  const wasOfAll = answeredAt !== undefined && answeredAt >= blindAt && answeredAt - blindAt < ASKED_WITHIN_MS;
  const backAt = nodes.get(target.name) ?? (wasOfAll ? undefined : answeredAt);
  if (backAt !== undefined && now - backAt < START_MS && !hadPeers(state, backAt)) return 'returns';
  return findsPeers(state, now) ? 'finds' : undefined;
}

/** The nodes that came a moment ago, or loop, where any node lacks peers. */
export function findComing(targets: readonly TargetState[], returns: Returns): ComingNodes {
  const lacking = targets.filter((state) => checkOf(state, 'peers')?.verdict === 'fail');
  const now = highest(lacking.map((state) => checkOf(state, 'peers')?.lastRun ?? 0));
  const come = (state: TargetState) => {
    const how = state.target.component === 'node' ? findHow(state, now, returns) : undefined;
    return how && ([state.target.name, how] as const);
  };
  return new Map(lacking.length === 0 ? [] : collect(targets, come));
}

/** Who comes, as `subnet2 has just started, and subnet4 is just back`. */
const describe = (coming: readonly (readonly [string, Coming])[]): string =>
  [...Map.groupBy(coming, ([, how]) => how)]
    .map(([how, ones]) => `${listNames(ones.map(([name]) => name))} ${COMES[how][ones.length === 1 ? 0 : 1]}`)
    .join(', and ');

/** Who came of those whom a node misses beside the named ones, or the node itself; empty where these are as many as it misses. */
export function describeOthers(
  state: TargetState,
  named: ReadonlySet<string | undefined>,
  coming: ComingNodes,
): string {
  if (named.size >= countMissing(state)) return '';
  const came = [...coming].filter(([one, how]) => how !== 'finds' && !named.has(one));
  const own = came.filter(([one]) => one === state.target.name);
  const also = own.length > 0 ? own : came;
  return also.length === 0 ? '' : `, and ${describe(also)}`;
}

/** What to do about a node with too few peers while it, or as many others as it misses, came a moment ago. */
function findFix(state: TargetState, coming: ComingNodes, isNew: boolean): string | undefined {
  const missing = countMissing(state);
  if (missing <= 0) return undefined;
  const { name } = state.target;
  const own = coming.get(name);
  // No time helps against a loop.
  const all = [...coming].filter(([one, how]) => one !== name && how !== 'loops');
  const came = all.filter(([, how]) => how !== 'finds');
  const others = came.length < missing ? all : came;
  if (others.length < missing) {
    if (own !== undefined && own !== 'loops') return `wait up to a minute: it ${COMES[own][0]}`;
    return isNew ? 'wait a moment: not every other node has been asked since' : undefined;
  }
  // Which of them are its peers is not known.
  const some = others.length > missing ? `; it misses ${missing} of them` : '';
  return `wait up to a minute: ${describe(others)}${some}`;
}

const isUnexplained = ({ check, verdict, because }: ExplainedCheckState): boolean =>
  check === 'peers' && verdict === 'fail' && because === undefined;

/** The targets with what to do about too few peers that no problem explains, where nodes that have just come are why. */
export function explainPeers(targets: readonly TargetState[], coming: ComingNodes): readonly TargetState[] {
  const unexplained = new Set(targets.filter(({ checks }) => checks.some(isUnexplained)));
  if (unexplained.size === 0) return targets;
  const now = highest([...unexplained].map((state) => checkOf(state, 'peers')?.lastRun ?? 0));
  const heardFrom = Math.min(...targets.filter(({ target }) => target.component === 'node').map(heardSince));
  return targets.map((state) => {
    const fix = unexplained.has(state) ? findFix(state, coming, isLossNew(state, heardFrom, now)) : undefined;
    if (fix === undefined) return state;
    return { ...state, checks: state.checks.map((one) => (isUnexplained(one) ? { ...one, fix } : one)) };
  });
}
