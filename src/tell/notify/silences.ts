import type { Answer, Client } from './create-client.ts';

/** A silence as Alertmanager shows it; times are RFC 3339. */
export interface Silence {
  readonly id: string;
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
  readonly status: { readonly state: 'active' | 'pending' | 'expired' };
}

/** What to silence, from when to when (Unix milliseconds), by whom and why. */
export interface SilenceRequest {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
}

/** The result at one Alertmanager. */
export type Silenced =
  | { readonly ok: true; readonly address: string; readonly id: string }
  | { readonly ok: false; readonly why: string };

/** How long a silence takes at most to reach all members of a cluster. */
const GOSSIP_MS = 3_000;
const POLL_MS = 200;

const stateOf = (answer: Answer): string | undefined =>
  answer.ok ? (answer.body as Partial<Silence> | undefined)?.status?.state : undefined;

/** Does a silence of another Alertmanager arrive here by itself, as in a cluster? */
async function arrives(client: Client, ids: readonly string[]): Promise<string | undefined> {
  const deadline = performance.now() + GOSSIP_MS;
  while (ids.length > 0) {
    for (const id of ids) {
      const state = stateOf(await client.call('GET', `/silence/${id}`));
      if (state === 'active' || state === 'pending') return id;
    }
    if (performance.now() > deadline) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}

/** Writes the silence to every Alertmanager that does not get it from another. */
export async function addSilence(clients: readonly Client[], request: SilenceRequest): Promise<readonly Silenced[]> {
  const { labels, startsAt, endsAt, createdBy, comment } = request;
  const body = {
    matchers: Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true })),
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
    createdBy,
    comment,
  };
  const results: Silenced[] = [];
  for (const client of clients) {
    const { address } = client;
    const made = results.flatMap((result) => (result.ok ? [result.id] : []));
    const known = await arrives(client, made);
    if (known !== undefined) {
      results.push({ ok: true, address, id: known });
      continue;
    }
    const answer = await client.call('POST', '/silences', body);
    const id = answer.ok ? (answer.body as { readonly silenceID?: unknown } | undefined)?.silenceID : undefined;
    if (typeof id === 'string') results.push({ ok: true, address, id });
    else results.push({ ok: false, why: answer.ok ? `${address} returns no id; is it an Alertmanager?` : answer.why });
  }
  return results;
}

/** How the end of a silence went. */
export interface SilenceEnd {
  /** How many Alertmanagers have ended it now. */
  readonly ended: number;
  /** When it ended where it was over already, in Unix milliseconds; the last of these times. */
  readonly overSince?: number;
  readonly errors: readonly string[];
}

/** Ends the silence at every Alertmanager that has it. */
export async function endSilence(clients: readonly Client[], id: string): Promise<SilenceEnd> {
  const errors: string[] = [];
  const over: number[] = [];
  let ended = 0;
  for (const client of clients) {
    const found = await client.call('GET', `/silence/${id}`);
    if (!found.ok && found.status !== 404) errors.push(found.why);
    if (!found.ok) continue;
    const state = stateOf(found);
    if (state === 'expired') over.push(Date.parse((found.body as Silence).endsAt));
    if (state !== 'active' && state !== 'pending') continue;
    const answer = await client.call('DELETE', `/silence/${id}`);
    if (answer.ok) ended += 1;
    else errors.push(answer.why);
  }
  const times = over.filter(Number.isFinite);
  return { ended, errors, ...(times.length > 0 && { overSince: Math.max(...times) }) };
}

/** The active and pending silences, each with the address of the first Alertmanager that has it. */
export async function listSilences(clients: readonly Client[]) {
  const silences = new Map<string, Silence & { readonly address: string }>();
  const errors: string[] = [];
  for (const client of clients) {
    const answer = await client.call('GET', '/silences');
    if (!answer.ok) errors.push(answer.why);
    if (!answer.ok || !Array.isArray(answer.body)) continue;
    for (const silence of answer.body as readonly Silence[])
      if (silence.status.state !== 'expired' && !silences.has(silence.id))
        silences.set(silence.id, { ...silence, address: client.address });
  }
  return { silences: [...silences.values()], errors };
}
