import { isDeepStrictEqual } from 'node:util';
import { type ProbeKind, type Prober, roundOf } from '../../model/prober.ts';
import type { RoundName, Subnet, Target } from '../../model/target.ts';
import { createProber, PROBE_KINDS, type ProberTools, proberInputs } from '../probes/create-prober.ts';
import { createRound, type Round, type RoundOptions } from './create-round.ts';
import type { ProbeRuns } from './probe-runs.ts';
import type { ConnectionBudget } from './slots.ts';
import { findByName } from './to-target-state.ts';

/** The probers of a subnet, and their rounds on their schedules. */
export interface SubnetWatch {
  readonly subnet: Subnet;
  readonly probers: ReadonlyMap<RoundName, ReadonlyMap<Target, Prober>>;
  readonly rounds: readonly Round[];
  /** Those of its rounds that begin with it. The others go on from the watch before. */
  readonly newRounds: readonly Round[];
  /** Starts the new rounds, and gives the others its targets. */
  readonly start: () => void;
}

/** What the watches of all subnets share. */
export interface SubnetWatchOptions extends Pick<RoundOptions, 'onFinished' | 'onLate' | 'awakeMs'> {
  readonly tools: ProberTools;
  readonly runs: ProbeRuns;
  readonly connections: ConnectionBudget;
  /** False: there are no rounds. */
  readonly scheduled: boolean;
  readonly onBug: (error: unknown) => void;
}

const ROUNDS = ['rpc', 'containers', 'services', 'logs', 'console'] as const;

/** The followers have already read the logs; this probe only copies their facts. */
const LOGS_TIMEOUT_MS = 1_000;

/** All probers of some watches. */
const probersOf = (watches: readonly SubnetWatch[]): readonly Prober[] =>
  watches.flatMap(({ probers }) => [...probers.values()].flatMap((byTarget) => [...byTarget.values()]));

/** Finds the prober of the previous watch, if a new inventory changes none of its inputs. */
function createReuse(before: SubnetWatch | undefined, subnet: Subnet) {
  const unchanged = new Set(before?.subnet.targets);
  const find = findByName(before?.subnet.targets ?? []);
  const isSubnetSame =
    before?.subnet.consensus === subnet.consensus && isDeepStrictEqual(before.subnet.settings, subnet.settings);

  return (kind: ProbeKind, target: Target): Prober | undefined => {
    // Log watches are reused separately.
    if (before === undefined || kind === 'logs') return undefined;
    // An unchanged target is the same object and is not compared. The page of a frontend also depends on other targets.
    if (isSubnetSame && target.component !== 'frontend' && unchanged.has(target))
      return before.probers.get(roundOf[kind](target))?.get(target);
    const old = find(target);
    if (old === undefined) return undefined;
    const isSame = isDeepStrictEqual(proberInputs(kind, old, before.subnet), proberInputs(kind, target, subnet));
    return isSame ? before.probers.get(roundOf[kind](old))?.get(old) : undefined;
  };
}

/** The probers and rounds of some watches. */
export const usedBy = (watches: readonly SubnetWatch[]): ReadonlySet<Prober | Round> =>
  new Set([...probersOf(watches), ...watches.flatMap(({ rounds }) => rounds)]);

/** Stops the rounds, and aborts the probes of all probers, except the kept ones. */
export async function closeWatch(
  watch: SubnetWatch,
  kept: ReadonlySet<Prober | Round>,
  { runs, onBug }: Pick<SubnetWatchOptions, 'runs' | 'onBug'>,
): Promise<void> {
  const stopped = watch.rounds.filter((round) => !kept.has(round)).map((round) => round.stop());
  const ended = probersOf([watch])
    .filter((prober) => !kept.has(prober))
    .map((prober) => runs.close(prober));
  for (const result of await Promise.allSettled([...stopped, ...ended]))
    if (result.status === 'rejected') onBug(result.reason);
}

/** The round of the previous watch, if all of its targets are known and a new inventory changes nothing of when and how it runs. */
const findRound = (before: SubnetWatch | undefined, subnet: Subnet, name: RoundName): Round | undefined =>
  before && isDeepStrictEqual(before.subnet.settings[name], subnet.settings[name])
    ? before.rounds.find((round) => round.name === name && round.hasEndedOnce())
    : undefined;

/**
 * Builds the probers and the rounds of a subnet; nothing starts. Probers and rounds of the previous watch continue if their inputs are
 * unchanged. If something throws, the new probers are closed again.
 */
export function createSubnetWatch(
  subnet: Subnet,
  before: SubnetWatch | undefined,
  options: SubnetWatchOptions,
): SubnetWatch {
  const { tools, runs, connections, scheduled, onFinished, onLate, awakeMs } = options;
  const probers = new Map(ROUNDS.map((round) => [round, new Map<Target, Prober>()]));
  const findReusable = createReuse(before, subnet);
  const rounds: Round[] = [];
  const newRounds: Round[] = [];
  const starts: (() => void)[] = [];
  const watch: SubnetWatch = {
    subnet,
    probers,
    rounds,
    newRounds,
    start: () => {
      for (const start of starts) start();
    },
  };
  try {
    for (const kind of PROBE_KINDS)
      for (const target of subnet.targets) {
        const prober = findReusable(kind, target) ?? createProber(kind, target, subnet, tools);
        if (prober) probers.get(roundOf[kind](target))?.set(target, prober);
      }
    for (const [name, byTarget] of probers) {
      if (byTarget.size === 0 || !scheduled) continue;
      const work = {
        targets: [...byTarget.keys()],
        probe: (target: Target) => runs.runInTurn(target, name, byTarget.get(target) as Prober),
      };
      const known = findRound(before, subnet, name);
      if (known !== undefined) {
        rounds.push(known);
        starts.push(() => known.continueWith(work));
        continue;
      }
      const round = createRound({
        timeoutMs: LOGS_TIMEOUT_MS,
        ...subnet.settings[name],
        ...work,
        subnet: subnet.name,
        name,
        slots: connections.slotsOf(name),
        onFinished,
        onLate,
        awakeMs,
      });
      rounds.push(round);
      newRounds.push(round);
      starts.push(round.start);
    }
    return watch;
  } catch (error) {
    void closeWatch(watch, usedBy(before === undefined ? [] : [before]), options);
    throw error;
  }
}
