import { formatAgo } from '../../lib/duration.ts';
import { formatTimes } from '../../lib/words.ts';
import { LINES_LOST, type LogFault, type LogSourceState } from '../../model/log.ts';
import type { Suspicion } from '../../model/problem.ts';
import { START_MS } from '../../model/restart-cause.ts';
import type { TargetSetup } from '../../model/setup.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { ContainerRef, Target } from '../../model/target.ts';
import { commandToRecreate, describeRef, LOG_ROTATION, serviceOf } from '../clients/commands-to-type.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';

/** Lines that were lost count for this long, so that a loss that happens again and again is one problem. */
const LOST_MS = 10 * 60_000;

const formatRef = (ref: ContainerRef | undefined): string => (ref === undefined ? 'its container' : describeRef(ref));

type Texts = Readonly<Record<LogFault['what'], readonly [seen: string, fix: string]>>;

const FILE_TEXTS: Texts = {
  missing: [
    'no file is there',
    'correct logFiles in the inventory, or mount the folder where subnetd runs, at the same path',
  ],
  denied: [
    'subnetd may not read it',
    'give the user of subnetd the right to read it, for example with setfacl -m u:1000:r',
  ],
  'not-a-file': ['it is not a file', 'name the file itself in logFiles, or a glob such as logs/*.log'],
  'not-kept': [
    'its log driver keeps nothing to read',
    'give it the driver json-file or local in docker-compose.yml and recreate it',
  ],
  'no-container': ['there is no such container', 'create it, or correct container in the inventory'],
  'docker-unreachable': ['Docker does not answer', 'start Docker, or correct docker in the inventory'],
  'no-descriptor': ['subnetd has no file descriptor left', 'raise LimitNOFILE of subnetd and restart it'],
  broken: ['reading it breaks off', 'look at the log of subnetd and at the disk'],
};

const CONTAINER_TEXTS: Texts = {
  ...FILE_TEXTS,
  broken: [
    'Docker breaks off when it is read',
    'let the socket proxy pass GET of /containers/ID/logs, and see that the log driver of the container keeps lines',
  ],
};

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
  return [
    `its log driver is ${driver}, of which Docker keeps nothing to read${why}`,
    `write ${LOG_ROTATION} below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
  ] as const;
}

/** What has just started may not have made its file, and its new container is read within seconds. */
const isYoung = ({ container }: TargetView, fault: LogFault | undefined, now: number): boolean =>
  (fault?.what === 'missing' || fault?.what === 'no-container') &&
  container.kind === 'running' &&
  now - (container.container.startedAt ?? 0) < START_MS;

function findSourceDown(view: TargetView, now: number): Suspicion | undefined {
  const { state, setup } = view;
  const unread = findUnread(state);
  if (unread === undefined || isYoung(view, unread[1].fault, now)) return undefined;
  const { component, name, container, logFiles } = state.target;
  const [source, { fault }] = unread;
  const isFile = source === 'file';
  const what = isFile ? logFiles.map(({ path }) => path).join(', ') : `the log of ${formatRef(container)}`;
  const driver = isFile ? undefined : explainDriver(state.target, setup.container);
  const found = driver ?? (fault && (isFile ? FILE_TEXTS : CONTAINER_TEXTS)[fault.what]);
  // Right after the start of subnetd reading has not begun.
  if (found === undefined) return undefined;
  const [seen, fix] = found;
  return {
    problem: 'log_source_down',
    component,
    name,
    summary: `subnetd cannot read the log of ${name}`,
    evidence: `${what} cannot be read: ${seen}`,
    fix,
    explains: [],
    causes: [],
  };
}

function findLinesLost({ state }: TargetView, now: number): Suspicion | undefined {
  const lost = state.facts.logs?.patterns[LINES_LOST];
  if (lost === undefined || now - lost.at >= LOST_MS) return undefined;
  const { component, name, container } = state.target;
  return {
    problem: 'log_lines_lost',
    component,
    name,
    summary: `Docker throws away lines of ${name} before they are read`,
    evidence: `Docker rotated the log of ${formatRef(container)} and threw lines away before they were read ${formatTimes(lost.count)} since subnetd started, last ${formatAgo(lost.at, now)}`,
    fix: 'give its log more room with the option max-size of its logging driver, or let it print less, and recreate it',
    explains: [],
    causes: [],
  };
}

/** Logs that cannot be read, and lines that are lost: what they would show is not known. */
export function findLogProblems({ targets, now }: SubnetView): readonly Suspicion[] {
  const found: Suspicion[] = [];
  for (const view of targets) {
    if (view.state.facts.logs === undefined) continue;
    const unread = findSourceDown(view, now);
    const lost = findLinesLost(view, now);
    if (unread) found.push(unread);
    if (lost) found.push(lost);
  }
  return found;
}
