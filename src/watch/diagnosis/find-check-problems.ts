import { formatDuration } from '../../lib/duration.ts';
import { listNames } from '../../lib/words.ts';
import type { ExplainedCheck, Suspicion } from '../../model/problem.ts';
import { PROBLEM_OF_CHECK } from '../../model/problem-catalog.ts';
import { findStart } from '../../model/restart-cause.ts';
import type { CheckName, CheckState, FailedCheck } from '../../model/verdict.ts';
import { isError } from '../rules/find-log-fault.ts';
import { hasOnlyEndedSigns } from './find-known-failures.ts';
import { findRefill } from './find-wallet-problem.ts';
import {
  ASKED_WITHIN_MS,
  isDockerSilent,
  isFromBefore,
  lacksPeers,
  type SubnetView,
  type TargetView,
  WAKE_DOCKER,
} from './subnet-view.ts';
import { explain, type Found, READ_FROM_NODE, refsTo, suspect, suspectTarget } from './suspect.ts';

const SUMMARY: Readonly<
  Record<Exclude<(typeof PROBLEM_OF_CHECK)[CheckName], undefined>, (name: string, check: CheckName) => string>
> = {
  peers_missing: (name) => `${name} lacks peers`,
  node_log_fault: (name) => `the log of ${name} shows a fault`,
  bootnode_misses_node: () => 'the bootnode does not hear every node',
  relayer_stopped: () => 'the relayer submits no blocks',
  service_down: (name) => `the ${name === 'stats' ? 'stats server' : name} does not answer as it should`,
  stats_stale: (_, check) =>
    `the stats server gets no ${check === 'history_data' ? 'history' : 'new blocks'} from the nodes`,
  frontend_errors: () => 'the frontend shows errors',
};

/** The problem that a failing check is by itself, if it is one. */
export const refOf = (one: ExplainedCheck) => refsTo(one, ...[PROBLEM_OF_CHECK[one.check] ?? []].flat());

/** A server that hangs was silent for seconds before that showed. */
const HANGS_MS = 11_000;

function toSuspicion(view: TargetView, { check, seen, fix, lastRun }: FailedCheck, subnet: SubnetView): Found {
  const problem = PROBLEM_OF_CHECK[check];
  if (problem === undefined) return undefined;
  const isDown = problem === 'service_down';
  // A server that does not answer explains what it does not show.
  const also = isDown ? (['logs', 'console', 'block_data', 'history_data'] as const) : [];
  const { state } = view;
  const { name } = state.target;
  const { observation } = state.facts.service ?? {};
  const [cause, summary] = (problem === 'relayer_stopped' ? subnet.relayer.cause : undefined) ?? [problem];
  const refill = problem === 'relayer_stopped' ? findRefill(seen, subnet) : undefined;
  return suspectTarget(cause, view, {
    summary: summary ?? SUMMARY[problem](name, check),
    evidence: refill?.seen ?? seen,
    readAt: lastRun,
    fix:
      isDown && isDockerSilent(view, subnet)
        ? `${WAKE_DOCKER}: the ports of its containers may have ended with it, and ${name} itself may run`
        : (refill?.fix ?? fix),
    explains: explain(view, check, ...also),
    confirmMs: isDown && observation?.ok === false && observation.fault.kind === 'timeout' ? HANGS_MS : undefined,
  });
}

/** The checks that see less than they could, as one finding: in a subnet as it is generated, every node has the same ones. */
function findDegraded(targets: readonly TargetView[]): Found {
  const isDegraded = ({ verdict }: CheckState) => verdict === 'degraded';
  if (!targets.some(({ state }) => state.checks.some(isDegraded))) return undefined;
  const degraded = targets.flatMap(({ state: { target, checks } }) =>
    checks.filter(isDegraded).map((check) => ({ ...check, name: target.name })),
  );
  const alike = Map.groupBy(degraded, ({ check }) => check);
  const evidence = [...alike.values()].map(([first, ...others]) => {
    const also = others.length === 0 ? '' : `; the same holds for ${listNames(others.map(({ name }) => name))}`;
    return `${first?.seen}${also}`;
  });
  // That of a container is its own health check, which fails.
  const [unhealthy, unseen] = [true, false].map((isOwn) => {
    const names = degraded.flatMap(({ check, name }) => ((check === 'container') === isOwn ? [name] : []));
    return listNames([...new Set(names)]);
  });
  const summaries = [
    unseen && `subnetd sees less of ${unseen} than it could`,
    unhealthy && `the health check of ${unhealthy} fails`,
  ];
  return suspect('check_degraded', {
    summary: summaries.filter(Boolean).join(', and '),
    evidence: evidence.join('; '),
    fix: [...alike.values()].map(([first]) => first?.fix).join('; '),
  });
}

/** The checks that fail for some minutes after an error in the log. */
const BY_ERRORS: readonly CheckName[] = ['log_block', 'logs', 'block_data', 'history_data'];

/**
 * Whether no error is in the log of a node, and its RPC shows the same height, or soon will, as no other node is above: the log misses
 * nothing, and that it stands is seen of the node or of all.
 */
function missesNothing({ state: { facts } }: TargetView, { reference, subnet, now }: SubnetView): boolean {
  const { node, patterns = {} } = facts.logs ?? {};
  const { latest } = facts.node ?? {};
  if (node?.height === undefined || reference === undefined || latest === undefined) return false;
  const { errorWindowMs } = subnet.settings.logs;
  const hasError = Object.values(patterns).some((one) => isError(one) && now - one.at < errorWindowMs);
  const isShown = latest.advancedAt - (node.advancedAt ?? 0) < ASKED_WITHIN_MS;
  return !hasError && ((isShown && node.height >= Math.max(reference, latest.number)) || node.height === latest.number);
}

/** The checks that may be a problem by themselves. Errors of a known failure that is over were reported with it. */
function takeFailing(view: TargetView, starting: ReadonlySet<string>, all: SubnetView): readonly FailedCheck[] {
  const { state } = view;
  const { target, facts } = state;
  if (target.component === 'node' && starting.has(target.name)) return [];
  // Right after the start of subnetd Docker has not said whether its container runs.
  if (target.container !== undefined && facts.container?.observation === undefined) return [];
  const waitsForNode = 'readsFrom' in target && target.readsFrom !== undefined && starting.has(target.readsFrom);
  const isNew = findStart(facts.container, all.now) !== undefined;
  const isOpen = (check: CheckState): check is FailedCheck =>
    check.verdict === 'fail' &&
    !(BY_ERRORS.includes(check.check) && hasOnlyEndedSigns(state, all.subnet.settings.logs.errorWindowMs, all.now)) &&
    !(waitsForNode && READ_FROM_NODE.includes(check.check)) &&
    // A node that joins has not spoken with the bootnode yet.
    !(check.check === 'messages' && all.joining.size > 0) &&
    !(check.check === 'peers' && (isFromBefore(view, 'peers') || !lacksPeers(view, all))) &&
    !(check.check === 'log_block' && missesNothing(view, all)) &&
    // It was probed, or its log was read, before its container was started, or before that could be seen.
    !(check.check === 'http' && (isFromBefore(view, 'http') || isNew)) &&
    !(check.check === 'submissions' && isNew && isFromBefore(view, 'submissions'));
  // Whether a service answers at all comes first, as that explains its other checks.
  return state.checks
    .filter(isOpen)
    .toSorted((one, other) => Number(other.check === 'http') - Number(one.check === 'http'));
}

/** What the stats server says of the chain, beside what the nodes say of it. */
export const findStatsProblems = ({ services, now }: SubnetView): readonly Suspicion[] =>
  services.flatMap((server) => {
    const { behind, reading } = server.state.facts.service?.stats ?? {};
    if (behind === undefined) return [];
    return suspectTarget('stats_stale', server, {
      summary: 'the stats server is behind the nodes',
      evidence: `its newest block is ${reading?.newest}, ${behind.blocks} below that of the nodes, for ${formatDuration(Math.max(now - behind.since, 0))}`,
      fix: 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes: none sends it blocks, or only one that is behind',
      explains: explain(server, 'block_data', 'history_data'),
    });
  });

/** The failing checks that no problem explains, each as a problem of its own, and checks that are degraded. */
export function findCheckProblems(view: SubnetView, explained: ReadonlySet<ExplainedCheck>): readonly Suspicion[] {
  const { targets, nodes } = view;
  // A node that has just started has neither found its peers nor read its log.
  const starting = new Set(nodes.filter(({ isStarting }) => isStarting).map(({ name }) => name));
  const isLeft = (each: ExplainedCheck) => !explained.has(each);
  const found = targets
    .filter(({ failing }) => failing.some(isLeft))
    .flatMap((one) => takeFailing(one, starting, view).map((check) => toSuspicion(one, check, view)));
  const own = found.filter((one) => one?.explains.some(isLeft));
  return [...own, findDegraded(targets)].filter((one) => one !== undefined);
}
