import { type ProblemName, problemCatalog } from '../../src/model/problem-catalog.ts';
import type { Status } from '../../src/web/to-status.ts';
import { problemKey } from './faults.ts';
import { INTERVAL_MS, nodeName, nodesOf, type SimulatedSubnet, TIMEOUT_MS } from './fleet.ts';
import type { Episode } from './plan.ts';
import { type Expected, expectBlock, expectPeers, expectProblems, type Truth } from './truth.ts';

/** What is compared with the simulation. */
export type Compared =
  | 'latest_block'
  | 'peers'
  | 'problem that must be open'
  | 'problem that must not be open'
  | 'problem that must have cleared';

/** How long something was reported wrongly, and what. */
export interface Wrong {
  readonly compared: Compared;
  readonly subject: string;
  readonly reported: string;
  readonly truth: string;
  /** When it was seen, in milliseconds since the start, and for how long by then at most. */
  readonly at: number;
  readonly forMs: number;
}

const SAMPLE_MS = 1_000;
/** A verdict is right with the probe that follows: an interval, the time that a probe may take, and one for the sample. */
export const VERDICT_LIMIT_MS = INTERVAL_MS + TIMEOUT_MS + SAMPLE_MS;
/**
 * A problem is found by one round, and open with the round that follows its time to confirm. It clears from the round that does
 * not find it any more, and is over with the round that follows its time to clear.
 */
export const OPEN_LIMIT_MS = VERDICT_LIMIT_MS + INTERVAL_MS;

const limitOf = (compared: Compared): number =>
  compared === 'problem that must be open' || compared === 'problem that must have cleared'
    ? OPEN_LIMIT_MS
    : VERDICT_LIMIT_MS;

/** What all samples gave. */
export interface SampleResult {
  readonly samples: number;
  readonly verdicts: number;
  /** Verdicts that were not what was true at that moment. */
  readonly wrong: number;
  /** The longest of each kind, with what it was. */
  readonly worst: ReadonlyMap<Compared, Wrong>;
  /** Those that were longer than allowed, each once, with its longest time. */
  readonly tooLong: readonly Wrong[];
}

/** Compares samples of the shards' status with the truth. */
export interface SampleJudge {
  take(shard: number, status: Status, now: number): void;
  result(): SampleResult;
}

const isOpen = ({ state }: { readonly state: string }) => state === 'open';

/** A wrong verdict counts from when the truth changed, or from the sample before, if it was right then. */
export function createSampleJudge(truth: Truth): SampleJudge {
  const wrongSince = new Map<string, number>();
  const worst = new Map<Compared, Wrong>();
  const tooLong = new Map<string, Wrong>();
  const lastSample: number[] = [];
  const counts = { samples: 0, verdicts: 0, wrong: 0 };

  const compare = (
    compared: Compared,
    subject: string,
    reported: string,
    { value, since }: Expected<string>,
    shard: number,
    now: number,
  ) => {
    const key = `${compared} ${subject}`;
    counts.verdicts += 1;
    if (reported === value) return void wrongSince.delete(key);
    counts.wrong += 1;
    const watchedSince = truth.lives[shard]?.at(-1)?.from ?? 0;
    const begun = Math.max(since, wrongSince.get(key) ?? Math.max(lastSample[shard] ?? 0, watchedSince));
    wrongSince.set(key, begun);
    const one: Wrong = { compared, subject, reported, truth: value, at: now, forMs: now - begun };
    if (one.forMs > (worst.get(compared)?.forMs ?? -1)) worst.set(compared, one);
    if (one.forMs > limitOf(compared)) tooLong.set(`${key} ${begun}`, one);
  };

  const compareNodes = (subnet: SimulatedSubnet, reported: Status['subnets'][number] | undefined, now: number) => {
    const watchedSince = truth.lives[subnet.shard]?.at(-1)?.from ?? 0;
    const targets = new Map(reported?.targets.map((target) => [target.name, target]));
    for (const index of nodesOf(subnet)) {
      const name = nodeName(subnet, index);
      const target = targets.get(name);
      const verdictOf = (wanted: string) =>
        target === undefined ? 'absent' : (target.checks.find(({ check }) => check === wanted)?.verdict ?? 'missing');
      const subject = `${subnet.name}/${name}`;
      const block = expectBlock(truth, index, watchedSince, now);
      compare('latest_block', subject, verdictOf('latest_block'), block, subnet.shard, now);
      const peers = expectPeers(truth, subnet, index);
      if (peers !== undefined) compare('peers', subject, verdictOf('peers'), peers, subnet.shard, now);
    }
  };

  const compareProblems = (
    { name, shard }: SimulatedSubnet,
    reported: Status['subnets'][number] | undefined,
    episodes: readonly Episode[],
    now: number,
  ) => {
    const open = new Set(reported?.problems.filter(isOpen).map((one) => problemKey(one.problem, one.name)));
    const expected = expectProblems(truth, episodes);
    for (const { key, dueAt, to } of expected)
      if (to > now && dueAt <= now)
        compare(
          'problem that must be open',
          `${name}: ${key}`,
          open.has(key) ? 'open' : 'not open',
          { value: 'open', since: dueAt },
          shard,
          now,
        );
    for (const { problem, name: node, state } of reported?.problems ?? []) {
      if (state === 'suspected') continue;
      const key = problemKey(problem, node);
      const causes = expected.filter((one) => one.key === key || one.beside.includes(problem));
      // Until it is over, it is shown as clearing.
      const lateMs = state === 'open' ? 0 : problemCatalog[problem as ProblemName].clearMs;
      const over = Math.max(0, ...causes.map(({ to }) => to + lateMs));
      const value = over > now ? state : 'over';
      const compared = state === 'open' ? 'problem that must not be open' : 'problem that must have cleared';
      compare(compared, `${name}: ${key}`, state, { value, since: over }, shard, now);
    }
  };

  return {
    take: (shard, status, now) => {
      counts.samples += 1;
      const bySubnet = new Map(status.subnets.map((subnet) => [subnet.name, subnet]));
      const episodes = Map.groupBy(truth.episodes.keys(), ({ subnet }) => subnet.name);
      for (const subnet of truth.subnets) {
        if (subnet.shard !== shard) continue;
        compareNodes(subnet, bySubnet.get(subnet.name), now);
        compareProblems(subnet, bySubnet.get(subnet.name), episodes.get(subnet.name) ?? [], now);
      }
      lastSample[shard] = now;
    },
    result: () => ({ ...counts, worst, tooLong: [...tooLong.values()] }),
  };
}
