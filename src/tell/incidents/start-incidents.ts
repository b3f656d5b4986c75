import type { Logger } from 'pino';
import { settleWithin } from '../../lib/promises.ts';
import type { FleetPart } from '../../model/fleet.ts';
import type { HistoryChange } from '../../model/history.ts';
import type { Capsule, Incident, IncidentNotification, Incidents } from '../../model/incident.ts';
import type { EndedProblem, Problem } from '../../model/problem.ts';
import { SEVERITIES } from '../../model/severity.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import type { AlertLabels } from '../alerts/tracked-alert.ts';
import { type Acknowledgements, type AcknowledgementsDeps, createAcknowledgements } from './create-acknowledgements.ts';
import { createFleetIncidents } from './create-fleet-incidents.ts';
import { createIncidentSaver, type SaverDeps } from './create-incident-saver.ts';
import { createReadIncidents } from './create-read-incidents.ts';
import {
  type FollowedIncidents,
  type FollowedSubnet,
  followIncidents,
  incidentKey,
  isNews,
  keepIncidents,
  logIncident,
  NO_INCIDENTS,
  restoreIncidents,
} from './follow-incidents.ts';
import { type AcceptedAlert, recordNotifications } from './record-notifications.ts';
import { convertIncident, toEndedProblem, toRestoredProblem } from './stored-incidents.ts';
import { boundCapsule, chooseLogs, type ReadLastLines, readLogs, takeCapsule } from './take-capsule.ts';
import { createTimelineReader, type TimelineSources } from './timeline.ts';

/** The incidents as part of the daemon. */
export interface IncidentsLink extends Omit<Incidents, 'isNotifying'>, Omit<Acknowledgements, 'readAcknowledgements'> {
  /** Reads what is stored of subnets that are watched from now on: their first diagnosis shall know it. */
  readStored(): void;
  /** Takes the changes of the history as they are found. */
  addChanges(changes: readonly HistoryChange[]): void;
  /** Whether the diagnosis of a subnet knows the problems that are stored of it, or the database has not answered for too long. */
  readonly isSettled: (subnet: string) => boolean;
  /** Somebody has accepted an alert. */
  addNotification(
    labels: AlertLabels,
    phase: 'firing' | 'resolved',
    by: Omit<IncidentNotification, 'at' | 'phase'>,
  ): void;
  /** Follows and writes once more, for a limited time. */
  stop(): Promise<void>;
}

/** What ended longer ago explains nothing that a log still counts. */
const LATELY_MS = 10 * 60_000;

/** The dependencies of the incidents. */
export interface IncidentsDeps
  extends Omit<TimelineSources, 'now'>,
    Pick<SaverDeps, 'store' | 'clock' | 'keptDays' | 'onFailure'>,
    Pick<AcknowledgementsDeps, 'linkKey' | 'publicUrl'> {
  /** What explains failed checks, which costs a copy of each, may be missing: only problems are followed. */
  readonly snapshot: () => Snapshot;
  /** With what explains failed checks, for capsules. */
  readonly explained: () => Snapshot;
  readonly readLastLines: ReadLastLines;
  /** What the diagnosis was made of that has found a problem of this subnet to be open. */
  readonly packReplay?: (subnet: string) => string | undefined;
  readonly onBug: (error: unknown) => void;
  /** Called with the open problems of a subnet, and those that ended lately, which an earlier process or another instance has stored. */
  readonly onRestored: (subnet: string, open: readonly Problem[], ended: readonly EndedProblem[]) => void;
  /** Each incident that this instance keeps is written to it, when it begins and when it is over. */
  readonly log: Logger;
  readonly part: FleetPart;
  readonly followEveryMs?: number;
}

const FOLLOW_EVERY_MS = 2_000;
const LAST_WITHIN_MS = 2_000;
/** At most this many capsules wait for the database. Those of more problems at once would show nothing new. */
const MOST_CAPSULES_WAITING = 10;

const allOf = ({ open, ended }: FollowedIncidents): readonly Incident[] => [...open.values(), ...ended.values()];

const isOver = ({ endedAt }: Incident): boolean => endedAt !== undefined;

/** Follows the problems of the snapshots, in memory and in the database. */
export function startIncidents(deps: IncidentsDeps): IncidentsLink {
  const { snapshot, clock, part, readLastLines, onBug, log } = deps;
  const { followEveryMs = FOLLOW_EVERY_MS } = deps;
  const moment = () => ({ now: clock.now(), toWall: clock.toWall });
  const wallNow = () => clock.toWall(clock.now());
  const toWall = (incident: Incident) => convertIncident(incident, clock.toWall);
  const timelines = createTimelineReader({ ...deps, now: wallNow });
  let followed = NO_INCIDENTS;
  /** The snapshot from which `followed` was made; empty when that was changed since. */
  let seen: readonly FollowedSubnet[] = [];
  /** The alerts that were accepted since then. */
  const accepted: AcceptedAlert[] = [];
  const fleet = createFleetIncidents({ part, followed: () => followed, now: clock.now });
  const { readAcknowledgements, ...acknowledgements } = createAcknowledgements({
    ...deps,
    followed: () => followed,
    // One that is running may have begun before the last change.
    save: () => saver.save().then(() => saver.save()),
    now: wallNow,
  });
  /** The incidents that another instance keeps are read from the database, not from memory. */
  const isShown = ({ subnet }: Incident) => part.keeps(subnet);

  /** Keeps what has changed, or differs from the database, and returns the incidents that are new. */
  const keep = (next: FollowedIncidents, stored: readonly Incident[] = []): readonly Incident[] => {
    const before = new Map(allOf(followed).map((one) => [one.id, one]));
    const inDatabase = new Map(stored.map((one) => [one.id, one]));
    const changed: { readonly incident: Incident; readonly known: Incident | undefined }[] = [];
    for (const incident of next === followed ? [] : allOf(next)) {
      const known = inDatabase.get(incident.id) ?? before.get(incident.id);
      if (known !== incident) changed.push({ incident, known });
    }
    followed = next;
    if (changed.length === 0) return [];
    for (const { incident, known } of changed) {
      const isTurn = known === undefined || isOver(incident) !== isOver(known);
      if (isTurn && isShown(incident)) logIncident(log, incident);
    }
    saver.add(changed.map(({ incident, known }) => ({ incident, isNews: isNews(known, incident) })));
    return changed.flatMap(({ incident, known }) => (known === undefined ? [incident] : []));
  };

  const saver = createIncidentSaver({
    ...deps,
    timelines,
    fleet,
    onLoaded: ({ incidents: stored, late }) => {
      const next = restoreIncidents(followed, stored);
      const restored = [...next.open].flatMap(([key, one]) =>
        followed.open.get(key)?.id === one.id || late.has(one.subnet) ? [] : [one],
      );
      const ids = new Set(allOf(next).map(({ id }) => id));
      const readAgain = new Set(stored.map(({ subnet }) => subnet));
      saver.keepOnly((one) => ids.has(one.id) || !readAgain.has(one.subnet));
      // What is known already is not written again.
      keep(next, stored);
      const now = clock.now();
      const over = stored.flatMap((one) =>
        late.has(one.subnet) || one.endedAt === undefined || now - one.endedAt > LATELY_MS
          ? []
          : [{ subnet: one.subnet, ended: toEndedProblem(one, one.endedAt) }],
      );
      for (const subnet of new Set([...restored, ...over].map((one) => one.subnet)))
        deps.onRestored(
          subnet,
          restored.flatMap((one) => (one.subnet === subnet ? [toRestoredProblem(one, moment())] : [])),
          over.flatMap((one) => (one.subnet === subnet ? [one.ended] : [])),
        );
      seen = [];
    },
  });
  const keepCapsule = (id: string, { replay, ...capsule }: Capsule) => {
    saver.addCapsule(id, { ...boundCapsule(capsule), ...(replay && { replay }) });
  };
  /** What is known at once is kept at once; the logs follow. */
  const capture = async (incident: Incident, state: SubnetState) => {
    const replay = deps.packReplay?.(incident.subnet);
    const capsule = { ...takeCapsule(state, incident, wallNow(), clock.toWall), ...(replay && { replay }) };
    keepCapsule(incident.id, capsule);
    const logs = await readLogs(chooseLogs(state, incident), readLastLines);
    keepCapsule(incident.id, { ...capsule, logs });
  };

  const follow = () => {
    try {
      const current = snapshot();
      const watched = keepIncidents(followed, part.isWatched);
      if (watched !== followed) seen = [];
      followed = watched;
      saver.keepOnly(({ subnet }) => part.isWatched(subnet));
      // An alert may be accepted before this has seen that its incident begins or ends.
      const notifications = accepted.splice(0);
      const begun = keep(recordNotifications(followIncidents(followed, current, moment(), seen), notifications))
        .filter((incident) => incident.endedAt === undefined && isShown(incident))
        .sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
      seen = current.map(({ subnet, problems }) => ({ subnet, problems }));
      const explained = begun.length === 0 ? [] : deps.explained();
      for (const incident of begun) {
        if (saver.waitingCapsules() >= MOST_CAPSULES_WAITING) return;
        const state = explained.find(({ subnet }) => subnet.name === incident.subnet);
        if (state !== undefined) capture(incident, state).catch(onBug);
      }
    } catch (error) {
      onBug(error);
    }
  };

  let isStarted = false;
  let reading = Promise.resolve();
  const timer = setInterval(() => {
    isStarted = true;
    follow();
    void saver.save().then(readAcknowledgements);
  }, followEveryMs);
  timer.unref();

  return {
    ...createReadIncidents({
      known: () => allOf(followed).filter(isShown).map(toWall),
      capsuleOf: saver.capsuleOf,
      store: deps.store,
      timelines,
      now: wallNow,
    }),
    ...acknowledgements,
    idOf: (subnet, problem) => followed.open.get(incidentKey(subnet, problem))?.id,
    isSettled: fleet.isSettled,
    readStored: () => {
      reading = saver.save();
    },
    addChanges: timelines.add,
    addNotification: (labels, phase, by) => void accepted.push({ labels, at: clock.now(), phase, ...by }),
    stop: async () => {
      clearInterval(timer);
      await settleWithin(LAST_WITHIN_MS, reading);
      if (!isStarted) return;
      follow();
      await settleWithin(LAST_WITHIN_MS, saver.save(true));
    },
  };
}
