import type { Context } from 'hono';
import { toIso } from '../lib/duration.ts';
import type { HistoryStore, StoredChange, Uptime, UptimeRow } from '../model/history.ts';
import { sendJson } from './cached-text.ts';
import { orAway } from './receive-requests.ts';

/** The most changes of one answer, and how many it has when the request names no limit. */
const MOST_CHANGES = 1_000;
const CHANGES = 100;
/** The most days of targets of one answer: a year of 50 nodes and what belongs to them. */
const MOST_DAYS = 20_000;

/** A time of day needs a time zone; a day begins in UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Undefined when it is not a time. */
function parseTime(text: string): number | undefined {
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  // The 31st of February would become the 3rd of March.
  const isReal = !Number.isNaN(at) && toIso(Date.parse(`${text.slice(0, 10)}T00:00:00Z`)).startsWith(text.slice(0, 10));
  return isReal ? at : undefined;
}

/** A place in the list of changes: what follows the last one of an answer. */
const toCursor = ({ at, id }: Pick<StoredChange, 'at' | 'id'>): string => `${toIso(at)}_${id}`;

function parseCursor(text: string): Pick<StoredChange, 'at' | 'id'> | undefined {
  const [, time = '', id] = /^(.+Z)_(\d{1,15})$/.exec(text) ?? [];
  const at = parseTime(time);
  return at === undefined ? undefined : { at, id: Number(id) };
}

interface Asked {
  readonly subnet?: string;
  readonly name?: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
  readonly after?: Pick<StoredChange, 'at' | 'id'>;
}

const parseText = (text: string): string | undefined => (text === '' || text.includes('\0') ? undefined : text);

/** How a parameter is read, and what to say when it is bad. */
const PARAMETERS = {
  subnet: [parseText, 'subnet must be the name of a subnet'],
  name: [parseText, 'name must be the name of a target'],
  from: [parseTime, 'from must be a day or time such as 2026-01-31 or 2026-01-31T10:00:00Z'],
  to: [parseTime, 'to must be a day or time such as 2026-01-31 or 2026-01-31T10:00:00Z'],
  limit: [
    (text: string) => (/^\d{1,4}$/.test(text) && +text >= 1 && +text <= MOST_CHANGES ? +text : undefined),
    `limit must be a whole number from 1 to ${MOST_CHANGES}`,
  ],
  after: [parseCursor, 'after must be the value of next in the previous answer'],
} as const;

/** Reads the parameters of a request, of which only the `allowed` ones may be there; else one sentence for each error. */
function parseQuery(url: string, allowed: readonly (keyof Asked)[]): Asked | readonly string[] {
  const errors: string[] = [];
  const asked: Record<string, unknown> = {};
  for (const [name, text] of new URL(url).searchParams) {
    const known = allowed.find((one) => one === name);
    if (known === undefined) {
      errors.push(`unknown parameter ${JSON.stringify(name.slice(0, 50))}; use ${allowed.join(', ')}`);
      continue;
    }
    const [parse, why] = PARAMETERS[known];
    const value = known in asked ? undefined : parse(text);
    if (value === undefined) errors.push(known in asked ? `${known} is given twice; name it once` : why);
    else asked[known] = value;
  }
  const { from, to } = asked as Asked;
  if (from !== undefined && to !== undefined && from >= to) errors.push('from must be before to');
  return errors.length > 0 ? errors : (asked as Asked);
}

const toChange = ({ id: _, at, kind, what, subnet, component, name, was, is, reason }: StoredChange) => ({
  at: toIso(at),
  subnet,
  component,
  name,
  [kind]: what,
  was,
  is,
  reason,
});

/** Seconds, and the share of the watched time that was not a failure, in percent; null when nothing was watched. */
function toShare({ ok, fail, unseen, planned }: Uptime) {
  const up = ok + planned;
  const watched = up + fail;
  // Rounded down: what failed for a moment was not up for all of the time.
  const percent = watched === 0 ? null : Math.floor((up * 100_000) / watched) / 1_000;
  return { ok: ok / 1_000, fail: fail / 1_000, unseen: unseen / 1_000, planned: planned / 1_000, percent };
}

interface Uptimes extends Pick<UptimeRow, 'subnet' | 'component' | 'name'> {
  readonly days: object[];
  readonly byMonth: Map<string, Uptime>;
}

const NONE: Uptime = { ok: 0, fail: 0, unseen: 0, planned: 0 };

const add = (one: Uptime, other: Uptime): Uptime => ({
  ok: one.ok + other.ok,
  fail: one.fail + other.fail,
  unseen: one.unseen + other.unseen,
  planned: one.planned + other.planned,
});

/** The days of targets, and what they add up to by month. `rows` has one target after the other. */
function toUptimes(rows: readonly UptimeRow[]) {
  const targets: Uptimes[] = [];
  // All targets have the same days.
  const dayOf = new Map<number, string>();
  for (const row of rows) {
    const { subnet, component, name, start } = row;
    let own = targets.at(-1);
    if (own === undefined || own.name !== name || own.component !== component || own.subnet !== subnet) {
      own = { subnet, component, name, days: [], byMonth: new Map() };
      targets.push(own);
    }
    const day = dayOf.get(start) ?? toIso(start).slice(0, 10);
    dayOf.set(start, day);
    own.days.push({ day, ...toShare(row) });
    const month = day.slice(0, 7);
    own.byMonth.set(month, add(own.byMonth.get(month) ?? NONE, row));
  }
  return targets.map(({ byMonth, ...target }) => ({
    ...target,
    months: [...byMonth].map(([month, sum]) => ({ month, ...toShare(sum) })),
  }));
}

const isRefused = (value: object): value is readonly string[] => Array.isArray(value);

const refuse = (c: Context, errors: readonly string[]) => c.text(`${errors.join('\n')}\n`, 400);

type ReadHistory = (query: Asked, store: HistoryStore) => Promise<object | readonly string[]>;

/** Answers what a request asks of the history. `store` rejects while the database is down. */
const answerFrom = (allowed: readonly (keyof Asked)[], read: ReadHistory) => (store: () => Promise<HistoryStore>) =>
  orAway('the history cannot be read; the log of subnetd says why', async (c) => {
    const query = parseQuery(c.req.url, allowed);
    if (isRefused(query)) return refuse(c, query);
    const found = await read(query, await store());
    return isRefused(found) ? refuse(c, found) : sendJson(c, found);
  });

/** `/history.json`: changes, the newest first. */
export const answerChanges = answerFrom(
  ['subnet', 'name', 'from', 'to', 'limit', 'after'],
  async ({ after, limit = CHANGES, ...rest }, { changes }) => {
    const found = await changes({ ...rest, before: after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return { changes: shown.map(toChange), ...(found.length > limit && last && { next: toCursor(last) }) };
  },
);

/** `/history.json/uptime`: the uptimes of targets by day and month. */
export const answerUptimes = answerFrom(['subnet', 'name', 'from', 'to'], async (query, { days }) => {
  const rows = await days({ ...query, limit: MOST_DAYS + 1 });
  return rows.length > MOST_DAYS
    ? [`the answer would exceed ${MOST_DAYS} target days; ask for a subnet, a target or a shorter time`]
    : { targets: toUptimes(rows) };
});
