import { isDeepStrictEqual } from 'node:util';
import type { ClockDisturbances } from '../../lib/clock.ts';
import { findCommitted } from '../../model/checkpoint-lag.ts';
import { addDoubleVotes } from '../../model/double-vote.ts';
import { addressOf, type Facts } from '../../model/facts.ts';
import type { KeptTurns } from '../../model/lag.ts';
import { findInForce, type PlannedWork } from '../../model/planned-work.ts';
import type { Observation } from '../../model/prober.ts';
import type { EndedProblem, Problem } from '../../model/problem.ts';
import { indexProblems } from '../../model/problem.ts';
import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts, SubnetObservation, SubnetProbeKind } from '../../model/subnet-facts.ts';
import type { CheckSettings, Inventory, RoundName, Subnet, Target } from '../../model/target.ts';
import { type CheckState, toCheckState } from '../../model/verdict.ts';
import { type Diagnosis, diagnoseSubnet, explainTargets, NO_DIAGNOSIS } from '../diagnosis/diagnose-subnet.ts';
import { findOwners } from '../diagnosis/find-double-votes.ts';
import { describeBroken } from '../diagnosis/find-headline.ts';
import { restoreProblems } from '../diagnosis/follow-problems.ts';
import { checkTable } from '../rules/checks.ts';
import { fold } from '../rules/fold.ts';
import { type ContainerEvent, foldContainerEvent } from '../rules/fold-container.ts';
import { foldSubnet } from '../rules/fold-subnet.ts';
import { judgeFailures } from '../rules/known-failures.ts';
import { createLagBook } from './create-lag-book.ts';
import { createSharing } from './create-sharing.ts';
import { createVoteBook } from './create-vote-book.ts';
import type { DiagnosisInput } from './replay.ts';
import { takeVotes } from './take-votes.ts';
import {
  findByName,
  hasNewContainer,
  hasNewVerdict,
  keepFacts,
  toState,
  toTargetState,
  withHeardNodes,
} from './to-target-state.ts';

/** Keeps the facts and the verdicts of all targets. */
export interface Board {
  /**
   * Takes a new inventory. Facts of a target stay as long as it is probed in the same way; removed targets are dropped.
   */
  load(inventory: Inventory, now: number): void;
  /** Adds an observation to a target's facts and judges the checks of its round; a removed target is ignored. */
  recordRun(target: Target, round: RoundName, observation: Observation, durationSeconds: number, now: number): void;
  /** Judges a round again for every target of a subnet: the first round is complete only at its end. */
  judgeAgain(subnet: Subnet, round: RoundName, now: number): void;
  /** Adds an observation to a target's facts; the next run of its round judges it. */
  foldObservation(target: Target, observation: Observation, now: number): void;
  /** Adds an event of a target's container to its facts; unless it contradicts them, the next run of its round judges it. */
  foldEvent(target: Target, event: ContainerEvent): void;
  /** Adds an observation of a subnet as a whole to its facts, for its next diagnosis; a removed subnet is ignored. */
  foldSubnet(subnet: string, observation: SubnetObservation, now: number): void;
  /**
   * Takes the problems that an earlier process has stored as open: the next diagnoses confirm them, or find that they are gone. A subnet
   * that has been watched for long enough to find them itself takes none. Those that ended lately explain the errors of logs.
   */
  restoreProblems(subnet: string, stored: readonly Problem[], now: number, ended?: readonly EndedProblem[]): void;
  /** Takes the address by which a node signed when an earlier process asked it. What the node itself says comes before that. */
  restoreAddress(node: Target, address: string): void;
  /** The address by which a node signs, if that is known. */
  addressOf(node: Target): string | undefined;
  /** Takes the turns of masternodes that an earlier process has counted. */
  restoreTurns(subnet: string, turns: KeptTurns): void;
  /** The turns of masternodes that are counted so far. */
  turnsOf(subnet: string): KeptTurns | undefined;
  /** Finds what is wrong in a subnet and why, from all that is known of it now. */
  diagnose(subnet: string, now: number): void;
  /**
   * The same for each subnet that has changed since its last diagnosis. The larger it is, the longer it waits from one diagnosis to
   * the next: many verdicts that change one by one must not cost a diagnosis each.
   */
  diagnoseChanged(now: number): void;
  /** The current checks of a target; empty for a removed one. */
  checksOf(target: Target): readonly CheckState[];
  /** What people read. A verdict that has changed since the last diagnosis is shown with the next one, which explains it. */
  snapshot(): Snapshot;
  /** What the diagnosis was made of that has found a problem to be open, for some seconds. */
  inputOf(subnet: string): DiagnosisInput | undefined;
  /** All as it is now, without what explains failed checks, which costs a copy of each. The state of an unchanged target is the same object. */
  unexplained(): Snapshot;
}

/** A subnet with the states of its targets. A probe replaces the state of its target in place. */
interface Entry {
  readonly subnet: Subnet;
  /** Since when it is watched. */
  readonly begunAt: number;
  facts: SubnetFacts;
  /** The settings with the stall limit as the chain gave it, if the inventory leaves it to the chain. */
  settings: CheckSettings;
  diagnosis: Diagnosis;
  /** When that was found. */
  foundAt: number | undefined;
  /** The last attempt to find another one broke. */
  isBroken: boolean;
  /** Something that a diagnosis depends on has changed since the last one. */
  isChanged: boolean;
  diagnosedAt: number;
  /** Replaces what several of its nodes say alike by one object. */
  readonly share: ReturnType<typeof createSharing>;
  readonly voteBook: ReturnType<typeof createVoteBook>;
  readonly lagBook: ReturnType<typeof createLagBook>;
  /** The planned work that was in force at the diagnosis. */
  plannedWork: readonly PlannedWork[];
  /** What the last diagnosis was made of that has found a problem to be open, for some seconds. */
  input: DiagnosisInput | undefined;
  readonly states: TargetState[];
  /** What has changed since the last diagnosis, as that has seen it, by its place. */
  readonly seen: Map<number, TargetState>;
}

/**
 * The least time from a diagnosis to the next one that a change causes, in milliseconds for each target of the subnet: 5 s for 10,000.
 * A diagnosis takes less than a twentieth of that.
 */
const PAUSE_MS_PER_TARGET = 0.5;

/** By then a subnet was read from each of its sources, and most problems are confirmed. */
const FOUND_ITSELF_MS = 2 * 60_000;

const isPausing = ({ diagnosedAt, states }: Entry, now: number): boolean =>
  now >= diagnosedAt && now - diagnosedAt < states.length * PAUSE_MS_PER_TARGET;

/** Whoever keeps what a diagnosis was made of asks for it within this time. It holds the states of all targets as they were. */
const INPUT_KEPT_MS = 10_000;

/** Whether a problem is open that was not. */
function hasOpened(before: Diagnosis, after: Diagnosis): boolean {
  const known = indexProblems(before.problems);
  return after.problems.some((one) => one.state === 'open' && known.get(one)?.openedAt !== one.openedAt);
}

/** Whether an observation is diagnosed at once. No problem is about who governs, and another reading of an election waits for the next round. */
const isNews = (kind: SubnetProbeKind, { election }: SubnetFacts): boolean =>
  kind !== 'governance' && (kind !== 'election' || election === undefined);

function withStallLimit(settings: CheckSettings, { stallAfterMs }: Diagnosis): CheckSettings {
  if (stallAfterMs === undefined || stallAfterMs === settings.rpc.stallAfterMs) return settings;
  return { ...settings, rpc: { ...settings.rpc, stallAfterMs } };
}

/**
 * Creates an empty board. `toWall` and `readDisturbances` are those of the clock, and `readPlannedWork` gives all work that is known.
 * `onBug` gets what the diagnosis of a subnet throws: what was last found in it stays and is marked, and other subnets go on.
 * `onOpened` hears of each diagnosis that finds a problem to be open which was not.
 */
export function createBoard(
  toWall: (at: number) => number = (at) => at,
  readDisturbances: () => ClockDisturbances = () => ({}),
  readPlannedWork: () => readonly PlannedWork[] = () => [],
  onBug: (error: unknown, subnet: string) => void = (error) => {
    throw error;
  },
  onOpened: () => void = () => {},
): Board {
  let entries: readonly Entry[] = [];
  let places = new Map<Target, { readonly entry: Entry; readonly index: number }>();

  const stateAt = (target: Target): TargetState | undefined => {
    const place = places.get(target);
    return place?.entry.states[place.index];
  };
  const entryOf = (name: string): Entry | undefined => entries.find(({ subnet }) => subnet.name === name);

  const load = (inventory: Inventory, now: number) => {
    const known = new Map(entries.map((entry) => [entry.subnet.name, entry]));
    entries = inventory.subnets.map((subnet) => {
      const last = known.get(subnet.name);
      // An unchanged subnet is the same object, and none of its targets is looked at.
      if (last?.subnet === subnet) return last;
      const find = findByName(last?.subnet.targets ?? []);
      const stateBefore = (target: Target): TargetState | undefined =>
        stateAt(target) ?? stateAt(find(target) ?? target);
      const areSettingsSame = isDeepStrictEqual(last?.subnet.settings, subnet.settings);
      const carried = subnet.targets.map((target) => {
        const state = stateBefore(target);
        return state?.target === target && areSettingsSame ? state : toTargetState(target, subnet, state, now);
      });
      const states = carried.map((state) => withHeardNodes(state, carried, subnet, now));
      const { diagnosis = NO_DIAGNOSIS, foundAt, isBroken = false, begunAt = now } = last ?? {};
      return {
        subnet,
        begunAt,
        facts: keepFacts(last, subnet),
        settings: withStallLimit(subnet.settings, diagnosis),
        states,
        diagnosis,
        foundAt,
        isBroken,
        isChanged: true,
        diagnosedAt: Number.NEGATIVE_INFINITY,
        share: createSharing(),
        voteBook: createVoteBook(),
        lagBook: last?.lagBook ?? createLagBook(),
        plannedWork: last?.plannedWork ?? [],
        input: undefined,
        seen: new Map(),
      };
    });
    places = new Map(
      entries.flatMap((entry) => entry.states.map(({ target }, index) => [target, { entry, index }] as const)),
    );
  };

  const update = (target: Target, change: (facts: Facts, entry: Entry) => Facts) => {
    const [place, state] = [places.get(target), stateAt(target)];
    if (place === undefined || state === undefined) return;
    const { entry, index } = place;
    entry.states[index] = { ...state, facts: change(state.facts, entry) };
  };

  /** Judges a target's checks of one round by its facts: after a run of `runSeconds`, or again without a run. */
  const judge = (
    { subnet, settings, states, diagnosis: { reference } }: Entry,
    state: TargetState,
    round: RoundName,
    now: number,
    runSeconds?: number,
  ) => {
    const { target, facts } = state;
    const { consensus } = subnet;
    const view = { target, facts, subnet: states, reference, settings, consensus, now, toWall };
    return state.checks.map((before): CheckState => {
      if (before.round !== round || before.verdict === 'skipped') return before;
      const judgement = checkTable[before.check].judge(view);
      const { check, lastRun, durationSeconds, runs, failures } = before;
      const since = judgement.verdict === before.verdict ? before.since : now;
      if (runSeconds === undefined)
        return toCheckState({ check, round, since, lastRun, durationSeconds, runs, failures }, judgement);
      const failed = failures + Number(judgement.verdict === 'fail');
      return toCheckState(
        { check, round, since, lastRun: now, durationSeconds: runSeconds, runs: runs + 1, failures: failed },
        judgement,
      );
    });
  };

  const foldObservation: Board['foldObservation'] = (target, observation, now) =>
    update(target, (facts, entry) => {
      const { settings, diagnosis, share } = entry;
      const { seen, found } = takeVotes(entry, target, observation, facts, now);
      const doubleVotes = addDoubleVotes(entry.facts.doubleVotes, found, (signer) => findOwners(entry.states, signer));
      if (doubleVotes !== undefined && doubleVotes !== entry.facts.doubleVotes) {
        entry.facts = { ...entry.facts, doubleVotes };
        entry.isChanged = true;
      }
      const kept: Observation = seen.kind === 'node' ? { kind: 'node', seen: share(seen.seen) } : seen;
      return fold(facts, kept, { at: now, wallAt: toWall(now), settings, reference: diagnosis.reference });
    });

  const recordRun: Board['recordRun'] = (target, round, observation, durationSeconds, now) => {
    const [place, before] = [places.get(target), stateAt(target)];
    foldObservation(target, observation, now);
    const state = stateAt(target);
    if (place === undefined || before === undefined || state === undefined) return;
    const { entry, index } = place;
    const isNew = hasNewContainer(before.facts, state.facts);
    const ran = judge(entry, state, round, now, durationSeconds);
    // What did not answer before its container was started has only just been started.
    const asked = target.component === 'node' ? 'rpc' : 'services';
    const checks = isNew ? judge(entry, { ...state, checks: ran }, asked, now) : ran;
    const changed = toState(state, checks, judgeFailures(target, state.facts, now), state.heardNodes);
    if (isNew || hasNewVerdict(state, changed)) {
      entry.isChanged = true;
      if (entry.foundAt !== undefined && !entry.seen.has(index)) entry.seen.set(index, before);
    }
    entry.states[index] = round === 'logs' ? withHeardNodes(changed, entry.states, entry.subnet, now) : changed;
  };

  const diagnoseEntry = (entry: Entry, now: number) => {
    entry.plannedWork = findInForce(readPlannedWork(), entry.subnet.name, toWall(now));
    entry.isChanged = false;
    entry.seen.clear();
    entry.diagnosedAt = now;
    const { subnet, facts, plannedWork, diagnosis: before } = entry;
    const targets = [...entry.states];
    try {
      const given = { clock: readDisturbances(), facts, plannedWork };
      entry.diagnosis = diagnoseSubnet(subnet, targets, before, now, { ...given, toWall });
      entry.foundAt = now;
      entry.isBroken = false;
      if (hasOpened(before, entry.diagnosis)) {
        entry.input = { ...{ subnet, targets, before, now, ...given }, wallAheadMs: toWall(now) - now };
        onOpened();
      } else if (entry.input !== undefined && now - entry.input.now > INPUT_KEPT_MS) entry.input = undefined;
    } catch (error) {
      entry.isBroken = true;
      onBug(error, entry.subnet.name);
    }
    entry.settings = withStallLimit(entry.settings, entry.diagnosis);
    entry.lagBook.addEpoch(entry.diagnosis.epoch, now);
    const lag = entry.lagBook.read(now);
    if (lag !== undefined) entry.facts = { ...entry.facts, lag };
  };

  const judgeAgain: Board['judgeAgain'] = (subnet, round, now) => {
    const entry = entries.find((one) => one.subnet === subnet);
    for (const [index, state] of entry?.states.entries() ?? [])
      if (entry) entry.states[index] = { ...state, checks: judge(entry, state, round, now) };
  };

  const stateOf = (entry: Entry, targets: readonly TargetState[]): SubnetState => {
    const { subnet, facts, plannedWork, diagnosis, foundAt, isBroken } = entry;
    const { ended: _, ...shown } = diagnosis;
    const state = { subnet, targets, facts, plannedWork, ...shown };
    if (!isBroken) return state;
    return { ...state, headline: describeBroken(subnet.name, foundAt, shown.headline), brokenDiagnosis: { foundAt } };
  };

  return {
    load,
    recordRun,
    judgeAgain,
    foldObservation,
    foldEvent: (target, event) => {
      const before = stateAt(target)?.facts.container?.observation;
      update(target, (facts) => ({ ...facts, container: foldContainerEvent(facts.container, event) }));
      const [place, state] = [places.get(target), stateAt(target)];
      if (place === undefined || state === undefined || state.facts.container?.observation === before) return;
      // It contradicts what Docker has said, and may take long to say anew.
      const { entry, index } = place;
      entry.states[index] = { ...state, checks: judge(entry, state, 'containers', event.at) };
      entry.isChanged = true;
    },
    foldSubnet: (name, observation, now) => {
      const entry = entryOf(name);
      if (entry === undefined) return;
      entry.isChanged ||= isNews(observation.kind, entry.facts);
      const newest = findCommitted(entry.states);
      entry.facts = foldSubnet(entry.facts, observation, { at: now, wallMs: toWall(now), newest });
    },
    restoreProblems: (name, stored, now, ended = []) => {
      const entry = entryOf(name);
      if (entry === undefined || now - entry.begunAt >= FOUND_ITSELF_MS) return;
      const { diagnosis } = entry;
      const problems = restoreProblems(diagnosis.problems, stored);
      entry.diagnosis = { ...diagnosis, problems, ended: [...ended, ...diagnosis.ended] };
      if (entry.foundAt !== undefined) diagnoseEntry(entry, now);
    },
    restoreAddress: (node, addressBefore) => update(node, (facts) => ({ ...facts, addressBefore })),
    restoreTurns: (name, turns) => entryOf(name)?.lagBook.restore(turns),
    turnsOf: (name) => entryOf(name)?.lagBook.keep(),
    addressOf: (node) => addressOf(stateAt(node)?.facts ?? {}),
    checksOf: (target) => stateAt(target)?.checks ?? [],
    diagnose: (name, now) => {
      const entry = entryOf(name);
      if (entry !== undefined) diagnoseEntry(entry, now);
    },
    diagnoseChanged: (now) => {
      const works = readPlannedWork();
      for (const entry of entries) {
        const inForce = findInForce(works, entry.subnet.name, toWall(now));
        const isWorkChanged = !isDeepStrictEqual(inForce, entry.plannedWork);
        if (isWorkChanged || (entry.isChanged && !isPausing(entry, now))) diagnoseEntry(entry, now);
      }
    },
    inputOf: (subnet) => entryOf(subnet)?.input,
    unexplained: () => entries.map((entry) => stateOf(entry, [...entry.states])),
    snapshot: () =>
      entries.map((entry) => {
        const { problems, ended } = entry.diagnosis;
        const targets = entry.states.map((state, index) => entry.seen.get(index) ?? state);
        return stateOf(entry, explainTargets(targets, problems, ended));
      }),
  };
}
