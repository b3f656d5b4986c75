import type { Capsule, CapsuleTarget, Incident } from '../../model/incident.ts';
import type { LastLines } from '../../model/last-lines.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import { subjectKey, type Target } from '../../model/target.ts';
import { formatReason } from '../../model/verdict.ts';
import { findExchanges } from '../../watch/clients/find-exchanges.ts';

/** At most this many targets are in a capsule. */
const MOST_TARGETS = 50;
/** In the capsule of a whole subnet are the logs of at most this many nodes. */
const MOST_CAUSES = 3;
/** The last lines of each log that are in a capsule. */
const LINES = 50;
/** In the capsules of these are double votes. */
const ABOUT_VOTES: readonly ProblemName[] = ['double_vote', 'key_shared'];
/** The largest size of a capsule as JSON, in bytes. */
export const MOST_BYTES = 64 * 1_024;

const isSubject = ({ target }: TargetState, { component, name }: Incident): boolean =>
  target.component === component && target.name === name;

const containerOf = ({ facts }: TargetState, toWall: (at: number) => number): CapsuleTarget['container'] => {
  const { observation, restarts = 0, oomKills = 0, lastExit } = facts.container ?? {};
  if (observation?.kind !== 'found') return undefined;
  const { status, exitCode = lastExit?.code, memoryBytes, memoryLimitBytes, startedAt } = observation.container;
  return {
    status,
    restarts,
    oomKills,
    ...(exitCode !== undefined && { exitCode }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
    ...(startedAt !== undefined && { startedAt: toWall(startedAt) }),
  };
};

function toTarget(
  state: TargetState,
  { subnet, members = [] }: SubnetState,
  withChain: boolean,
  toWall: (at: number) => number,
): CapsuleTarget {
  const { target, facts, checks } = state;
  const { component, name } = target;
  const { latest, committed, observation } = facts.node ?? {};
  const vote = component === 'node' ? members.find((one) => one.name === name)?.vote : undefined;
  const container = containerOf(state, toWall);
  return {
    component,
    name,
    ...(vote !== undefined && { vote }),
    ...(latest !== undefined && { height: latest.number }),
    ...(committed !== undefined && { committed: committed.number }),
    ...(observation?.peers?.ok && { peers: observation.peers.value.count }),
    ...(target.component === 'node' && { expectedPeers: target.expectedPeers }),
    checks: checks
      .filter(({ verdict }) => verdict !== 'skipped')
      .map((check) => ({
        check: check.check,
        verdict: check.verdict,
        reason: formatReason(check),
        ...(check.durationSeconds !== undefined && { tookMs: Math.round(check.durationSeconds * 1_000) }),
      })),
    ...(container && { container }),
    exchanges: findExchanges(state, subnet.consensus)
      .filter(({ kind }) => withChain || kind !== 'chain')
      .map((one) => ({ ...one, at: toWall(one.at) })),
  };
}

/** The subject first, then those with problems, then those with a failing check, then the other nodes. */
function chooseTargets({ problems, targets }: SubnetState, incident: Incident): readonly TargetState[] {
  const withProblem = new Set(problems.map(subjectKey));
  const rank = (state: TargetState): number => {
    if (isSubject(state, incident)) return 0;
    if (withProblem.has(subjectKey(state.target))) return 1;
    if (state.checks.some(({ verdict }) => verdict === 'fail')) return 2;
    return state.target.component === 'node' ? 3 : 4;
  };
  return targets.toSorted((one, other) => rank(one) - rank(other));
}

/** What is known of a subnet when an incident begins, without logs. */
export function takeCapsule(
  state: SubnetState,
  incident: Incident,
  at: number,
  toWall: (at: number) => number,
): Capsule {
  const chosen = chooseTargets(state, incident).slice(0, MOST_TARGETS);
  const { recent = [] } = state.facts?.doubleVotes ?? {};
  return {
    at,
    ...(recent.length > 0 &&
      ABOUT_VOTES.includes(incident.problem) && {
        doubleVotes: recent.map((one) => ({ ...one, at: toWall(one.at) })),
      }),
    ...(state.quorum && { quorum: state.quorum }),
    ...(state.reference !== undefined && { reference: state.reference }),
    targets: chosen.map((one) => toTarget(one, state, isSubject(one, incident), toWall)),
    omitted: state.targets.length - chosen.length,
    logs: [],
  };
}

/** The targets whose last log lines belong into the capsule: the subject, or up to three nodes that may have brought it. */
export function chooseLogs({ problems, targets }: SubnetState, incident: Incident): readonly Target[] {
  if (incident.name !== undefined) return targets.filter((one) => isSubject(one, incident)).map(({ target }) => target);
  const nodes = targets.flatMap(({ target }) => (target.component === 'node' ? [target] : []));
  const isBad = (node: Target) =>
    problems.some(({ component, name, severity }) => severity !== 'info' && component === 'node' && name === node.name);
  const causes = nodes.filter(isBad).slice(0, MOST_CAUSES);
  return causes.length > 0 ? causes : nodes.slice(0, 1);
}

/** Reads the last lines of logs; it never rejects. */
export type ReadLastLines = (target: Target, count: number) => Promise<LastLines>;

/** The logs of a capsule. */
export const readLogs = (targets: readonly Target[], readLastLines: ReadLastLines): Promise<Capsule['logs']> =>
  Promise.all(
    targets.map(async (target) => {
      const read = await readLastLines(target, LINES);
      return { name: target.name, ...(read.ok ? { lines: read.lines } : { lines: [], why: read.why }) };
    }),
  );

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** A capsule that is not too large: the oldest lines of its longest log go first, then what the last targets answered. */
export function boundCapsule(capsule: Capsule, limit = MOST_BYTES): Capsule {
  const logs = capsule.logs.map((log) => ({ ...log, lines: [...log.lines] }));
  let left = sizeOf(capsule) - limit;
  while (left > 0) {
    const longest = logs.toSorted((one, other) => other.lines.length - one.lines.length)[0];
    const line = longest?.lines.shift();
    if (line === undefined) break;
    left -= sizeOf(line) + 1;
  }
  const targets = [...capsule.targets];
  const isTooLarge = () => sizeOf({ ...capsule, logs, targets }) > limit;
  for (let index = targets.length - 1; index > 0 && isTooLarge(); index -= 1) {
    const target = targets[index];
    if (target !== undefined) targets[index] = { ...target, exchanges: [] };
  }
  while (targets.length > 1 && isTooLarge()) targets.pop();
  return { ...capsule, logs, targets, omitted: capsule.omitted + capsule.targets.length - targets.length };
}
