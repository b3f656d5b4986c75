import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { formatDuration } from '../../lib/duration.ts';
import type { Incident, IncidentEnd } from '../../model/incident.ts';
import { indexProblems, isAboutOthers, isStanding, mayCover, type Problem, problemKey } from '../../model/problem.ts';
import { problemCatalog } from '../../model/problem-catalog.ts';
import { SEVERITIES } from '../../model/severity.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import { indexNames } from '../alerts/tracked-alert.ts';

const LEVELS = { critical: 'error', warning: 'warn', info: 'info' } as const;

const ENDS: Readonly<Record<IncidentEnd, string>> = {
  recovered: 'problem over',
  removed: 'problem over: its subject is no longer in the inventory',
  'not-found-again': 'problem over',
};

/** Writes one line when a problem opens, by its severity, and one when it is over. */
export function logIncident(log: Logger, { problem, subnet, component, name, severity, ...incident }: Incident): void {
  const subject = { problem, subnet, component, name };
  const { first, last, startedAt, endedAt, end = 'recovered' } = incident;
  if (endedAt === undefined) {
    const { summary, fix } = incident.returns > 0 ? last : first;
    log[LEVELS[severity]]({ ...subject, summary, fix }, incident.returns > 0 ? 'problem reopened' : 'problem opened');
  } else log.info({ ...subject, lasted: formatDuration(endedAt - startedAt) }, ENDS[end]);
}

/** The incidents that are open, by `incidentKey`, and the last ones that ended, by id, the oldest first. */
export interface FollowedIncidents {
  readonly open: ReadonlyMap<string, Incident>;
  readonly ended: ReadonlyMap<string, Incident>;
}

/** Nothing is known of earlier incidents. */
export const NO_INCIDENTS: FollowedIncidents = { open: new Map(), ended: new Map() };

/** At most this many ended incidents are known, the newest ones, beside those that the last snapshot ended. */
const MOST_ENDED = 200;
/** An incident has at most this many links in each direction. */
const MOST_LINKS = 20;
/** A cause may be found this much later than its effect: a halt is found at once, a silent node after some probes. */
const LATER_MS = 60_000;

/** What identifies the problem and subject of an incident. */
export const incidentKey = (subnet: string, one: Parameters<typeof problemKey>[0]): string =>
  `${subnet} ${problemKey(one)}`;

const keyOf = (incident: Incident): string => incidentKey(incident.subnet, incident);

/** The last one that ended of each problem and subject. */
const lastOfEach = (ended: Iterable<Incident>): Map<string, Incident> =>
  new Map(Iterator.from(ended).map((incident) => [keyOf(incident), incident]));

/** An id such as `20261122-031207-1f0c9a3e`: when it began, and a hash of what it is about. */
export function toIncidentId(key: string, wallMs: number): string {
  const [day, time = ''] = new Date(wallMs).toISOString().split('T');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `${day?.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${hash}`;
}

const wordsOf = ({ summary, evidence, fix }: Problem): Incident['first'] => ({ summary, evidence, fix });

/** The last words are those that a restart of subnetd takes over. */
const lastWordsOf = ({ restartAt, readAt, ...problem }: Problem): Incident['last'] => ({
  ...wordsOf(problem),
  since: problem.since,
  readAt: readAt ?? problem.seenAt,
  ...(restartAt !== undefined && { restartAt }),
});

/** What is needed beside the snapshot to follow incidents. */
export interface FoldMoment {
  /** In watched time, as all times here. */
  readonly now: number;
  readonly toWall: (at: number) => number;
}

/** Whether what is found has begun after an incident was over or hidden: the diagnosis has told the two from each other. */
const isAnew = ({ covered, clearSince = covered?.since ?? Infinity }: Incident, since: number): boolean =>
  since > clearSince;

/** Whether a problem that is open from then on is the one that has ended, because it came back soon enough and is about the same. */
const isBack = (ended: Incident, { about }: Pick<Problem, 'about'>, since: number, openedAt: number): boolean =>
  ended.endedAt !== undefined &&
  ended.about === about &&
  !isAnew(ended, since) &&
  openedAt - ended.endedAt < problemCatalog[ended.problem].clearMs;

function reopen(ended: Incident, last: Incident['last']): Incident {
  const { clearSince: _, endedAt: __, end: ___, covered: ____, ...rest } = ended;
  return { ...rest, last, returns: ended.returns + 1 };
}

/** The first moment of an incident. */
function open(
  subnet: string,
  problem: Problem,
  last: Incident | undefined,
  ids: ReadonlySet<string>,
  { now, toWall }: FoldMoment,
): Incident {
  const key = incidentKey(subnet, problem);
  const words = wordsOf(problem);
  const { component, name, about, severity, alert, since, openedAt = now, planned } = problem;
  let second = 0;
  // A clock that was set back must not give two incidents one id.
  while (ids.has(toIncidentId(key, toWall(openedAt) + second))) second += 1_000;
  return {
    id: toIncidentId(key, toWall(openedAt) + second),
    subnet,
    problem: problem.problem,
    ...(component !== undefined && { component }),
    ...(name !== undefined && { name }),
    ...(about !== undefined && { about }),
    severity,
    alert,
    foundAt: Math.min(since, openedAt),
    startedAt: openedAt,
    first: words,
    last: lastWordsOf(problem),
    returns: 0,
    ...(last !== undefined && { earlier: last.id }),
    causes: [],
    effects: [],
    notified: [],
    ...(planned?.mutes && { planned: { reason: planned.reason, until: planned.until, by: planned.by } }),
  };
}

const isSame = (one: Incident['last'], other: Incident['last']): boolean =>
  one.summary === other.summary && one.evidence === other.evidence && one.fix === other.fix;

/** An open incident whose problem is there. The same value when nothing changed. */
function update(before: Incident, problem: Problem): Incident {
  const { clearSince, covered, ...rest } = before;
  // What a restart takes over is listed for a moment, until its cover is found again.
  const kept = problem.restoredAt === undefined ? undefined : covered;
  // While it clears, its advice is withdrawn, but not what it was. What an earlier process has seen keeps the time of that.
  const isOld = problem.state === 'clearing' || problem.restoredAt !== undefined;
  const last = isOld || isSame(before.last, problem) ? before.last : lastWordsOf(problem);
  const severity = SEVERITIES[Math.min(SEVERITIES.indexOf(before.severity), SEVERITIES.indexOf(problem.severity))];
  const { about, clearingSince } = problem;
  const isMarked = clearSince !== clearingSince || covered !== kept;
  const isChanged = last !== before.last || isMarked || severity !== before.severity;
  if (!isChanged || severity === undefined) return before;
  return {
    ...rest,
    ...(about !== undefined && { about }),
    last,
    severity,
    ...(clearingSince !== undefined && { clearSince: clearingSince }),
    ...(kept && { covered: kept }),
  };
}

/** Whether more than the evidence of an incident has changed: after a crash, what it says to do must still be right. */
export function isNews(before: Incident | undefined, { last, ...incident }: Incident): boolean {
  if (before === undefined || Object.keys(before).length !== Object.keys(incident).length + 1) return true;
  if (before.last.summary !== last.summary || before.last.fix !== last.fix) return true;
  return Object.entries(incident).some(([name, value]) => before[name as keyof Incident] !== value);
}

/** The incident of a problem: the one that is open, the last one if it is back within its window, or another one. */
function follow(
  subnet: string,
  problem: Problem,
  known: Incident | undefined,
  last: Incident | undefined,
  ids: ReadonlySet<string>,
  moment: FoldMoment,
): Incident {
  const { since, openedAt = moment.now } = problem;
  if (known !== undefined && !isAboutOthers(known, problem) && !isAnew(known, since)) return update(known, problem);
  if (known === undefined && last !== undefined && isBack(last, problem, since, openedAt))
    return reopen(last, lastWordsOf(problem));
  return open(subnet, problem, known ?? last, ids, moment);
}

const close = (incident: Incident, end: IncidentEnd, now: number): Incident => ({
  ...incident,
  end,
  // A clock that was set back while subnetd did not run must not end an incident before it began.
  endedAt: Math.max(now, incident.startedAt),
});

/** Whether one incident may have brought another of the same subnet, by what they are. */
function isCause(one: Incident, other: Incident): boolean {
  if (one === other || one.name === undefined || one.severity === 'info') return false;
  if (one.foundAt > other.foundAt + LATER_MS) return false;
  // A halt or a lack of votes comes from nodes; a relayer that submits nothing from its container or program.
  if (other.name === undefined) return one.component === 'node' && !other.problem.startsWith('monitor_');
  return other.problem === 'relayer_stopped' && one.component === other.component && one.name === other.name;
}

/** The links between open incidents of a subnet: those that the diagnosis gives, and those of a halt to its nodes. */
function* findLinks(
  state: SubnetState,
  own: readonly Incident[],
  ofKey: (key: string) => Incident | undefined,
): Generator<readonly [cause: Incident, effect: Incident]> {
  for (const problem of state.problems) {
    if (problem.causes.length === 0) continue;
    const cause = ofKey(incidentKey(state.subnet.name, problem));
    for (const ref of problem.causes) {
      const effect = ofKey(incidentKey(state.subnet.name, ref));
      if (cause !== undefined && effect !== undefined) yield [cause, effect];
    }
  }
  const effects = own.filter(({ name, problem }) => name === undefined || problem === 'relayer_stopped');
  for (const effect of effects)
    for (const cause of own) if (effect.causes.length < MOST_LINKS && isCause(cause, effect)) yield [cause, effect];
}

function addLinks(open: Map<string, Incident>, snapshot: Snapshot): void {
  const bySubnet = Map.groupBy(open.values(), ({ subnet }) => subnet);
  for (const state of snapshot) {
    const own = bySubnet.get(state.subnet.name) ?? [];
    if (own.length < 2) continue;
    for (const [one, other] of [...findLinks(state, own, (key) => open.get(key))]) {
      const [cause, effect] = [open.get(keyOf(one)), open.get(keyOf(other))];
      if (cause === undefined || effect === undefined || effect.causes.includes(cause.id)) continue;
      if (effect.causes.length >= MOST_LINKS || cause.effects.length >= MOST_LINKS) continue;
      open.set(keyOf(cause), { ...cause, effects: [...cause.effects, effect.id] });
      open.set(keyOf(effect), { ...effect, causes: [...effect.causes, cause.id] });
    }
  }
}

/** What is compared of a subnet, to see whether its incidents may be otherwise. */
export type FollowedSubnet = Pick<SubnetState, 'subnet' | 'problems'>;

/**
 * The incidents after a snapshot. Those that did not change are the same values as before. A subnet that is the same as in
 * `earlier`, the snapshot from which `before` was made, is not looked at.
 */
export function followIncidents(
  before: FollowedIncidents,
  snapshot: Snapshot,
  moment: FoldMoment,
  earlier: readonly FollowedSubnet[] = [],
): FollowedIncidents {
  const isSame = ({ subnet, problems }: SubnetState, index: number) =>
    earlier[index]?.subnet === subnet && earlier[index]?.problems === problems;
  const changed = snapshot.filter((state, index) => !isSame(state, index));
  if (changed.length === 0 && snapshot.length > 0 && snapshot.length === earlier.length) return before;
  const subjects = new Map(changed.map((state) => [state.subnet.name, indexNames(state.targets)]));
  const unchanged = new Set(snapshot.map(({ subnet }) => subnet.name).filter((name) => !subjects.has(name)));
  const current = new Map<string, Incident>();
  const ended = new Map([...before.ended].slice(-MOST_ENDED));
  /** What follows from another problem, if only a suspected one, is not listed, and not over. */
  const covered = new Map<string, string>();
  const last = lastOfEach(ended.values());
  const ids = new Set([...before.open.values(), ...before.ended.values()].map(({ id }) => id));
  for (const { subnet, problems } of changed) {
    const there = indexProblems(problems);
    for (const problem of problems) {
      const key = incidentKey(subnet.name, problem);
      // After a reload, until the next diagnosis.
      if (!subjects.get(subnet.name)?.(problem)) continue;
      for (const each of problem.causes)
        if (mayCover(problem, moment.now) || there.get(each) !== undefined)
          covered.set(incidentKey(subnet.name, each), problem.summary);
      if (!isStanding(problem)) continue;
      const known = before.open.get(key);
      const followed = follow(subnet.name, problem, known, last.get(key), ids, moment);
      if (known !== undefined && known.id !== followed.id) ended.set(known.id, close(known, 'recovered', moment.now));
      current.set(key, followed);
      ended.delete(followed.id);
    }
  }
  for (const [key, incident] of before.open) {
    if (current.has(key)) continue;
    const by = covered.get(key);
    // What was over when something graver hid it does not go on.
    const isHidden = by !== undefined && incident.clearSince === undefined;
    if (isHidden || unchanged.has(incident.subnet)) {
      const isNew = isHidden && incident.covered === undefined;
      current.set(key, isNew ? { ...incident, covered: { since: moment.now, by } } : incident);
      continue;
    }
    const end = subjects.get(incident.subnet)?.(incident) === true ? 'recovered' : 'removed';
    ended.set(incident.id, close(incident, end, moment.now));
  }
  addLinks(current, changed);
  return { open: current, ended };
}

/** An incident of this process after one that an earlier process has seen the end of. */
const continueOrLink = (stored: Incident, found: Incident): Incident =>
  isBack(stored, found, found.foundAt, found.startedAt) ? reopen(stored, found.last) : { ...found, earlier: stored.id };

/** Takes over the incidents that an earlier process of subnetd, or another instance, has stored, the newest first, in watched time. */
export function restoreIncidents(current: FollowedIncidents, stored: readonly Incident[]): FollowedIncidents {
  const open = new Map(current.open);
  const ended = new Map<string, Incident>();
  for (const incident of stored.toReversed()) {
    const key = keyOf(incident);
    const found = open.get(key);
    if (incident.endedAt !== undefined) {
      // If this process sees its problem now, that is newer than the end that is stored.
      if (found?.id === incident.id) continue;
      ended.set(incident.id, incident);
      if (found !== undefined) open.set(key, continueOrLink(incident, found));
      continue;
    }
    // If this process has seen its end, that is newer than the open one that is stored.
    if (current.ended.has(incident.id)) continue;
    // What this process has found meanwhile is the same incident.
    open.set(key, found ? { ...incident, last: found.last } : incident);
  }
  for (const { id } of open.values()) ended.delete(id);
  return { open, ended: new Map([...ended, ...current.ended]) };
}

/** The incidents of the subnets that are kept. The same value when there are no others. */
export function keepIncidents(followed: FollowedIncidents, isKept: (subnet: string) => boolean): FollowedIncidents {
  const isWhole = [followed.open, followed.ended].every((incidents) =>
    incidents.values().every(({ subnet }) => isKept(subnet)),
  );
  if (isWhole) return followed;
  const keep = (incidents: ReadonlyMap<string, Incident>) =>
    new Map([...incidents].filter(([, { subnet }]) => isKept(subnet)));
  return { open: keep(followed.open), ended: keep(followed.ended) };
}
