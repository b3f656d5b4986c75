import type { FleetPart } from '../model/fleet.ts';
import type { HistoryChange } from '../model/history.ts';
import type { Capsule, Incident, IncidentNotification, Incidents } from '../model/incident.ts';
import { SEVERITIES } from '../model/severity.ts';
import type { Snapshot, SubnetState } from '../model/snapshot.ts';
import type { AlertLabels } from '../model/tracked-alert.ts';
import { settleWithin } from '../model/within.ts';
import { convertIncident } from './convert-incident.ts';
import { createFleetIncidents } from './create-fleet-incidents.ts';
import { createIncidentMemory } from './create-incident-memory.ts';
import { createIncidentSaver, type SaverDeps } from './create-incident-saver.ts';
import { createReadIncidents } from './create-read-incidents.ts';
import { createTimelineReader, type TimelineSources } from './create-timeline-reader.ts';
import {
  type Followed,
  followIncidents,
  incidentKey,
  keepIncidents,
  NOTHING_FOLLOWED,
  restoreIncidents,
} from './follow-incidents.ts';
import { recordNotification } from './record-notifications.ts';
import { boundCapsule, chooseLogs, type ReadLastLines, readLogs, takeCapsule } from './take-capsule.ts';

/** The incidents as part of the daemon. */
export interface IncidentsLink extends Incidents {
  /** Takes the changes of the history as they are found. */
  addChanges(changes: readonly HistoryChange[]): void;
  /** In a fleet: whether every open incident of a subnet was found here, or is over, or was looked for long enough. */
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

/** The dependencies of the incidents. */
export interface IncidentsDeps
  extends Omit<TimelineSources, 'now'>,
    Pick<SaverDeps, 'store' | 'clock' | 'keptDays' | 'onFailure'>,
    Pick<Incidents, 'isNotifying'> {
  readonly snapshot: () => Snapshot;
  readonly readLastLines: ReadLastLines;
  readonly onBug: (error: unknown) => void;
  /** In a fleet, whose instances share their incidents. */
  readonly fleet?: FleetPart | undefined;
  /** When the database is used first, as with the history. */
  readonly firstAfterMs?: number;
  readonly followEveryMs?: number;
}

const FIRST_AFTER_MS = 15_000;
const FOLLOW_EVERY_MS = 2_000;
const LAST_WITHIN_MS = 2_000;
/** As many incidents are in memory, or as many as are open. */
const MOST_IN_MEMORY = 200;
/** As many capsules may wait for the database. More problems at once tell nothing more. */
const MOST_CAPSULES_WAITING = 10;

const allOf = ({ open, ended }: Followed): readonly Incident[] => [...open.values(), ...ended.values()];

/** Whether more than the words of an incident has changed. */
function isNews(before: Incident | undefined, { last: _, ...incident }: Incident): boolean {
  if (before === undefined || Object.keys(before).length !== Object.keys(incident).length + 1) return true;
  return Object.entries(incident).some(([name, value]) => before[name as keyof Incident] !== value);
}

/** Follows the problems of the snapshots, in memory and in the database. */
export function startIncidents(deps: IncidentsDeps): IncidentsLink {
  const { snapshot, clock, readLastLines, onBug } = deps;
  // In a fleet, an instance is ready for a subnet only when it knows what others have stored of it.
  const { firstAfterMs = deps.fleet ? 0 : FIRST_AFTER_MS, followEveryMs = FOLLOW_EVERY_MS } = deps;
  const startedAt = clock.now();
  const wallNow = () => clock.toWall(clock.now());
  const toWall = (incident: Incident) => convertIncident(incident, clock.toWall);
  const memory = createIncidentMemory(MOST_IN_MEMORY);
  const timelines = createTimelineReader({ ...deps, now: wallNow });
  let followed = NOTHING_FOLLOWED;
  const fleet = deps.fleet && createFleetIncidents({ part: deps.fleet, followed: () => followed, now: clock.now });
  /** Pages read from the database what another instance keeps. */
  const isShown = ({ subnet }: Incident) => deps.fleet?.keeps(subnet) ?? true;

  /** Keeps what is otherwise than before. */
  const keep = (before: readonly Incident[], next: Followed): void => {
    const known = new Map(before.map((one) => [one.id, one]));
    const changed = allOf(next).filter((one) => known.get(one.id) !== one);
    followed = next;
    for (const incident of changed) saver.add(incident, isNews(known.get(incident.id), incident));
    void memory.save(changed.filter(isShown).map(toWall));
  };

  const saver = createIncidentSaver({
    ...deps,
    memory,
    timelines,
    fleet,
    onLoaded: (stored) => {
      const next = restoreIncidents(followed, stored, fleet ? clock.now() : startedAt);
      const ids = new Set(allOf(next).map(({ id }) => id));
      const readAgain = new Set(stored.map(({ subnet }) => subnet));
      // In a fleet, only some subnets were read.
      forget((one) => ids.has(one.id) || (fleet !== undefined && !readAgain.has(one.subnet)));
      // What is known already is not written again.
      keep([...allOf(followed), ...stored], next);
      void memory.save(allOf(next).filter(isShown).slice(0, MOST_IN_MEMORY).map(toWall));
    },
  });
  const forget = (isMeant: (incident: Incident) => boolean) => {
    saver.keepOnly(isMeant);
    memory.keepOnly((one) => isMeant(one) && isShown(one));
  };

  const keepCapsule = (id: string, capsule: Capsule) => {
    const bounded = boundCapsule(capsule);
    saver.addCapsule(id, bounded);
    void memory.saveCapsule(id, bounded);
  };
  /** What is known at once is kept at once; the logs follow. */
  const capture = async (incident: Incident, state: SubnetState) => {
    const capsule = takeCapsule(state, incident, wallNow(), clock.toWall);
    keepCapsule(incident.id, capsule);
    const logs = await readLogs(chooseLogs(state, incident), readLastLines);
    keepCapsule(incident.id, { ...capsule, logs });
  };

  const moment = () => ({ now: clock.now(), isShadowed: deps.fleet?.isShadowed, toWall: clock.toWall });
  const follow = () => {
    try {
      const current = snapshot();
      if (deps.fleet) {
        const { isWatched } = deps.fleet;
        followed = keepIncidents(followed, isWatched);
        forget(({ subnet }) => isWatched(subnet));
      }
      const before = new Set(allOf(followed).map(({ id }) => id));
      keep(allOf(followed), followIncidents(followed, current, moment()));
      const begun = [...followed.open.values()]
        .filter((incident) => !before.has(incident.id) && isShown(incident))
        .sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
      for (const incident of begun) {
        if (saver.waitingCapsules() >= MOST_CAPSULES_WAITING) return;
        const state = current.find(({ subnet }) => subnet.name === incident.subnet);
        if (state !== undefined) capture(incident, state).catch(onBug);
      }
    } catch (error) {
      onBug(error);
    }
  };

  let isStarted = false;
  const first = setTimeout(() => {
    isStarted = true;
  }, firstAfterMs);
  first.unref();
  const timer = setInterval(() => {
    follow();
    if (isStarted) void saver.save();
  }, followEveryMs);
  timer.unref();

  return {
    ...createReadIncidents({ memory, store: deps.store, timelines, now: wallNow }),
    idOf: (subnet, problem) => followed.open.get(incidentKey(subnet, problem))?.id,
    isNotifying: deps.isNotifying,
    isSettled: (subnet) => fleet?.isSettled(subnet) ?? true,
    addChanges: timelines.add,
    addNotification: (labels, phase, by) =>
      keep(allOf(followed), recordNotification(followed, labels, { at: clock.now(), phase, ...by })),
    stop: async () => {
      clearTimeout(first);
      clearInterval(timer);
      if (!isStarted) return;
      follow();
      await settleWithin(LAST_WITHIN_MS, saver.save(true));
    },
  };
}
