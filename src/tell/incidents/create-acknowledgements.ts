import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDatabaseFailure } from '../../lib/database-failure.ts';
import type { Incident, IncidentStore, Incidents } from '../../model/incident.ts';
import type { Acknowledgement } from '../../model/problem.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { AlertIncidents } from '../alerts/alert-incidents.ts';
import type { AlertLabels } from '../alerts/tracked-alert.ts';
import { type FollowedIncidents, incidentKey } from './follow-incidents.ts';

/** What it needs. */
export interface AcknowledgementsDeps {
  readonly followed: () => FollowedIncidents;
  /** Rejects while the database is down. */
  readonly store: () => Promise<IncidentStore>;
  /** Writes what is not stored yet of the incidents. */
  readonly save: () => Promise<void>;
  /** The key that signs links: what `make` returns, unless an instance has stored one before. */
  readonly linkKey: (make: () => string) => Promise<string>;
  /** Without it, messages have no link. */
  readonly publicUrl?: string | undefined;
  /** Wall time. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

/** Who is on which incident. */
export interface Acknowledgements extends AlertIncidents, Pick<Incidents, 'isGenuine'> {
  /** Reads again what is stored. Never rejects. */
  readAcknowledgements(): Promise<void>;
  /** The snapshot with who is on which problem. */
  addAcknowledgements(snapshot: Snapshot): Snapshot;
}

/** A link works for as long. */
const LINK_MS = 7 * 24 * 3_600_000;
const KEY_BYTES = 32;

const sign = (key: string, id: string, until: string): string =>
  createHmac('sha256', key).update(`acknowledge ${id} ${until}`).digest('base64url');

/** Who is on which open incident, as every instance of a fleet has stored it. Starts without having read anything. */
export function createAcknowledgements(deps: AcknowledgementsDeps): Acknowledgements {
  const { followed, store, save, linkKey, publicUrl, now, onBug } = deps;
  let known: ReadonlyMap<string, Acknowledgement> = new Map();
  let key: string | undefined;
  let isReading = false;

  const read = async () => {
    key ??= await linkKey(() => randomBytes(KEY_BYTES).toString('base64url'));
    known = followed().open.size === 0 ? new Map() : await (await store()).acknowledgements();
  };
  /** The open incidents that an alert is about. */
  const ofAlert = ({ alertname, subnet, component, name }: AlertLabels): readonly Incident[] =>
    [...followed().open.values()].filter(
      (one) => one.alert === alertname && one.subnet === subnet && one.component === component && one.name === name,
    );

  return {
    readAcknowledgements: async () => {
      if (isReading) return;
      isReading = true;
      try {
        await read();
      } catch (error) {
        if (!isDatabaseFailure(error)) onBug(error);
      }
      isReading = false;
    },
    addAcknowledgements: (snapshot) => {
      if (known.size === 0) return snapshot;
      const { open } = followed();
      return snapshot.map((state) => ({
        ...state,
        problems: state.problems.map((problem) => {
          const acknowledged = known.get(open.get(incidentKey(state.subnet.name, problem))?.id ?? '');
          return acknowledged === undefined ? problem : { ...problem, acknowledged };
        }),
      }));
    },
    acknowledgedBy: (labels) => {
      if (known.size === 0) return undefined;
      const names = ofAlert(labels).map(({ id }) => known.get(id)?.by);
      return names.includes(undefined) ? undefined : names[0];
    },
    incidentOf: (labels) => {
      const id = ofAlert(labels).find((one) => !known.has(one.id))?.id;
      if (id === undefined) return undefined;
      if (publicUrl === undefined || key === undefined) return { id };
      const until = String(Math.floor((now() + LINK_MS) / 1_000));
      const query = new URLSearchParams({ until, key: sign(key, id, until) });
      return { id, link: `${publicUrl}/incidents/${id}/acknowledge?${query}` };
    },
    isGenuine: async (id, { until = '', key: given = '' }) => {
      if (key === undefined) await read();
      if (key === undefined || !/^\d{1,12}$/.test(until) || Number(until) * 1_000 < now()) return false;
      const [wanted, sent] = [Buffer.from(sign(key, id, until)), Buffer.from(given)];
      return wanted.length === sent.length && timingSafeEqual(wanted, sent);
    },
    acknowledge: async (id, by) => {
      const database = await store();
      // An incident that was not stored would be lost in a crash, and one that is over must not be taken for open.
      await save();
      const incident = (await database.read(id))?.incident;
      if (incident === undefined) return 'unknown';
      if (incident.endedAt !== undefined) return 'over';
      await database.acknowledge(id, { at: now(), by });
      known = await database.acknowledgements();
      return 'acknowledged';
    },
  };
}
