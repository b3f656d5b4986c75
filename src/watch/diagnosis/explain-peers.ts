import { highest } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { listNames } from '../../lib/words.ts';
import { countPeers } from '../../model/facts.ts';
import { findContainer, START_MS } from '../../model/restart-cause.ts';
import type { ExplainedCheckState, TargetState } from '../../model/snapshot.ts';
import { ASKED_WITHIN_MS, checkOf, heardSince, isLossNew, isStopped } from './subnet-view.ts';
import { viewContainer, viewStart } from './view-node.ts';

/** Why a node may not be connected to all others, as said of one node and of several. */
const ABSENCES = {
  starts: ['has just started', 'have just started'],
  returns: ['is just back', 'are just back'],
  paused: ['is paused', 'are paused'],
  stopping: ['is being stopped', 'are being stopped'],
  down: ['does not run', 'do not run'],
  loops: ['ends again and again', 'end again and again'],
  silent: ['does not answer', 'do not answer'],
} as const;

type Absence = keyof typeof ABSENCES;

/** Whether a node can be read again for less than a minute. */
export function isBack(state: TargetState, now: number): boolean {
  const { verdict, since = 0, failures = 0 } = checkOf(state, 'latest_block') ?? {};
  return verdict !== 'fail' && failures > 0 && now - since < START_MS;
}

/** What the problems of a subnet say of who is just back. */
export interface Returns {
  /** The nodes whose own problem has ended, though they may still lag, and when. */
  readonly nodes: ReadonlyMap<string, number>;
  /** When it was last found that no node can be seen, or that the subnet is halted: who is well again since then was not away. */
  readonly allAt: number;
}

/** A node may count a peer that is gone until its next ping, which it sends so often (p2p/peer.go). */
const PING_MS = 15_000;

/** Whether a node has had all its peers since it came at a time: then it lacks one for another reason. */
export function hadPeers(state: TargetState, cameAt: number): boolean {
  const { verdict, since = 0, runs = 0, failures = 0 } = checkOf(state, 'peers') ?? {};
  const { at = cameAt } = state.facts.node?.returned ?? {};
  return verdict === 'fail' && runs > failures && since - Math.max(cameAt, at) >= PING_MS;
}

function findAbsence(state: TargetState, now: number, { nodes, allAt }: Returns): Absence | undefined {
  if (state.target.component !== 'node') return undefined;
  const container = viewContainer(state);
  if (container.kind === 'paused' || container.kind === 'stopping') return container.kind;
  if (isStopped({ container })) return 'down';
  const { isStarting, isLooping, startedAt = now } = viewStart(state, container, now);
  if (isLooping) return 'loops';
  if (isStarting) return hadPeers(state, startedAt) ? undefined : 'starts';
  const { observation, latest } = state.facts.node ?? {};
  const hasFailedToStart =
    latest !== undefined && latest.lastGoodAt < (findContainer(state.facts.container)?.startedAt ?? 0);
  // As the next diagnosis says of it.
  if (observation?.latest.ok === false && (observation.latest.fault.kind === 'timeout' || hasFailedToStart))
    return 'silent';
  const { since = now } = checkOf(state, 'latest_block') ?? {};
  const wasOfAll = since >= allAt && since - allAt < ASKED_WITHIN_MS;
  const backAt = nodes.get(state.target.name) ?? (isBack(state, now) && !wasOfAll ? since : undefined);
  return backAt !== undefined && now - backAt < START_MS && !hadPeers(state, backAt) ? 'returns' : undefined;
}

/** Who is absent for one of these reasons, as `subnet2 has just started, and subnet4 is just back`; empty without any. */
const describe = (absent: readonly (readonly [TargetState, Absence])[], ...kinds: readonly Absence[]): string =>
  kinds
    .flatMap((kind) => {
      const names = absent.flatMap(([{ target }, why]) => (why === kind ? [target.name] : []));
      return names.length === 0 ? [] : `${listNames(names)} ${ABSENCES[kind][names.length === 1 ? 0 : 1]}`;
    })
    .join(', and ');

/** What to do about a node with too few peers while it, or as many others as it misses, came a moment ago or do not run. */
function findFix(state: TargetState, absences: ReadonlyMap<TargetState, Absence>, isNew: boolean): string | undefined {
  const { target, facts } = state;
  const peers = countPeers(facts);
  if (target.component !== 'node' || peers === undefined) return undefined;
  const own = absences.get(state);
  const missing = target.expectedPeers - peers;
  if (absences.size - Number(own !== undefined) < missing) {
    if (own === 'starts' || own === 'returns') return `wait up to a minute: it ${ABSENCES[own][0]}`;
    return isNew ? 'wait a moment: not every other node has been asked since' : undefined;
  }
  const others = [...absences].filter(([one]) => one !== state);
  const joining = describe(others, 'starts', 'returns', 'stopping');
  const out = describe(others, 'paused', 'down', 'loops');
  const silent = describe(others, 'silent');
  const fixes = [
    joining && `wait up to a minute: ${joining}`,
    out && `${out}: the check container says why`,
    silent && `${silent}: the check latest_block says why`,
    // Which of them are its peers is not known.
    others.length > missing && `it misses ${missing} of them`,
  ];
  return fixes.filter(Boolean).join('; ');
}

const isUnexplained = ({ check, verdict, because }: ExplainedCheckState): boolean =>
  check === 'peers' && verdict === 'fail' && because === undefined;

/**
 * The targets with what to do about too few peers that no problem explains, where nodes that have just come, or that do not run, are why.
 * It is found among the states as they are now, as a check may be judged before the next diagnosis knows of a stopped node.
 */
export function explainPeers(targets: readonly TargetState[], returns: Returns): readonly TargetState[] {
  const unexplained = new Set(targets.filter(({ checks }) => checks.some(isUnexplained)));
  if (unexplained.size === 0) return targets;
  const now = highest([...unexplained].map((state) => checkOf(state, 'peers')?.lastRun ?? 0));
  const absent = collect(targets, (state) => {
    const why = findAbsence(state, now, returns);
    return why && ([state, why] as const);
  });
  const absences = new Map(absent);
  const heardFrom = Math.min(...targets.filter(({ target }) => target.component === 'node').map(heardSince));
  return targets.map((state) => {
    const fix = unexplained.has(state) ? findFix(state, absences, isLossNew(state, heardFrom, now)) : undefined;
    if (fix === undefined) return state;
    return { ...state, checks: state.checks.map((one) => (isUnexplained(one) ? { ...one, fix } : one)) };
  });
}
