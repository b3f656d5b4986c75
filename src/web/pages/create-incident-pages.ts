import type { Incident, Incidents } from '../../model/incident.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Html } from '../frame/marks.ts';
import { acknowledgePage } from './acknowledge-page.ts';
import { incidentJson, incidentMarkdown } from './incident-export.ts';
import { incidentFeed } from './incident-feed.ts';
import { INCIDENTS_ON_A_PAGE, incidentList, parseCursor } from './incident-list.ts';
import { incidentPage } from './incident-page.ts';

/** What an address asks for of the incidents. */
export interface IncidentsQuery {
  readonly subnet?: string;
  readonly name?: string;
  /** With one of these the newest incident of them is asked for, as by the link of an alert. */
  readonly alert?: string;
  readonly problem?: string;
  readonly grave?: string;
  readonly before?: string;
}

/** The pages of incidents. */
export interface IncidentPages {
  /** The list, or the id of the incident that the address asks for. */
  readonly incidents: (query: IncidentsQuery) => Promise<{ readonly body: Html } | { readonly found: string }>;
  /** Undefined when there is no such incident. */
  readonly incident: (id: string, isSignedIn: boolean) => Promise<Html | undefined>;
  readonly exportIncident: (id: string, format: 'json' | 'md') => Promise<string | undefined>;
  readonly addNote: Incidents['addNote'];
  readonly acknowledge: Incidents['acknowledge'];
  readonly isGenuine: Incidents['isGenuine'];
  /** The page of the link in a message, whose form goes to `action`; undefined when there is no such incident. */
  readonly acknowledgePage: (id: string, action: string) => Promise<Html | undefined>;
  /** An Atom feed. */
  readonly feed: (isPublic: boolean) => Promise<string>;
}

export interface IncidentPagesDeps {
  readonly incidents: Incidents;
  readonly snapshot: () => Snapshot;
  readonly publicUrl: string | undefined;
  readonly footer: () => { readonly footer: readonly Html[] };
  /** Both in wall time. */
  readonly now: () => number;
  readonly startedAt: number;
}

/** What an id may look like, and a text that is compared. PostgreSQL refuses a zero byte as an error of its own. */
const isId = (text: string): boolean => /^[\w-]{1,80}$/.test(text);
const toText = (text: string | undefined): string | undefined => (text?.includes('\0') ? undefined : text || undefined);

/** As many incidents are in the feed. */
const IN_FEED = 50;

/** Creates the pages of incidents. */
export function createIncidentPages(deps: IncidentPagesDeps): IncidentPages {
  const { incidents, snapshot, publicUrl, footer, now, startedAt } = deps;
  const linkedOf = async ({ causes, effects, earlier }: Incident) => {
    const ids = [...causes, ...effects, ...(earlier === undefined ? [] : [earlier])];
    return ids.length === 0 ? [] : (await incidents.list({ ids, limit: ids.length })).incidents;
  };
  return {
    incidents: async ({ subnet, name, alert, problem, grave, before }) => {
      const about = { subnet: toText(subnet), name: toText(name) };
      const kind = { alert: toText(alert), problem: toText(problem) };
      const isSought = kind.alert !== undefined || kind.problem !== undefined;
      if (isSought) {
        const [found] = (await incidents.list({ ...about, ...kind, limit: 1 })).incidents;
        if (found !== undefined) return { found: found.id };
      }
      const onlyGrave = Boolean(grave);
      const after = parseCursor(before ?? '');
      const listed = await incidents.list({ ...about, onlyGrave, before: after, limit: INCIDENTS_ON_A_PAGE + 1 });
      const input = {
        listed,
        onlyGrave,
        ...about,
        isLater: after !== undefined,
        isMissing: isSought,
        nowWall: now(),
        subnets: snapshot().map((state) => state.subnet.name),
      };
      return { body: incidentList(input, footer()) };
    },
    incident: async (id, isSignedIn) => {
      const record = isId(id) ? await incidents.read(id) : undefined;
      if (record === undefined) return undefined;
      const linked = await linkedOf(record.incident);
      const isNotifying = incidents.isNotifying();
      return incidentPage({ record, linked, isNotifying, isSignedIn, nowWall: now() }, footer());
    },
    exportIncident: async (id, format) => {
      const record = isId(id) ? await incidents.read(id) : undefined;
      if (record === undefined) return undefined;
      if (format === 'json') return `${JSON.stringify(incidentJson(record), undefined, 2)}\n`;
      return incidentMarkdown(record, await linkedOf(record.incident), now());
    },
    addNote: async (id, note) => (isId(id) ? incidents.addNote(id, note) : 'unknown'),
    acknowledge: async (id, by) => (isId(id) ? incidents.acknowledge(id, by) : 'unknown'),
    isGenuine: incidents.isGenuine,
    acknowledgePage: async (id, action) => {
      const record = isId(id) ? await incidents.read(id) : undefined;
      return record && acknowledgePage({ ...record, action, nowWall: now() });
    },
    feed: async (isPublic) => {
      const listed = await incidents.list({ onlyGrave: true, limit: IN_FEED });
      return incidentFeed({ incidents: listed.incidents, isPublic, publicUrl, startedAt });
    },
  };
}
