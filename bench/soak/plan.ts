import { createRandom } from '../../test/support/random.ts';
import { candidatesOf, FAULT_NAMES, FAULTS, type FaultName } from './faults.ts';
import { nodesOf, type SimulatedSubnet, STALL_MS } from './fleet.ts';

/** How a fault goes: for minutes; for seconds, so that nobody is notified; with pauses; or its nodes leave the inventory. */
export type Pattern = 'long' | 'short' | 'flapping' | 'removed';

/** A fault of some nodes of a subnet, with its pauses. */
export interface Episode {
  readonly fault: FaultName;
  readonly pattern: Pattern;
  readonly subnet: SimulatedSubnet;
  readonly nodes: readonly number[];
}

/** What happens at a second after the start. */
export type Step = { readonly at: number } & (
  | { readonly do: 'begin' | 'pause' | 'end'; readonly episode: Episode }
  | { readonly do: 'list' | 'unlist'; readonly nodes: readonly number[] }
  | { readonly do: 'kill'; readonly shard: number; readonly downS: number }
  | { readonly do: 'postgres'; readonly signal: 'SIGINT' | 'SIGQUIT'; readonly downS: number }
  | { readonly do: 'alertmanager'; readonly downS: number }
);

const FAULTS_A_MINUTE = 8;
const FIRST_S = 20;
/** How long a subnet rests after a fault, so that its alert is over before the next one begins. */
const REST_S = 720;
const DISTURBED_EVERY_S = 110;
const CHANGED_EVERY_S = 45;
/** A shard that is down for this long is reported as unseen, but its alerts in Alertmanager do not end. */
const LONG_DOWN_S = 110;

/**
 * How long a short fault lasts at most. What ends before an interval has passed was found for less than the time to confirm,
 * also by the probe before its end. That all nodes refuse is a halt as soon as all were asked, which takes five seconds.
 */
const SHORT_S: Readonly<Record<FaultName, number>> = {
  ...{ refuses: 8, hangs: 8, stalls: 18, 'a masternode refuses': 8 },
  ...{ 'the subnet halts': 18, 'all nodes refuse': 3, 'all nodes hang': 8 },
};

/** Random choices. */
interface Dice {
  /** From `low` to `high`, in tenths of a second. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(from: readonly T[]) => T | undefined;
  readonly some: <T>(from: readonly T[], count: number) => readonly T[];
}

function createDice(random: () => number): Dice {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)];
  return {
    between: (low, high) => Math.round((low + random() * (high - low)) * 10) / 10,
    pick,
    some: (from, count) => {
      const chosen = new Set<(typeof from)[number]>();
      for (let tries = 0; chosen.size < count && tries < 100; tries += 1) {
        const one = pick(from);
        if (one !== undefined) chosen.add(one);
      }
      return [...chosen];
    },
  };
}

const WEIGHTED = FAULT_NAMES.flatMap((name) => Array.from({ length: FAULTS[name].weight }, () => name));
const PATTERNS: readonly Pattern[] = [
  'long',
  'long',
  'long',
  'long',
  'short',
  'short',
  'flapping',
  'flapping',
  'removed',
];

/** The steps of one episode. */
function planEpisode(episode: Episode, at: number, { between }: Dice): readonly Step[] {
  const { pattern, nodes, fault } = episode;
  const begin = (after: number): Step => ({ at: at + after, do: 'begin', episode });
  const pause = (after: number): Step => ({ at: at + after, do: 'pause', episode });
  const end = (after: number): Step => ({ at: at + after, do: 'end', episode });
  if (pattern === 'short') return [begin(0), end(between(1, SHORT_S[fault]))];
  const first = between(80, 260);
  if (pattern === 'long') return [begin(0), end(first)];
  if (pattern === 'removed')
    return [
      begin(0),
      { at: at + first, do: 'unlist', nodes },
      end(first + between(30, 90)),
      { at: at + first + between(100, 200), do: 'list', nodes },
    ];
  const steps = [begin(0)];
  let after = first;
  // Each return lasts until it was seen: of two that are seen more than two minutes apart, each has an alert of its own.
  const unseen = FAULTS[fault].mood === 'stalled' ? STALL_MS / 1_000 : 0;
  for (let times = between(1, 4); times > 0; times -= 1) {
    steps.push(pause(after));
    after += between(15, 50);
    steps.push(begin(after));
    after += unseen + between(30, 60);
  }
  return [...steps, end(after)];
}

/** Faults of nodes and subnets, each in a subnet that rests. */
function planFaults(subnets: readonly SimulatedSubnet[], seconds: number, dice: Dice) {
  const freeFrom = new Map<string, number>();
  const steps: Step[] = [];
  for (let at = FIRST_S; at < seconds - 30; at += dice.between(0, 120 / FAULTS_A_MINUTE)) {
    const subnet = dice.pick(subnets.filter(({ name }) => (freeFrom.get(name) ?? 0) <= at));
    const fault = dice.pick(WEIGHTED);
    const pattern = dice.pick(PATTERNS);
    if (subnet === undefined || fault === undefined || pattern === undefined) continue;
    const candidates = candidatesOf(fault, subnet);
    const count = { some: Math.ceil(dice.between(0.1, 3)), masternode: 1, all: candidates.length }[FAULTS[fault].takes];
    const nodes = FAULTS[fault].takes === 'all' ? candidates : dice.some(candidates, count);
    const planned = planEpisode({ fault, pattern, subnet, nodes }, Math.round(at * 10) / 10, dice);
    freeFrom.set(subnet.name, (planned.at(-1)?.at ?? at) + REST_S);
    steps.push(...planned);
  }
  return { steps, freeFrom };
}

/** Healthy nodes and subnets that leave the inventory and come back. They take subnets without a fault. */
function planChanges(subnets: readonly SimulatedSubnet[], seconds: number, dice: Dice): readonly Step[] {
  const steps: Step[] = [];
  let isWhole = false;
  for (let at = FIRST_S + 25; at < seconds - 60; at += CHANGED_EVERY_S) {
    const subnet = dice.pick(subnets);
    if (subnet === undefined) break;
    isWhole = !isWhole;
    const nodes = isWhole ? nodesOf(subnet) : dice.some(nodesOf(subnet), 3);
    steps.push({ at, do: 'unlist', nodes }, { at: at + dice.between(20, 120), do: 'list', nodes });
  }
  return steps;
}

/**
 * Kills of shards, restarts of PostgreSQL, and a dead Alertmanager, one after another. The last shard is killed once, early,
 * so that one process lives through most of the run.
 */
function planDisturbances(seconds: number, dice: Dice): readonly Step[] {
  const every = Math.min(DISTURBED_EVERY_S, (seconds - 60) / 7);
  const longest = Math.min(150, seconds / 4);
  const steps: Step[] = [];
  let round = 0;
  for (let at = 40; at < seconds - Math.min(60, every); round += 1) {
    const downS = dice.between(2, Math.min(35, every / 2));
    const isLong = round % 14 === 11;
    const step: Step =
      [
        { at, do: 'kill', shard: 2, downS } as const,
        { at, do: 'postgres', signal: 'SIGINT', downS } as const,
        { at, do: 'kill', shard: 0, downS } as const,
        { at, do: 'alertmanager', downS: dice.between(longest / 2, longest) } as const,
        { at, do: 'kill', shard: 1, downS: isLong ? LONG_DOWN_S : downS } as const,
        { at, do: 'postgres', signal: 'SIGQUIT', downS } as const,
        { at, do: 'kill', shard: 1, downS: 0.5 } as const,
      ][round % 7] ?? ({ at, do: 'kill', shard: 0, downS } as const);
    // Only the first round takes the last shard.
    steps.push(step.do === 'kill' && step.shard === 2 && round > 0 ? { ...step, shard: 0 } : step);
    at += every + (isLong ? LONG_DOWN_S : 0) + dice.between(0, every / 4);
  }
  return steps;
}

/** The steps of a run of `seconds`, in order. The same seed gives the same steps. */
export function planSoak(seed: number, seconds: number, subnets: readonly SimulatedSubnet[]): readonly Step[] {
  const dice = createDice(createRandom(seed));
  // Some subnets never have a fault: their nodes come and go.
  const withoutFaults = subnets.filter((_, index) => index % 8 === 7);
  const others = subnets.filter((_, index) => index % 8 !== 7);
  const { steps } = planFaults(others, seconds, dice);
  return [...steps, ...planChanges(withoutFaults, seconds, dice), ...planDisturbances(seconds, dice)]
    .filter(({ at }) => at < seconds)
    .toSorted((one, other) => one.at - other.at);
}
