import { MINUTE_MS } from '../../lib/duration.ts';
import type { CheckBar, Minute, PaceRow, StepHistory, StepsRow } from '../../model/history.ts';
import { statusOfFault } from '../../model/name-fault.ts';
import { toCoins } from '../../model/parent-chain.ts';
import type { Epoch, Masternode, Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import { RANGE_NAMES, RANGES, type RangeName } from '../../model/time-range.ts';
import { createCells } from './create-cells.ts';
import { partOf } from './create-history.ts';
import { addMark, readMarks } from './probe-marks.ts';
import {
  addValue,
  createStepCells,
  isKnown,
  joinPacked,
  last,
  most,
  openMinute,
  packCells,
  readColumn,
  type StepCells,
  sum,
} from './step-cells.ts';
import { createTargetMemory } from './target-memory.ts';

/** The columns of a target, and of a subnet. */
const OF_TARGET = { p50: 0, p95: 1, lag: 2, missed: 3 } as const;
const TARGET_JOINS = [last, last, most, sum];
const OF_SUBNET = { blocks: 0, minutes: 1, gap: 2, coins: 3 } as const;
const SUBNET_JOINS = [sum, sum, most, last];
const STRANGER_JOINS = [sum];

/** Ranges whose steps have more probes than are kept one by one: these are counted by how long they took, each time within a fifth. */
const COARSE = RANGE_NAMES.slice(1);
const FIRST_BUCKET_MS = 0.5;
const GROWTH = 1.2;
const BUCKETS = 64;

const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log(ms / FIRST_BUCKET_MS) / Math.log(GROWTH))));

/** What so large a share of the probes took at most, of their times in order. */
const quantileOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.POSITIVE_INFINITY;

/** With fewer probes, a process that has just started knows less of a step than the one before it. */
const ENOUGH = 20;

// Of the buckets from `first` on. A part of a typed array, or a function for each share, is garbage, and thousands of targets end a minute at once.

function countFrom(counts: Uint16Array, first: number): number {
  let all = 0;
  for (let bucket = first; bucket < first + BUCKETS; bucket += 1) all += counts[bucket] ?? 0;
  return all;
}

function quantileOfCounts(counts: Uint16Array, first: number, all: number, share: number): number {
  let left = Math.ceil(all * share);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = counts[first + bucket] ?? 0;
    left -= count;
    if (count > 0 && left <= 0) return FIRST_BUCKET_MS * GROWTH ** (bucket - 0.5);
  }
  return Number.POSITIVE_INFINITY;
}

const RPC: readonly RoundName[] = ['rpc', 'console'];
const SERVICES: readonly RoundName[] = ['services'];
const CONTAINERS: readonly RoundName[] = ['containers'];

/** The rounds of the probe that matters most. */
const roundsOf = ({ facts: { node, service } }: TargetState): readonly RoundName[] =>
  node ? RPC : service ? SERVICES : CONTAINERS;

/** Whether that probe was answered. */
function isAnswered({ facts: { node, service, container } }: TargetState): boolean {
  if (node) return node.observation.answered;
  if (service) return service.observation.ok || statusOfFault(service.observation.fault) !== undefined;
  const kind = container?.observation?.kind;
  return kind !== undefined && kind !== 'docker-unreachable';
}

/** The state of the first check that was judged by that probe. */
function findRun(state: TargetState) {
  const rounds = roundsOf(state);
  for (const check of state.checks) if (check.lastRun !== undefined && rounds.includes(check.round)) return check;
  return undefined;
}

/** The nodes of another chain, or of one that is not known yet: they are not behind this one. */
const findApart = ({ members = [] }: SubnetState): ReadonlySet<string> =>
  new Set(members.filter(({ isOnChain }) => isOnChain !== true).map(({ name }) => name));

/** How many blocks a node that answers is below the height that half of the nodes have. */
function findLag({ facts: { node } }: TargetState, reference: number | undefined): number | undefined {
  if (reference === undefined || !node?.observation.latest.ok || node.latest === undefined) return undefined;
  return Math.max(0, reference - node.latest.number);
}

/** Marks from 1 on: each probe has one, seen or not. */
const KINDS: readonly CheckBar[] = ['none', 'none', 'up', 'down'];
const MARKS = { unseen: 1, ok: 2, planned: 2, fail: 3 };

/** What is kept of a target. */
const createTargetSteps = () => ({
  steps: createStepCells(TARGET_JOINS, 'half'),
  /** When it was last probed. */
  lastRun: Number.NaN,
  /** Of the newest minute: whether it was probed, how long its answered probes took, and how near it came to the others. */
  isProbed: false,
  times: [] as number[],
  lag: Number.POSITIVE_INFINITY,
  /** The marks of its last probes. */
  probes: 0,
  /** How often its probes took how long in the newest step of each coarse range. */
  counts: createCells(Uint16Array, COARSE.length * BUCKETS),
  missed: undefined as Missed | undefined,
});
type TargetMemory = ReturnType<typeof createTargetSteps>;

/** The rounds that a masternode had missed in an epoch when that was last looked at. */
interface Missed {
  readonly firstBlock: number | undefined;
  readonly count: number;
}

/** What is kept of a masternode that no node of the inventory runs. */
const createStranger = () => ({
  steps: createStepCells(STRANGER_JOINS, 'half'),
  missed: undefined as Missed | undefined,
});
type Stranger = ReturnType<typeof createStranger>;

/** Adds the rounds that were missed since the last look; what was before the first one is not known. */
function addMissed(
  own: Stranger,
  column: number,
  minute: number,
  { missedRounds: count }: Partial<Masternode> = {},
  { firstBlock }: Partial<Epoch> = {},
): void {
  if (count === undefined) return;
  const { missed: before } = own;
  const since = before?.firstBlock === firstBlock ? (before?.count ?? 0) : 0;
  // On another branch there may be fewer for a moment.
  own.missed = { firstBlock, count: Math.max(count, since) };
  if (before !== undefined) addValue(own.steps, minute, column, Math.max(0, count - since));
}

function strangerOf(known: Map<string, Stranger>, address: string): Stranger {
  const own = known.get(address) ?? createStranger();
  known.set(address, own);
  return own;
}

/** Records the masternodes of an epoch that nobody runs, and forgets those that are in it no more. */
function recordStrangers(known: Map<string, Stranger>, minute: number, epoch: Epoch): void {
  const strangers = epoch.masternodes.filter(({ name }) => name === undefined);
  const addresses = new Set(strangers.map(({ address }) => address));
  for (const address of known.keys()) if (!addresses.has(address)) known.delete(address);
  for (const one of strangers) {
    const own = strangerOf(known, one.address);
    if (minute <= own.steps.newest) continue;
    if (own.steps.newest !== 0) addMissed(own, 0, own.steps.newest, one, epoch);
    openMinute(own.steps, minute);
  }
}

function addLatency({ steps, times, counts }: TargetMemory, minute: number): void {
  const add = (range: RangeName, p50: number, p95: number) => {
    addValue(steps, minute, OF_TARGET.p50, p50, range);
    addValue(steps, minute, OF_TARGET.p95, p95, range);
  };
  times.sort((one, other) => one - other);
  add('1h', quantileOf(times, 0.5), quantileOf(times, 0.95));
  let first = 0;
  for (const range of COARSE) {
    for (const ms of times) {
      const bucket = first + bucketOf(ms);
      counts[bucket] = Math.min(0xffff, (counts[bucket] ?? 0) + 1);
    }
    const all = countFrom(counts, first);
    if (all >= ENOUGH || !isKnown(steps, minute, OF_TARGET.p50, range))
      add(range, quantileOfCounts(counts, first, all, 0.5), quantileOfCounts(counts, first, all, 0.95));
    first += BUCKETS;
  }
}

/** Ends the newest minute of a target, and begins another one. */
function turnMinute(own: TargetMemory, minute: number, state: TargetState, subnet: SubnetState): void {
  const ended = own.steps.newest;
  if (own.isProbed) addLatency(own, ended);
  if (own.lag !== Number.POSITIVE_INFINITY) addValue(own.steps, ended, OF_TARGET.lag, own.lag);
  if (ended !== 0 && state.target.component === 'node') {
    const masternode = subnet.epoch?.masternodes.find(({ name }) => name === state.target.name);
    addMissed(own, OF_TARGET.missed, ended, masternode, subnet.epoch);
  }
  for (const [place, range] of COARSE.entries()) {
    const stepMinutes = RANGES[range].stepMs / MINUTE_MS;
    if (Math.floor(minute / stepMinutes) !== Math.floor(ended / stepMinutes))
      own.counts.fill(0, place * BUCKETS, (place + 1) * BUCKETS);
  }
  own.isProbed = false;
  own.times.length = 0;
  own.lag = Number.POSITIVE_INFINITY;
  openMinute(own.steps, minute);
}

function recordTarget(
  own: TargetMemory,
  minute: number,
  state: TargetState,
  subnet: SubnetState,
  apart: ReadonlySet<string> | undefined,
): void {
  if (minute > own.steps.newest) turnMinute(own, minute, state, subnet);
  own.lag = apart?.has(state.target.name)
    ? Number.POSITIVE_INFINITY
    : Math.min(own.lag, findLag(state, subnet.reference) ?? Number.POSITIVE_INFINITY);
  const run = findRun(state);
  if (run?.lastRun === undefined || run.durationSeconds === undefined || own.lastRun === run.lastRun) return;
  own.lastRun = run.lastRun;
  own.isProbed = true;
  own.probes = addMark(own.probes, MARKS[partOf(state, subnet.plannedWork)]);
  if (isAnswered(state)) own.times.push(run.durationSeconds * 1_000);
}

/** A minute of a target or subnet, by the names of its columns. */
export interface StepMinute<Column extends string> {
  readonly at: number;
  readonly values: Readonly<Partial<Record<Column, number>>>;
}

function packMinutes<Column extends string>(
  own: StepCells,
  columns: Readonly<Record<Column, number>>,
  minutes: Iterable<StepMinute<Column>>,
): Pick<StepsRow, 'newest' | 'cells'> {
  for (const { at, values } of minutes) {
    const minute = Math.floor(at / MINUTE_MS);
    openMinute(own, minute);
    for (const column in columns) {
      const value = values[column];
      if (value !== undefined) addValue(own, minute, columns[column], value);
    }
  }
  return { newest: own.newest * MINUTE_MS, cells: packCells(own) };
}

/** The steps of a target as they are stored, of its minutes, the oldest first. */
export const packTargetSteps = (minutes: Iterable<StepMinute<keyof typeof OF_TARGET>>) =>
  packMinutes(createStepCells(TARGET_JOINS, 'half'), OF_TARGET, minutes);

/** Same of a subnet. */
export const packSubnetSteps = (minutes: Iterable<StepMinute<keyof typeof OF_SUBNET>>) =>
  packMinutes(createStepCells(SUBNET_JOINS, 'single'), OF_SUBNET, minutes);

/**
 * Follows each target and subnet in steps of a minute, half an hour and more, for pages. A clock that was set back goes on in the newest
 * minute. Starts with nothing.
 */
export function createSteps() {
  const targets = createTargetMemory<TargetMemory>((_, before) => before ?? createTargetSteps());
  let subnets = new Map<string, StepCells>();
  /** By subnet and address. */
  let strangers = new Map<string, Map<string, Stranger>>();
  /** Takes over the subnets of a snapshot. */
  const updateSubnets = (snapshot: Snapshot) => {
    if (snapshot.length === subnets.size && snapshot.every(({ subnet }) => subnets.has(subnet.name))) return;
    const cellsOf = (name: string) => subnets.get(name) ?? createStepCells(SUBNET_JOINS, 'single');
    subnets = new Map(snapshot.map(({ subnet: { name } }) => [name, cellsOf(name)]));
    strangers = new Map(snapshot.map(({ subnet: { name } }) => [name, strangers.get(name) ?? new Map()]));
  };
  const cellsOf = ({ subnet, component, name }: Pick<StepsRow, 'subnet' | 'component' | 'name'>) => {
    if (component === 'subnet') return subnets.get(subnet);
    if (component !== 'masternode') return targets.of({ subnet, component, name })?.steps;
    const known = strangers.get(subnet);
    return known && strangerOf(known, name).steps;
  };
  const addMinute = (subnet: string, { at, blocks, gap }: Minute): void => {
    const own = subnets.get(subnet);
    if (own === undefined) return;
    const minute = Math.floor(at / MINUTE_MS);
    openMinute(own, minute);
    addValue(own, minute, OF_SUBNET.blocks, blocks);
    addValue(own, minute, OF_SUBNET.minutes, 1);
    if (gap !== undefined) addValue(own, minute, OF_SUBNET.gap, gap);
  };
  const history: StepHistory = {
    stepsOf: (subnet, range, at) => {
      const read = (column: number) => readColumn(subnets.get(subnet), column, range, at);
      const minutes = read(OF_SUBNET.minutes);
      const blocks = read(OF_SUBNET.blocks).map((count, index) => count && count / (minutes[index] ?? 1));
      return { blocks, gap: read(OF_SUBNET.gap), coins: read(OF_SUBNET.coins) };
    },
    targetStepsOf: (target, range, at) => {
      const read = (column: number) => readColumn(targets.of(target)?.steps, column, range, at);
      const { p50, p95, lag, missed } = OF_TARGET;
      return { p50: read(p50), p95: read(p95), lag: read(lag), missed: read(missed) };
    },
    strangersOf: (subnet, range, at) =>
      [...(strangers.get(subnet) ?? [])].map(([name, { steps }]) => ({
        name,
        missed: readColumn(steps, 0, range, at),
      })),
  };
  return {
    ...history,
    /** `at` is wall time. */
    record: (snapshot: Snapshot, at: number): void => {
      const minute = Math.floor(at / MINUTE_MS);
      updateSubnets(snapshot);
      for (const { subnet, facts, epoch } of snapshot) {
        const [own, wallet] = [subnets.get(subnet.name), facts?.parent?.wallet];
        const known = strangers.get(subnet.name);
        if (own === undefined || known === undefined) continue;
        if (epoch !== undefined) recordStrangers(known, minute, epoch);
        openMinute(own, minute);
        if (wallet !== undefined && facts?.parent?.observation.balance?.ok)
          addValue(own, minute, OF_SUBNET.coins, toCoins(wallet.balance));
      }
      const apart = new Map(snapshot.map((one) => [one, findApart(one)]));
      targets.each(snapshot, (own, state, subnet) => recordTarget(own, minute, state, subnet, apart.get(subnet)));
    },
    addMinute,
    /** What the last probes of a target found, the oldest first. */
    probesOf: (target: Target): readonly CheckBar[] => readMarks(targets.of(target)?.probes ?? 0, KINDS),
    /** Takes over the subjects of a snapshot, whose steps can be restored from then on. */
    begin: (snapshot: Snapshot): void => {
      updateSubnets(snapshot);
      targets.each(snapshot, () => {});
    },
    /** Joins what was stored before. */
    restore: (rows: readonly StepsRow[]): void => {
      for (const { subnet, component, name, newest, cells } of rows) {
        const own = cellsOf({ subnet, component, name });
        if (own !== undefined) joinPacked(own, cells, Math.floor(newest / MINUTE_MS));
      }
    },
    /** Adds minutes that were stored on their own, unless they are known: steps are stored less often. */
    restoreMinutes: (minutes: readonly PaceRow[]): void => {
      for (const { subnet, ...minute } of minutes) {
        const known = readColumn(subnets.get(subnet), OF_SUBNET.minutes, '1h', minute.at + MINUTE_MS).at(-1);
        if (known === undefined) addMinute(subnet, minute);
      }
    },
    /** All steps of some subnets, to store them, as they are when each is asked for. */
    *rows(snapshot: Snapshot): Generator<StepsRow> {
      const toRow = (own: StepCells) => ({ newest: own.newest * MINUTE_MS, cells: packCells(own) });
      for (const { subnet, targets: states } of snapshot) {
        const own = subnets.get(subnet.name);
        if (own !== undefined) yield { subnet: subnet.name, component: 'subnet', name: '', ...toRow(own) };
        for (const [name, { steps }] of strangers.get(subnet.name) ?? [])
          yield { subnet: subnet.name, component: 'masternode', name, ...toRow(steps) };
        for (const { target } of states) {
          const { subnet: ofSubnet, component, name } = target;
          const kept = targets.of(target);
          if (kept !== undefined) yield { subnet: ofSubnet, component, name, ...toRow(kept.steps) };
        }
      }
    },
  };
}
