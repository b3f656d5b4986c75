import type { Incident, IncidentQuery, IncidentRecord, IncidentStore } from '../model/incident.ts';

const isAsked = (one: Incident, query: IncidentQuery): boolean => {
  const { onlyGrave, before } = query;
  for (const name of ['subnet', 'problem', 'alert', 'component', 'name'] as const)
    if (query[name] !== undefined && one[name] !== query[name]) return false;
  if (onlyGrave && one.severity === 'info') return false;
  if (before === undefined) return true;
  const { startedAt, id, endedAt } = one;
  return endedAt !== undefined && (startedAt < before.startedAt || (startedAt === before.startedAt && id < before.id));
};

/** Open ones first, then the newest first. */
export const byUrgency = (one: Incident, other: Incident): number =>
  Number(one.endedAt !== undefined) - Number(other.endedAt !== undefined) ||
  other.startedAt - one.startedAt ||
  (one.id < other.id ? 1 : -1);

/** The incidents of this process, for as long as no database has them: the newest `limit` ended ones, and all open ones. */
export function createIncidentMemory(limit: number): IncidentStore {
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
  };
}
