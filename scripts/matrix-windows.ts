import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { START_HEIGHT } from '../src/demo/chain.ts';
import { toDemoInventory } from '../src/demo/demo-inventory.ts';
import { isGap } from '../src/demo/elections.ts';
import type { FaultName } from '../src/demo/faults.ts';
import { BLOCK_MS, RELAY_PERIOD_MS } from '../src/demo/parent-chain.ts';
import { KILLED_AFTER_MS } from '../src/demo/rolling-restart.ts';
import { BLOCK_PERIOD_MS } from '../src/demo/timeline.ts';
import { durationMs, MINUTE_MS } from '../src/lib/duration.ts';
import { PACKETS_WITHIN_MS } from '../src/model/check-limits.ts';
import { ENOUGH, lastMs } from '../src/model/parent-chain.ts';
import { problemCatalog, problemsOfAlert } from '../src/model/problem-catalog.ts';
import type { Schedule } from '../src/model/target.ts';
import { BEFORE_CHOICE_MS } from '../src/watch/diagnosis/find-next-set.ts';
import { LINE_BEFORE_MS } from '../src/watch/diagnosis/find-node-problems.ts';
import { CONFIRMED_AT } from '../src/watch/diagnosis/find-parent-problems.ts';
import { STALLED_MS } from '../src/watch/diagnosis/find-subnet-problems.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { BUCKET_MS, BUCKETS } from '../src/watch/logs/compare-clocks.ts';
import { AFTER_START_MS } from '../src/watch/monitor/create-subnet-probes.ts';
import { EVERY_MS } from '../src/watch/probes/chain-question.ts';
import { PARENT_MS } from '../src/watch/probes/subnet-probers.ts';
import { MISSED_CYCLES } from '../src/watch/rules/judge-submissions.ts';
import type { MatrixRow } from './matrix-page.ts';

/** The page says of each later message what it has waited for. */
export const SOON_MS = MINUTE_MS;

type Told = Pick<MatrixRow, 'problems' | 'alerts' | 'kinds'>;

/** Something that a message waits for. `isMost`: it is less when the fault comes at a better moment. */
export interface Wait {
  readonly what: string;
  readonly ms: number;
  readonly isMost?: true;
}

const wait = (what: string, ms: number): Wait => ({ what, ms });
const upTo = (what: string, ms: number): Wait => ({ what, ms, isMost: true });

/** Any addresses will do. */
const url = (port: number) => `http://127.0.0.1:${port}`;
const parsed = parseInventory(
  toDemoInventory({
    nodes: [{ name: 'subnet1', rpc: url(1) }],
    relayer: url(2),
    stats: url(3),
    frontend: url(4),
    parent: url(5),
    docker: url(6),
    statsFiles: '/debug/*.log',
  }),
  {},
);
const settings = parsed.ok ? parsed.inventory.subnets[0]?.settings : undefined;
if (settings === undefined) throw new Error(`the inventory of the demo is bad: ${JSON.stringify(parsed)}`);
const { logs, rpc, console: page } = settings;

const everyMs = (schedule: Schedule): number => (schedule.kind === 'every' ? schedule.ms : Number.NaN);

/** From the start of the demo to the next choice of masternodes. */
const toChoiceMs = (): number => {
  let blocks = 1;
  while (!isGap(START_HEIGHT + blocks)) blocks++;
  return blocks * BLOCK_PERIOD_MS;
};

const NEXT_CYCLE = upTo('the next cycle of the relayer', RELAY_PERIOD_MS);
const NEXT_READING = upTo('the next reading of the parent chain', PARENT_MS);
const POOLS = upTo('each node is asked for its pool', EVERY_MS);

/** What a fault waits for before its problem is found. For how long it must be found is in the catalog. */
const WAITS: Readonly<Partial<Record<FaultName, readonly Wait[]>>> = {
  'relayer-silent': [NEXT_CYCLE, wait(`${MISSED_CYCLES} cycles without a line`, MISSED_CYCLES * RELAY_PERIOD_MS)],
  'relayer-forking': [NEXT_CYCLE],
  'contract-gone': [NEXT_CYCLE],
  'bootnode-misses-a-node': [wait('no message of the node', logs.bootnodeWindowMs)],
  'stats-stale': [wait('no new block', logs.blockDataWithinMs)],
  'console-error': [upTo('the next visit of the page', everyMs(page.schedule))],
  fork: [upTo('each node is asked for an old block', EVERY_MS)],
  'non-voting': [upTo('its last votes are in the pools', MINUTE_MS), POOLS],
  'double-vote': [POOLS],
  // Older turns count less, and a round without a block takes longer.
  'turns-missed': [upTo('a hundred turns of each masternode', 22 * MINUTE_MS)],
  'masternode-resigned': [
    upTo(`until ${BEFORE_CHOICE_MS / MINUTE_MS} minutes before the choice`, toChoiceMs() - BEFORE_CHOICE_MS),
  ],
  'finality-stalled': [wait('no committed block', STALLED_MS)],
  'clock-wrong': [upTo('earlier lines count', BUCKETS * BUCKET_MS)],
  'parent-halted': [wait(`no block where one comes every ${BLOCK_MS / 1_000} s`, CONFIRMED_AT * lastMs(BLOCK_MS))],
  'checkpoint-behind': [upTo('the lag reaches its limit', logs.submissionsWithinMs ?? Number.NaN), NEXT_READING],
  'wallet-low': [upTo('payments are watched', ENOUGH.ms), NEXT_READING],
  'packets-stuck': [wait('a packet does not arrive', PACKETS_WITHIN_MS)],
  'rpc-moved': [upTo('its log goes on', LINE_BEFORE_MS + BLOCK_PERIOD_MS)],
  'unlisted-node': [upTo('containers are listed after a start', AFTER_START_MS)],
  'ordered-then-killed': [wait('from the restart to the kill', KILLED_AFTER_MS)],
};

/** Their suspicion brings its own time, which is above. */
const CONFIRMED_APART: readonly string[] = ['parent-halted'] satisfies readonly FaultName[];

/** `SubnetNodeDown subnet2 (warning, 60 s)` as name, severity and seconds. */
export function parseAlert(text: string) {
  const [, alert = '', severity = '', seconds = ''] = /^(.*) \((\w+), (\d+) s\)$/.exec(text) ?? [];
  return { alert, severity, seconds: Number(seconds) };
}

const parseProblem = (text: string) => {
  const [, name = '', seconds = ''] = /^(\w+).* \((\d+) s\)$/.exec(text) ?? [];
  return { name, ms: Number(seconds) * 1_000 };
};

/** The first message of a row, and its problem with when that was open: here, and in networks of other clients. */
export function findFirst({ problems, alerts, kinds }: Told) {
  const [first] = alerts.map(parseAlert).toSorted((one, other) => one.seconds - other.seconds);
  if (first === undefined) return undefined;
  const reported = problemsOfAlert(first.alert.split(' ')[0] ?? '');
  const openIn = (texts: readonly string[]) =>
    texts.map(parseProblem).find(({ name }) => reported.some((one) => one === name));
  const open = openIn(problems);
  const problem = reported.find((one) => one === open?.name);
  const others = Object.values(kinds).flatMap((texts) => openIn(texts)?.ms ?? []);
  return { problem, severity: first.severity, toldMs: first.seconds * 1_000, openMs: open?.ms ?? Number.NaN, others };
}

/** What the first message of a row has waited for: nothing, where it came soon enough. */
export function findWaits(row: Told & Pick<MatrixRow, 'fault'>): readonly Wait[] {
  const { problem, toldMs } = findFirst(row) ?? { toldMs: 0 };
  if (problem === undefined || toldMs <= SOON_MS) return [];
  const confirmMs = CONFIRMED_APART.includes(row.fault) ? 0 : problemCatalog[problem].confirmMs;
  return [...(WAITS[row.fault as FaultName] ?? []), ...(confirmMs > 0 ? [wait('confirmation', confirmMs)] : [])];
}

export const formatWait = ({ what, ms, isMost }: Wait): string => `${what}: ${isMost ? 'up to ' : ''}${ms / 1_000} s`;

/** A file of the shipped configuration. */
export const readConfig = (name: string) => parse(readFileSync(new URL(`../config/${name}`, import.meta.url), 'utf8'));

interface Route {
  readonly matchers?: readonly string[];
  readonly group_wait?: string;
  readonly routes?: readonly Route[];
}

const { scrape_interval, evaluation_interval } = readConfig('prometheus/prometheus.yml').global;
const { route }: { readonly route: Route } = readConfig('alertmanager/alertmanager.yml.example');

/** How long Alertmanager waits for more of a subnet. */
const groupWaitMs = (severity: string): number => {
  const own = route.routes?.find(({ matchers }) => matchers?.includes(`severity="${severity}"`));
  return durationMs(own?.group_wait ?? route.group_wait ?? '0s');
};

/** What any message takes at most, in milliseconds. */
export const BESIDES = {
  roundMs: everyMs(rpc.schedule),
  scrapeMs: durationMs(scrape_interval),
  evaluationMs: durationMs(evaluation_interval),
  groupWaitMs,
};

/** From an open problem to its message. */
export const toMessageMs = (severity: string): number =>
  BESIDES.scrapeMs + BESIDES.evaluationMs + groupWaitMs(severity);

/** The same with a round of checks to see a fault, and one to see it again. */
export const besidesMs = (severity: string): number => 2 * BESIDES.roundMs + toMessageMs(severity);
