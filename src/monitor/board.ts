import { isDeepStrictEqual } from 'node:util';
import type { Inventory, RoundName, Subnet, Target } from '../model/target.ts';
import { targetKey } from '../model/target.ts';
import { type CheckState, skipped, unknown } from '../model/verdict.ts';
import { activeFailures } from '../rules/active-failures.ts';
import { type Check, checks } from '../rules/checks.ts';
import { failuresOf } from '../rules/known-failures.ts';
import type { Facts, Known } from '../rules/view.ts';

/** One target with its facts and the state of each of its checks. */
export interface TargetState extends Known {
  readonly checks: readonly CheckState[];
  /** By the name of each known failure that the target can show: does it show it? */
  readonly failures: Readonly<Record<string, boolean>>;
}

/** A subnet as it stands. */
export interface SubnetState {
  readonly subnet: Subnet;
  readonly targets: readonly TargetState[];
}

/** Everything that is known at one moment; never changed afterwards. */
export type Snapshot = readonly SubnetState[];

/** The one place where what is known of the targets is kept. */
export interface Board {
  /** Takes a new inventory: unchanged targets keep what is known of them, removed ones are forgotten. */
  load(inventory: Inventory, now: number): void;
  /** Folds one more look into a target's facts and judges the checks of its round; a removed target is ignored. */
  record(target: Target, round: RoundName, fold: (facts: Facts) => Facts, durationSeconds: number, now: number): void;
  /** Folds something into a target's facts between two looks; the next look judges it. */
  fold(target: Target, fold: (facts: Facts) => Facts): void;
  /** The checks of a target as they stand; none of a removed one. */
  checksOf(target: Target): readonly CheckState[];
  snapshot(): Snapshot;
}

interface Entry {
  readonly target: Target;
  readonly subnet: Subnet;
  state: TargetState;
}

const initial = (check: Check, target: Target, { checks: settings }: Subnet, now: number): CheckState => {
  const because = check.skippedBecause(target, settings);
  const judgement = because === undefined ? unknown(`${target.name} has not been looked at yet`) : skipped(because);
  return { check: check.name, round: check.round(target), ...judgement, since: now, runs: 0, failures: 0 };
};

/** A check's state under the settings of now: what was skipped may be looked at, and the other way round. */
const carry = (before: CheckState, fresh: CheckState): CheckState =>
  (before.verdict === 'skipped') === (fresh.verdict === 'skipped') ? before : { ...fresh, runs: before.runs };

function toFailures(target: Target, facts: Facts, now: number): TargetState['failures'] {
  const active = activeFailures(target, facts, now);
  return Object.fromEntries(failuresOf(target).map((failure) => [failure.name, active.includes(failure)]));
}

/** An empty board. */
export function createBoard(): Board {
  let entries = new Map<string, Entry>();
  let subnets: readonly Subnet[] = [];

  const stateOf = (target: Target): TargetState => entries.get(targetKey(target))?.state as TargetState;

  const load = (inventory: Inventory, now: number) => {
    const next = new Map<string, Entry>();
    for (const subnet of inventory.subnets) {
      for (const target of subnet.targets) {
        const before = entries.get(targetKey(target));
        const kept = before !== undefined && isDeepStrictEqual(before.target, target);
        const own = checks.filter((check) => check.isOf(target)).map((check) => initial(check, target, subnet, now));
        const state: TargetState = {
          target,
          facts: kept ? before.state.facts : {},
          failures: kept ? before.state.failures : toFailures(target, {}, now),
          checks: own.map((fresh) => {
            const old = kept ? before.state.checks.find(({ check }) => check === fresh.check) : undefined;
            return old ? carry(old, fresh) : fresh;
          }),
        };
        next.set(targetKey(target), { target, subnet, state });
      }
    }
    entries = next;
    subnets = inventory.subnets;
  };

  const record: Board['record'] = (target, round, fold, durationSeconds, now) => {
    const entry = entries.get(targetKey(target));
    if (entry?.target !== target) return;
    const { subnet, state } = entry;
    const facts = fold(state.facts);
    // The rules see the subnet as it is with this look.
    entry.state = { ...state, facts };
    const view = {
      target,
      facts,
      subnet: subnet.targets.map(stateOf),
      settings: subnet.checks,
      consensus: subnet.consensus,
      now,
    };
    const judged = state.checks.map((before): CheckState => {
      if (before.round !== round || before.verdict === 'skipped') return before;
      const check = checks.find(({ name }) => name === before.check) as Check;
      const judgement = check.judge(view);
      return {
        ...before,
        ...judgement,
        since: judgement.verdict === before.verdict ? before.since : now,
        lastRun: now,
        durationSeconds,
        runs: before.runs + 1,
        failures: before.failures + (judgement.verdict === 'fail' ? 1 : 0),
      };
    });
    entry.state = { target, facts, checks: judged, failures: toFailures(target, facts, now) };
  };

  const fold: Board['fold'] = (target, change) => {
    const entry = entries.get(targetKey(target));
    if (entry?.target === target) entry.state = { ...entry.state, facts: change(entry.state.facts) };
  };

  return {
    load,
    record,
    fold,
    checksOf: (target) => entries.get(targetKey(target))?.state.checks ?? [],
    snapshot: () => subnets.map((subnet) => ({ subnet, targets: subnet.targets.map(stateOf) })),
  };
}
