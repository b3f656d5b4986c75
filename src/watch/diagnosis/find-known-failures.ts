import { formatMoment, type Moment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount, formatTimes, joinAnd } from '../../lib/words.ts';
import type { PatternFacts } from '../../model/facts.ts';
import type { Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { findCrashes, findStart, isStartedAgain, LOOP_MS, START_MS } from '../../model/restart-cause.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';
import { fixOf } from '../clients/clients.ts';
import { commandToReplace } from '../clients/commands-to-type.ts';
import { bringsLoop } from '../rules/failure-signs.ts';
import { explainLast, isError } from '../rules/find-log-fault.ts';
import { setMode } from '../rules/judge-submissions.ts';
import { findFall, hasLostData, MORE_MEMORY } from '../rules/known-failures.ts';
import { JUST_STARTED } from '../rules/view.ts';
import { withWallet } from './find-wallet-problem.ts';
import { checkOf, isStopped, type SubnetView, type TargetView } from './subnet-view.ts';
import { explain, explainAll, refsTo, suspectTarget } from './suspect.ts';

/**
 * What the log says that shows the failure: how often since subnetd started, and when last. A node says one thing in several ways, and not
 * all of them each time: what it has said most often has the count.
 */
function describeSigns({ signs = [] }: ShownFailure, { target, facts }: TargetState, moment: Moment) {
  const shown = signs.flatMap((name) => facts.logs?.patterns[name] ?? []).sort((one, other) => other.order - one.order);
  const lastAt = highest(shown.map(({ at }) => at));
  const [most] = shown.filter(({ at }) => lastAt - at < LOOP_MS).sort((one, other) => other.count - one.count);
  const told = most && target.component === 'node' ? [{ ...most, at: lastAt }] : shown;
  const where = facts.logs?.isBehind ? ' in what is read so far' : '';
  return told.map(({ what, count, at }) => {
    const times = count === 0 ? '' : ` ${formatTimes(count)} since subnetd began to read it,`;
    return `its log says that ${what},${times} last ${formatMoment(at, moment)}${where}`;
  });
}

/** Nodes are set back one after another, and then started. */
const SET_BACK_MS = 5 * 60_000;

/** What shows a failure besides the lines of its patterns, and what replaces its texts, by what else is seen of its target. */
type Own = Partial<Pick<ShownFailure, 'cause' | 'fix'>> & { readonly seen?: string };

const OWN: Readonly<Partial<Record<ProblemName, (state: TargetState, view: SubnetView) => Own>>> = {
  out_of_memory: ({ facts: { container } }, moment) => {
    const { oomKills = 0, lastOomAt, unrequestedKill: kill } = container ?? {};
    const kills = `${formatCount(oomKills, 'out-of-memory kill', 'out-of-memory kills')} since subnetd started`;
    if (oomKills > 0 && lastOomAt !== undefined)
      return { seen: `Docker counted ${kills}, last ${formatMoment(lastOomAt, moment)}`, fix: MORE_MEMORY };
    return kill ? { seen: `SIGKILL ended it ${formatMoment(kill.at, moment)}, and nobody had requested that` } : {};
  },
  head_regression: ({ facts }, view) => {
    const fall = findFall(facts);
    const seen = fall && `its height fell from ${fall.from} to ${fall.to} ${formatMoment(fall.at, view)}`;
    const { at: rewoundAt = Number.NaN } = facts.logs?.patterns.rewound ?? {};
    // In this run or before its last start.
    if (fall && Math.abs(fall.at - rewoundAt) < SET_BACK_MS)
      return {
        seen,
        cause: 'Its head was set back, as by debug_setHead, which its log says.',
        fix: 'nothing, if that was done on purpose; if not, find out who may call debug_setHead of it',
      };
    if (!hasLostData(facts)) return { seen };
    if (fall && !view.nodes.some(({ height }) => height && height.number * 2 > fall.from))
      return {
        seen,
        cause: 'It began with an empty data folder, and no node that answers has the blocks.',
        fix: 'wait until the others answer: if none of them has the blocks, the network begins anew',
      };
    return {
      seen,
      cause: 'It began with an empty data folder, so it takes all blocks from the others again.',
      fix: 'wait until it has caught up; if nobody emptied the folder, see that the volume of its container is the one of before',
    };
  },
  // The log may say why the program ended.
  relayer_dead: ({ target, facts: { logs } }, moment) => {
    const { at, because = '' } = logs?.relayer?.died ?? {};
    const after = because === '' ? '' : `, after a line of ${because}`;
    const seen = at === undefined ? undefined : `its process ended ${formatMoment(at, moment)}${after}`;
    const { what, fix } = logs?.patterns[because] ?? {};
    if (what === undefined || fix === undefined) return { seen };
    return {
      seen,
      cause: `The process of the relayer has ended, but redis keeps the container alive: ${what}.`,
      fix: `${fix.replace(/,? and (?:restart the container|recreate it)$/, '')}, then ${commandToReplace(target.container)}`,
    };
  },
  relayer_redis_dead: ({ target, facts: { logs } }, moment) => ({
    seen: `its redis ended ${formatMoment(logs?.relayer?.redisDiedAt ?? moment.now, moment)}`,
    fix: `${commandToReplace(target.container)}, and check its memory`,
  }),
  // It may be seen which variables its container was made without.
  relayer_idle: ({ facts: { logs } }, moment) => {
    const at = logs?.relayer?.startedAt;
    const seen = `it runs in no mode${at === undefined ? '' : ` since its start ${formatMoment(at, moment)}`}`;
    const { unset } = logs?.created ?? {};
    return unset ? { seen, cause: `Its container was made without ${joinAnd(unset)}.`, fix: setMode(unset) } : { seen };
  },
  // The log of the container is read and has no fatal error of its last two runs.
  silent_restart_loop: ({ facts: { logs, container } }) => {
    const since = (container && findCrashes(container).at(-2)) ?? Number.NEGATIVE_INFINITY;
    const isFatal = ({ means, at }: PatternFacts) => means === 'fatal' && at >= since;
    if (logs?.sources.container?.up !== true || Object.values(logs.patterns).some(isFatal)) return {};
    return {
      cause: 'Its log shows no fatal error before it ends, so something kills it.',
      fix: 'find out what kills it: the kernel when memory runs out, as `dmesg -T` on its machine says, or somebody who sends it a signal',
    };
  },
};

/** Whether somebody has started the program again since its last sign of a failure, and its time to show one again is not over. */
function isTriedAgain({ signs = [] }: ShownFailure, { facts }: TargetState, now: number): boolean {
  const shown = signs.flatMap((name) => facts.logs?.patterns[name]?.at ?? []);
  const isNew = findStart(facts.container, now, START_MS) !== undefined && shown.length > 0;
  return isNew && shown.every((at) => isStartedAgain(facts.container, at));
}

/** The problems that a program which has ended brings with it. */
const CONSEQUENCES: readonly ProblemName[] = [
  'container_down',
  'container_restarting',
  'node_down',
  'service_down',
  'head_regression',
];

function toSuspicion(view: TargetView, failure: ShownFailure, moment: SubnetView): Suspicion {
  const { state } = view;
  const { leavesRunning } = failure;
  const own = OWN[failure.name]?.(state, moment) ?? {};
  // Of services all signs but the first are reasons.
  const reasons = state.target.component === 'node' ? [] : (failure.signs?.slice(1) ?? []);
  const { cause, fix } = { ...failure, fix: fixOf(failure, state), ...own };
  const container = checkOf(state, 'container');
  // In numbers: no text of a line is in it.
  const seen = [
    ...describeSigns(failure, state, moment),
    ...(own.seen === undefined ? [] : [own.seen]),
    // One that leaves its program running did not end it.
    ...(leavesRunning || container?.verdict !== 'fail' ? [] : [container.seen]),
  ];
  return suspectTarget(failure.name, view, {
    summary: failure.summary(state.target.name, state),
    evidence: `${seen.length === 0 ? failure.symptom : `${seen.join('; ')}.`} ${cause.replace(/\.$/, '')}`,
    fix: isTriedAgain(failure, state, moment.now) ? JUST_STARTED : (explainLast(state.facts.logs, reasons) ?? fix),
    explains: leavesRunning === undefined ? explainAll(view) : explain(view, ...leavesRunning.explains),
    causes: refsTo(state.target, ...(leavesRunning?.brings ?? CONSEQUENCES)),
  });
}

/** Whether a target has lately shown a failure that ends its program and that is over. Its crash was reported with that failure. */
export const hasEndedFailure = ({ endedFailures = [] }: TargetState): boolean =>
  endedFailures.some(({ leavesRunning }) => leavesRunning === undefined);

/** Whether all errors that a log has shown within the window are signs of failures that are over. */
export function hasOnlyEndedSigns({ facts, endedFailures = [] }: TargetState, windowMs: number, now: number): boolean {
  const signs = new Set(endedFailures.flatMap((failure) => failure.signs ?? []));
  const patterns = Object.entries(facts.logs?.patterns ?? {});
  const errors = patterns.filter(([, one]) => isError(one) && now - one.at < windowMs);
  return errors.length > 0 && errors.every(([name]) => signs.has(name));
}

/** A stats server that refuses all nodes that run has another secret than they: one cause, and its own. */
function joinRefused(found: readonly Suspicion[], { nodes, services }: SubnetView): readonly Suspicion[] {
  const refused = found.filter(({ problem }) => problem === 'stats_refused');
  const stats = services.find(({ state }) => state.target.component === 'stats');
  const [first] = refused;
  const running = nodes.filter((node) => !isStopped(node));
  if (first === undefined || stats === undefined || refused.length < Math.max(2, running.length)) return found;
  const { container } = stats.state.target;
  const one = suspectTarget('stats_refused', stats, {
    summary: `the stats server refuses all ${refused.length} nodes`,
    evidence: `of ${first.name}, ${first.evidence}`,
    fix: `see that the stats server has the STATS_SECRET of common.env, and ${commandToReplace(container)}; if it has that, recreate the nodes`,
    nodes: refused.flatMap(({ name = [] }) => name),
    explains: explain(stats, 'block_data', 'history_data'),
    causes: refused.flatMap((each) => refsTo(each, 'stats_refused')),
  });
  return [...found.filter((each) => !refused.includes(each)), one];
}

/** Known failures that targets show. A restart loop is none by itself where another failure causes it. */
export function findKnownFailures(view: SubnetView): readonly Suspicion[] {
  const stats = view.services.find(({ state }) => state.target.component === 'stats')?.state.facts.container;
  const found = view.targets.flatMap((target) => {
    const { shownFailures, facts } = target.state;
    if (shownFailures.length === 0) return [];
    // One that was started again refuses it again within seconds, or never.
    const isOver = isStartedAgain(stats, facts.logs?.patterns.stats_unauthorized?.at ?? view.now);
    const hasCause = hasEndedFailure(target.state) || shownFailures.some(bringsLoop);
    return shownFailures
      .filter(({ name }) => !(hasCause && name === 'silent_restart_loop') && !(isOver && name === 'stats_refused'))
      .flatMap((failure) => withWallet(toSuspicion(target, failure, view), view) ?? []);
  });
  return joinRefused(found, view);
}
