import { FAULTS, subjectKey, subjectsOf } from './faults.ts';
import { nodesOf, type SimulatedSubnet, STALL_MS } from './fleet.ts';
import type { Mood } from './nodes.ts';
import type { Episode } from './plan.ts';

/** From and to in milliseconds since the start; what goes on ends at infinity. */
export interface Span {
  readonly from: number;
  to: number;
}

/** What really happened: it is written while it happens, and read by what judges the daemons. */
export interface Truth {
  readonly subnets: readonly SimulatedSubnet[];
  /** By node. */
  readonly nodes: readonly {
    mood: Mood;
    /** When its mood last changed. */
    since: number;
    isListed: boolean;
    /** When it last entered or left the inventory. */
    listedSince: number;
    /** When it was not in the inventory. */
    readonly unlisted: Span[];
  }[];
  /** By the name of the subnet: when one of its nodes last began or ceased to refuse connections. */
  readonly refusedChangedAt: Map<string, number>;
  /** The faults, each with the times in which it was there. */
  readonly episodes: Map<Episode, Span[]>;
  /** By shard: when it was ready, and since when the inventory of now is loaded. */
  readonly lives: readonly Span[][];
  readonly postgresDown: Span[];
  readonly alertmanagerDown: Span[];
}

/** All is well, and no shard runs. */
export const createTruth = (subnets: readonly SimulatedSubnet[], shards: number): Truth => ({
  subnets,
  nodes: subnets.flatMap((subnet) =>
    nodesOf(subnet).map(() => ({ mood: 'well', since: 0, isListed: true, listedSince: 0, unlisted: [] as Span[] })),
  ),
  refusedChangedAt: new Map(),
  episodes: new Map(),
  lives: Array.from({ length: shards }, () => []),
  postgresDown: [],
  alertmanagerDown: [],
});

export const beginSpan = (spans: Span[], now: number) => void spans.push({ from: now, to: Number.POSITIVE_INFINITY });

export function endSpan(spans: readonly Span[], now: number) {
  const last = spans.at(-1);
  if (last?.to === Number.POSITIVE_INFINITY) last.to = now;
}

/** A node's mood changes now. */
export function setMood(truth: Truth, subnet: SimulatedSubnet, nodes: readonly number[], mood: Mood, now: number) {
  for (const index of nodes) {
    const node = truth.nodes[index];
    if (node === undefined || node.mood === mood) continue;
    if ((node.mood === 'refuses') !== (mood === 'refuses')) truth.refusedChangedAt.set(subnet.name, now);
    node.mood = mood;
    node.since = now;
  }
}

/** Nodes enter or leave the inventory now. */
export function setListed(truth: Truth, nodes: readonly number[], isListed: boolean, now: number) {
  for (const index of nodes) {
    const node = truth.nodes[index];
    if (node === undefined || node.isListed === isListed) continue;
    node.isListed = isListed;
    node.listedSince = now;
    if (isListed) endSpan(node.unlisted, now);
    else beginSpan(node.unlisted, now);
  }
}

/** What is true now, and since when. */
export interface Expected<T> {
  readonly value: T;
  readonly since: number;
}

/** Whether a node must pass its check of the block. The time until a stall counts is what a watcher that began at `watchedSince` has. */
export function expectBlock(
  truth: Truth,
  index: number,
  watchedSince: number,
  now: number,
): Expected<'pass' | 'fail' | 'absent'> {
  const node = truth.nodes[index];
  if (node === undefined || !node.isListed) return { value: 'absent', since: node?.listedSince ?? 0 };
  const since = Math.max(node.since, node.listedSince);
  if (node.mood === 'well') return { value: 'pass', since };
  if (node.mood !== 'stalled') return { value: 'fail', since };
  const due = Math.max(since, watchedSince) + STALL_MS;
  return now < due ? { value: 'pass', since } : { value: 'fail', since: due };
}

/** Whether a node that answers must pass its check of the peers; undefined for one that does not. */
export function expectPeers(
  truth: Truth,
  subnet: SimulatedSubnet,
  index: number,
): Expected<'pass' | 'fail'> | undefined {
  const node = truth.nodes[index];
  if (node === undefined || !node.isListed || node.mood === 'refuses' || node.mood === 'hangs') return undefined;
  const isShort = nodesOf(subnet).some((other) => truth.nodes[other]?.mood === 'refuses');
  const since = Math.max(node.since, node.listedSince, truth.refusedChangedAt.get(subnet.name) ?? 0);
  return { value: isShort ? 'fail' : 'pass', since };
}

/** What of a span is in none of the others. */
export function subtract(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return others.reduce<readonly Span[]>(
    (left, { from, to }) =>
      left.flatMap((span) =>
        [
          { from: span.from, to: Math.min(span.to, from) },
          { from: Math.max(span.from, to), to: span.to },
        ].filter((part) => part.from < part.to),
      ),
    spans,
  );
}

/** The times in which nobody watched a shard, from the start on. */
export const gapsOf = (lives: readonly Span[]): readonly Span[] =>
  subtract([{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }], lives);

/** The times in which nobody could see a subject: its nodes were not in the inventory, or its shard did not watch. */
export function breaksOf(truth: Truth, { subnet, nodes }: Episode, node: number | undefined): readonly Span[] {
  const unlisted = truth.nodes[node ?? nodes[0] ?? subnet.first]?.unlisted ?? [];
  return [...unlisted, ...gapsOf(truth.lives[subnet.shard] ?? [])];
}

/** The times in which a fault of a subject was there and could be seen. */
export const seenSpans = (truth: Truth, episode: Episode, node: number | undefined): readonly Span[] =>
  subtract(truth.episodes.get(episode) ?? [], breaksOf(truth, episode, node));

/** A problem that a subnet has, or had until `to`. */
export interface ExpectedProblem {
  readonly key: string;
  /** Since when it must be open, if it is there now. */
  readonly dueAt: number;
  /** When the fault was last there; infinity while it is. */
  readonly to: number;
  /** The names of problems of its nodes that may be beside it. */
  readonly beside: readonly string[];
}

/** The problems of a subnet by its faults, also of those that are over. */
export function expectProblems(truth: Truth, episodes: readonly Episode[]): readonly ExpectedProblem[] {
  return episodes.flatMap((episode) =>
    subjectsOf(episode.fault, episode.subnet, episode.nodes).flatMap((subject) => {
      const last = seenSpans(truth, episode, subject.node).at(-1);
      if (last === undefined) return [];
      const { dueMs, beside } = FAULTS[episode.fault];
      return [{ key: subjectKey(episode.fault, subject), dueAt: last.from + dueMs, to: last.to, beside }];
    }),
  );
}
