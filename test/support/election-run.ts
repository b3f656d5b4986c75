import { START_HEIGHT } from '../../src/demo/chain.ts';
import { mergeEffects, NO_EFFECTS, quorum } from '../../src/demo/effects.ts';
import { GAP } from '../../src/demo/elections.ts';
import { nodeMethods } from '../../src/demo/node-methods.ts';
import { createSubnet } from '../../src/demo/simulated-subnet.ts';
import { EPOCH } from '../../src/demo/timeline.ts';
import { settingsAt } from '../../src/model/chain.ts';
import type { ElectionReading, Fate, NextSet } from '../../src/model/next-set.ts';
import { toGethChainCalls } from '../../src/watch/clients/geth-calls.ts';
import { predictNextSet } from '../../src/watch/diagnosis/find-next-set.ts';
import { readMasternodes, readMissedRounds } from '../../src/watch/probes/chain-results.ts';
import { createAddressReader } from '../../src/watch/probes/chain-values.ts';
import type { Call } from '../../src/watch/probes/json-rpc.ts';
import { createElectionReader } from '../../src/watch/probes/next-set-source.ts';
import { readConsensus } from '../../src/watch/probes/read-consensus.ts';

const MINUTE = 60_000;

/** So long a node counts as just back. */
const BACK_MS = 150_000;

/** A change of who runs, before the block of a number. */
export interface PlannedChange {
  readonly at: number;
  readonly down: readonly string[];
}

/** What a run is of. */
export interface ElectionRun {
  readonly names: readonly string[];
  readonly epochs: number;
  /** Who is down from some block on; nobody at first. */
  readonly changes: readonly PlannedChange[];
  readonly stakes?: readonly bigint[];
  readonly most?: number;
}

/** What was predicted for one epoch and what came, by the names of nodes. */
export interface RunEpoch {
  readonly epoch: number;
  readonly came: readonly string[];
  /** By the last reading ten minutes before the gap block, unless something changed after that, and by the last one of all. */
  readonly early: readonly string[] | 'changed';
  readonly last: readonly string[];
  readonly penalised: readonly string[];
  /** Whom the last prediction leaves out, and why. */
  readonly without: readonly (Fate & { readonly name: string })[];
}

/** Runs a simulated subnet for some epochs, reads it once a minute as subnetd does, and compares each prediction with what came. */
export async function runElections(run: ElectionRun): Promise<readonly RunEpoch[]> {
  let now = 1_800_000_000_000;
  const { names, stakes, most } = run;
  const subnet = createSubnet(
    names,
    NO_EFFECTS,
    () => now,
    names.map(() => 'go' as const),
    undefined,
    undefined,
    { stakes, most },
  );
  const { chain } = subnet;
  const addressOf = new Map(names.map((name) => [subnet.node(name).identity.address as string, name]));
  const toNames = (addresses: readonly string[]) => addresses.map((one) => addressOf.get(one) ?? one).toSorted();
  let down: readonly string[] = [];
  const backAt = new Map<string, number>();
  const witness = () => names.find((name) => !down.includes(name)) ?? names[0] ?? '';
  const ask = async (calls: readonly Call[]) =>
    calls.map(({ method, params }) => {
      const outcome = nodeMethods[method]?.(subnet.node(witness()), params);
      return outcome && 'result' in outcome ? JSON.parse(JSON.stringify(outcome.result)) : undefined;
    });
  const read = createElectionReader('XDPoS');
  const calls = toGethChainCalls('XDPoS');
  const predict = async (election: ElectionReading): Promise<NextSet | undefined> => {
    const [list, rounds, info] = await ask([calls.masternodes, calls.missedRounds, calls.consensus]);
    const addresses = createAddressReader();
    const masternodes = readMasternodes(addresses)(list)?.value;
    const missedRounds = readMissedRounds(addresses)(rounds)?.value;
    const settings = readConsensus(info);
    if (masternodes === undefined || missedRounds === undefined || settings === undefined) return undefined;
    const consensus = settingsAt(settings, masternodes.round);
    const counted = { masternodes, missedRounds, at: now };
    const view = { consensus, epochsBy: 'block', counted, foreign: new Set<never>() } as const;
    const presenceOf = (address: string) => {
      const name = addressOf.get(address) ?? '';
      if (down.includes(name)) return 'out';
      const ranMs = now - (backAt.get(name) ?? 0);
      return ranMs < BACK_MS ? ranMs : undefined;
    };
    return predictNextSet(view, election, presenceOf);
  };

  const results: RunEpoch[] = [];
  const changes = run.changes.toSorted((one, other) => one.at - other.at);
  let next = 0;
  let changed = 0;
  const stop = (names: readonly string[]) => {
    for (const name of down) if (!names.includes(name)) backAt.set(name, now);
    down = names;
    subnet.apply(mergeEffects([{ down }]));
  };
  const height = () => chain.heightAt(now);
  /** Lets time pass up to a block or a moment, whichever is first, with the changes on the way. */
  const pass = (until: number, moment = Number.POSITIVE_INFINITY) => {
    while (height() < until && now < moment) {
      // One that was chosen and has stopped since may be one too many.
      while (!chain.isProducing() && down.length > 0) {
        stop(down.slice(0, -1));
        changed++;
      }
      const change = changes[next];
      if (change !== undefined && height() >= change.at) {
        next++;
        const before = down.join();
        // Who is penalised has no vote either, so not everybody in the plan may stop.
        for (let count = change.down.length; count >= 0; count--) {
          stop(change.down.slice(0, count));
          if (chain.isProducing()) break;
        }
        if (down.join() !== before) changed++;
        continue;
      }
      const step = Math.min(until, change?.at ?? until, height() - (height() % GAP) + GAP - 1);
      now = Math.min(chain.timeOf(Math.max(step, height() + 1)), moment);
    }
  };
  let election: ElectionReading | undefined;
  let due = now;
  const first = Math.ceil(START_HEIGHT / EPOCH);
  for (let epoch = first; results.length < run.epochs; epoch++) {
    const gap = (epoch + 1) * EPOCH - GAP;
    pass(epoch * EPOCH);
    let early: NextSet | undefined;
    let last: NextSet | undefined;
    let seen = changed;
    while (height() < gap - 1) {
      if (now >= due) {
        election = (await read(ask)) ?? election;
        due = now + (election?.againMs ?? MINUTE);
      }
      last = election && (await predict(election));
      if (gap - height() >= 300) {
        early = last;
        seen = changed;
      }
      pass(gap - 1, now + MINUTE);
    }
    // The last one is right before the gap block, as if a reading were due.
    election = (await read(ask)) ?? election;
    last = election && (await predict(election));
    const isChanged = changed > seen;
    pass((epoch + 1) * EPOCH);
    const { masternodes, penalised } = chain.officeAt(height());
    results.push({
      epoch: epoch + 1,
      came: toNames(masternodes),
      early: isChanged ? 'changed' : toNames(early?.active ?? []),
      last: toNames(last?.active ?? []),
      penalised: toNames(penalised),
      without: [...(last?.fates ?? [])]
        .filter(([, { state }]) => state !== 'active')
        .map(([address, fate]) => ({ name: addressOf.get(address) ?? address, ...fate })),
    });
  }
  return results;
}

/** Stops and starts nodes at random, each for a sixth of an epoch to two, as many at once as the chain goes on without. */
export function planChanges(names: readonly string[], epochs: number, seed: number): readonly PlannedChange[] {
  let state = seed;
  // Numbers as good as needed (Park and Miller).
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const most = names.length - quorum(names.length);
  const changes: PlannedChange[] = [];
  let down: readonly { readonly name: string; readonly until: number }[] = [];
  for (let at = START_HEIGHT + 50; at < START_HEIGHT + (epochs + 2) * EPOCH; at += Math.ceil(random() * 800)) {
    const now = at;
    const back = down.filter(({ until }) => until > now);
    const name = names[Math.floor(random() * names.length)] ?? '';
    const isFree = back.length < most && !back.some((one) => one.name === name);
    down =
      isFree && random() < 0.6 ? [...back, { name, until: at + Math.ceil(EPOCH * (0.15 + random() * 1.85)) }] : back;
    changes.push({ at, down: down.map((one) => one.name) });
  }
  return changes;
}
