import { formatMoment, type Moment } from '../../lib/duration.ts';
import { formatTimes } from '../../lib/words.ts';
import { LINES_LOST, type LogSourceState } from '../../model/log.ts';
import type { Suspicion } from '../../model/problem.ts';
import type { TargetSetup } from '../../model/setup.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { ContainerRef, Target } from '../../model/target.ts';
import { commandToRecreate, describeRef, LOG_ROTATION, serviceOf } from '../clients/commands-to-type.ts';
import { explainUnread, isYetToCome } from '../rules/find-log-fault.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';
import { type Found, suspectTarget } from './suspect.ts';

/** Lines that were lost count for this long, so that a loss that happens again and again is one problem. */
const LOST_MS = 10 * 60_000;

const formatRef = (ref: ContainerRef | undefined): string => (ref === undefined ? 'its container' : describeRef(ref));

/** The source that cannot be read. While Docker does not answer, that is another problem, and nothing is known. */
function findUnread({ facts: { logs } }: TargetState): readonly ['file' | 'container', LogSourceState] | undefined {
  const { file, container } = logs?.sources ?? {};
  if (file?.up === false) return ['file', file];
  return container?.up === false && container.fault?.what !== 'docker-unreachable'
    ? ['container', container]
    : undefined;
}

/** A log driver that keeps nothing to read. */
function explainDriver({ container: ref, name }: Target, container: TargetSetup['container']) {
  if (!container?.ok || container.value.log.isReadable) return undefined;
  const { driver } = container.value.log;
  const why = driver === 'none' ? '' : ', as cache-disabled is set';
  return {
    seen: `its log driver is ${driver}, of which Docker keeps nothing to read${why}`,
    fix: `write ${LOG_ROTATION} below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
  };
}

function findSourceDown(view: TargetView, now: number): Suspicion | undefined {
  const { state, setup } = view;
  const unread = findUnread(state);
  if (unread === undefined || isYetToCome(unread[1].fault, state.facts, now)) return undefined;
  const { name, container, logFiles } = state.target;
  const [source, log] = unread;
  const { fault } = log;
  const isFile = source === 'file';
  const what = isFile ? logFiles.map(({ path }) => path).join(', ') : `the log of ${formatRef(container)}`;
  const driver = isFile ? undefined : explainDriver(state.target, setup.container);
  const found = driver ?? (fault && explainUnread(fault, log, isFile));
  // Right after the start of subnetd reading has not begun.
  if (found === undefined) return undefined;
  return suspectTarget('log_source_down', view, {
    summary: `subnetd cannot read the log of ${name}`,
    evidence: `${what} cannot be read: ${found.seen}`,
    fix: found.fix,
  });
}

function findLinesLost(view: TargetView, moment: Moment): Suspicion | undefined {
  const { target, facts } = view.state;
  const lost = facts.logs?.patterns[LINES_LOST];
  if (lost === undefined || moment.now - lost.at >= LOST_MS) return undefined;
  return suspectTarget('log_lines_lost', view, {
    summary: `Docker throws away lines of ${target.name} before they are read`,
    evidence: `Docker rotated the log of ${formatRef(target.container)} and threw lines away before they were read ${formatTimes(lost.count)} since subnetd started, last ${formatMoment(lost.at, moment)}`,
    fix: 'give its log more room with the option max-size of its logging driver, or let it print less, and recreate it',
  });
}

/** Logs that cannot be read, and lines that are lost: what they would show is not known. */
export const findLogProblems = (view: SubnetView): readonly Found[] =>
  view.targets.flatMap((one) => [findSourceDown(one, view.now), findLinesLost(one, view)]);
