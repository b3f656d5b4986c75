import type { Incident, IncidentQuery, IncidentRecord, IncidentStore } from '../../model/incident.ts';

type Place = Pick<Incident, 'startedAt' | 'id' | 'endedAt'>;

/** Open ones first, then the newest first. */
export const byUrgency = (one: Place, other: Place): number =>
  Number(one.endedAt !== undefined) - Number(other.endedAt !== undefined) ||
  other.startedAt - one.startedAt ||
  Number(one.id < other.id) - Number(one.id > other.id);

const isAsked = (one: Incident, query: IncidentQuery): boolean => {
  const { onlyGrave, ids, subnets, before } = query;
  for (const name of ['subnet', 'problem', 'alert', 'component', 'name'] as const)
    if (query[name] !== undefined && one[name] !== query[name]) return false;
  if (ids !== undefined && !ids.includes(one.id)) return false;
  if (subnets !== undefined && !subnets.includes(one.subnet)) return false;
  if (onlyGrave && one.severity === 'info') return false;
  return before === undefined || byUrgency(before, one) < 0;
};

/** The incidents that this process knows. */
export interface IncidentMemory extends IncidentStore {
  /** Forgets a capsule that the database has. */
  dropCapsule(id: string): void;
  /** Forgets all others. */
  keepOnly(isKept: (incident: Incident) => boolean): void;
}

/** Keeps all open incidents, and the newest ended ones up to `limit` incidents in all. */
export function createIncidentMemory(limit: number): IncidentMemory {
  const records = new Map<string, IncidentRecord>();
  const cut = () => {
    let left = records.size - limit;
    for (const [id, { incident }] of records) {
      if (left <= 0) return;
      if (incident.endedAt === undefined) continue;
      records.delete(id);
      left -= 1;
    }
  };
  const change = (id: string, over: Partial<IncidentRecord>) => {
    const known = records.get(id);
    if (known !== undefined) records.set(id, { ...known, ...over });
  };
  return {
    save: async (incidents) => {
      for (const incident of incidents) records.set(incident.id, { notes: [], ...records.get(incident.id), incident });
      cut();
    },
    saveCapsule: async (id, capsule) => change(id, { capsule }),
    saveTimeline: async (id, timeline) => change(id, { timeline }),
    addNote: async (id, note) => change(id, { notes: [...(records.get(id)?.notes ?? []), note] }),
    list: async (query) =>
      [...records.values()]
        .map(({ incident }) => incident)
        .filter((one) => isAsked(one, query))
        .sort(byUrgency)
        .slice(0, query.limit),
    read: async (id) => records.get(id),
    trim: async () => false,
    dropCapsule: (id) => {
      const known = records.get(id);
      if (known === undefined) return;
      const { capsule: _, ...rest } = known;
      records.set(id, rest);
    },
    keepOnly: (isKept) => {
      for (const [id, { incident }] of records) if (!isKept(incident)) records.delete(id);
    },
  };
}
