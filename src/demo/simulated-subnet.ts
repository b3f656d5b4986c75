import type { Hex } from 'viem';
import { branchOf } from './branch.ts';
import {
  type Chain,
  COMMIT_DISTANCE,
  createChain,
  type HeadRule,
  headAt,
  LONG_START_HEIGHT,
  START_HEIGHT,
} from './chain.ts';
import type { DemoClient } from './demo-client.ts';
import { absentees, connectedTo, type Effects } from './effects.ts';
import type { Contract } from './elections.ts';
import { type NodeIdentity, toNodeIdentity } from './node-identity.ts';
import { createPackets } from './zero-endpoint.ts';

/** How far `node-behind` stays below the others. */
const BEHIND_BLOCKS = 25;

/** A node that goes to another branch has this many blocks of it at once. */
const BRANCH_BLOCKS = 50;

/** When no block is committed from the start of the demo on, the newest committed one is this far below. */
const UNCOMMITTED_BLOCKS = 30;

/** A started node knows of a committed block once it has seen this many come (XDC-Subnet engine_v2/engine.go). */
const BLOCKS_UNTIL_COMMITTED = 4;

/** What a node knows at one moment: all that its JSON-RPC answers are made of. */
export interface NodeView {
  readonly identity: NodeIdentity;
  /** The chain that it follows. */
  readonly chain: Chain;
  readonly head: number;
  /** The highest block that it has heard of. */
  readonly highest: number;
  /** The newest committed number; undefined while the node knows of none. */
  readonly committed: number | undefined;
  /** The round of its head times out: whose votes it has received, its own included; undefined while blocks come. */
  readonly timeout: { readonly heard: readonly Hex[] } | undefined;
  readonly peers: readonly PeerView[];
  /** The addresses that sign a second block in some rounds. */
  readonly doubleVoters: readonly Hex[];
  /** The block of each packet that was sent to the parent chain, up to its head. */
  readonly packets: readonly number[];
  /** Whether it serves `admin` over HTTP, if its kind can. */
  readonly servesAdmin: boolean;
  /** Something else answers in its place: a page, or a limit of requests. */
  readonly garbled: boolean;
  readonly limited: boolean;
}

/** Another node as a connection shows it. */
export interface PeerView {
  readonly identity: NodeIdentity;
  readonly chain: Chain;
  readonly head: number;
  /** True when the other one dialled. */
  readonly inbound: boolean;
}

/** The simulated subnet without its wires. Every answer is computed from the clock when somebody asks. */
export interface SimulatedSubnet {
  readonly names: readonly string[];
  /** The node that runs beside them when there is one that nobody names. */
  readonly unlisted: NodeIdentity;
  /** The chain that most nodes follow. */
  readonly chain: Chain;
  /** Throws a `RangeError` for a name that is none of `names`. */
  node(name: string): NodeView;
  /** The newest block that any running node has. */
  newest(): number;
  /** The newest committed block at a time, now or past. */
  committedAt(ms: number): number;
  /** How many packets have arrived on the parent chain. */
  packetsReceived(): number;
  /** Starts and ends faults from now on. A node that was down comes back as if it was started. */
  apply(effects: Effects): void;
  /** Restarts a node with its head `fallBy` blocks lower, as after a kill that lost recent state. */
  restart(name: string, fallBy: number): void;
  now(): number;
}

interface NodeState {
  readonly identity: NodeIdentity;
  readonly chain: Chain;
  readonly head: HeadRule;
  /** The head at the last start; undefined on a node that has run for ever. */
  readonly startedAt: number | undefined;
}

type Mode = 'down' | 'foreign' | 'frozen' | 'behind' | 'forked' | 'well';

/** A node's own way to follow the chain; the first that fits, as a node that is down does nothing else. */
const modeOf = (effects: Effects, name: string): Mode =>
  (['down', 'foreign', 'frozen', 'behind', 'forked'] as const).find((mode) => effects[mode].includes(name)) ?? 'well';

const ruleFor = (mode: Mode, fromNumber: number, fromMs: number): HeadRule => {
  if (mode === 'foreign') return { kind: 'still', number: 0 };
  if (mode === 'down' || mode === 'frozen') return { kind: 'still', number: fromNumber };
  return { kind: 'following', lag: mode === 'behind' ? BEHIND_BLOCKS : 0, fromNumber, fromMs };
};

/** The chain of a node that has the height `head` when its mode begins. */
const chainFor = (mode: Mode, { name, address }: NodeIdentity, chain: Chain, head: number): Chain => {
  if (mode === 'foreign') return branchOf(chain, 0, name);
  if (mode !== 'forked') return chain;
  // Nobody else votes for its blocks: a masternode that did would vote twice, which is another fault.
  const officeAt = (number: number) => ({ ...chain.officeAt(number), voters: number > head ? [address] : [] });
  return { ...branchOf(chain, Math.max(head - BRANCH_BLOCKS, 0) + 1, name), officeAt };
};

/** A subnet of these nodes in which `effects` have been so for long. `now` gives Unix milliseconds. */
export const createSubnet = (
  names: readonly string[],
  effects: Effects,
  now: () => number,
  clients: readonly DemoClient[],
  roundTimeoutMs?: number,
  startHeight = START_HEIGHT,
  terms: Omit<Contract, 'candidates'> = {},
): SimulatedSubnet => {
  const identities = names.map((name, index) => toNodeIdentity(name, index, clients[index]));
  const unlisted = toNodeIdentity(`subnet${names.length + 1}`, names.length, clients[0]);
  const addresses = identities.map(({ address }) => address);
  const height = clients.includes('xdposchain') ? LONG_START_HEIGHT : startHeight;
  // Those of XDPoSChain, which go by rounds, are not simulated.
  const elects = !clients.includes('xdposchain');
  const chain = createChain(addresses, now(), roundTimeoutMs, height, { ...terms, elects });
  let broken = effects;
  const placesOf = (all: { has(name: string): boolean }): readonly number[] =>
    names.flatMap((name, index) => (all.has(name) ? [index] : []));

  const turnChain = (): void => {
    const turnout = {
      producing: !broken.halted,
      absent: placesOf(absentees(broken)),
      lagging: placesOf(new Set(broken.lagging)),
      penalised: placesOf(new Set(broken.penalised)),
    };
    const resigned = identities.filter(({ name }) => broken.resigned.includes(name));
    chain.change(
      now(),
      turnout,
      resigned.map(({ address }) => address),
    );
  };
  turnChain();

  const packets = createPackets();
  const movePackets = () => packets.change(broken.packetsWait, chain.heightAt(now()));
  movePackets();

  /** The last block that was committed before finality stalled. */
  let finalityEnd = broken.finalityStalled ? chain.heightAt(now()) - UNCOMMITTED_BLOCKS : Number.POSITIVE_INFINITY;
  const commit = (head: number): number => Math.max(Math.min(head - COMMIT_DISTANCE, finalityEnd), 0);

  const states = new Map<string, NodeState>(
    identities.map((identity) => {
      const { name } = identity;
      const mode = modeOf(broken, name);
      const height = chain.heightAt(now());
      const running = ruleFor(mode, 0, Number.NEGATIVE_INFINITY);
      const head = mode === 'down' || mode === 'frozen' ? ruleFor(mode, height, 0) : running;
      const startedAt = mode === 'foreign' ? 0 : undefined;
      return [name, { identity, chain: chainFor(mode, identity, chain, height), head, startedAt }];
    }),
  );
  const stateOf = (name: string): NodeState => {
    const state = states.get(name);
    if (state === undefined) throw new RangeError(`The simulated subnet has no node ${name}.`);
    return state;
  };
  /** Who it is, with the key that it runs with. */
  const withKey = (identity: NodeIdentity): NodeIdentity => {
    const other = broken.keys[identity.name];
    if (other === undefined) return identity;
    return { ...identity, address: (states.get(other)?.identity ?? toNodeIdentity(other, 0)).address };
  };
  const headOf = (name: string): number => headAt(stateOf(name).head, chain, now());

  const committedOf = (name: string): number | undefined => {
    const head = headOf(name);
    const { startedAt } = stateOf(name);
    const tooYoung = startedAt !== undefined && head < startedAt + BLOCKS_UNTIL_COMMITTED;
    return tooYoung || broken.uncommitted.includes(name) ? undefined : commit(head);
  };

  /** Whose votes reach a node whose round times out. Nodes pass on votes, so one connection is enough. */
  const timeoutOf = (name: string, connected: readonly string[]): NodeView['timeout'] => {
    const { down, frozen, foreign, isolated } = broken;
    const alone = isolated.includes(name) || foreign.includes(name);
    if (down.includes(name) || (frozen.includes(name) && !alone)) return undefined;
    if (!alone && chain.isProducing()) return undefined;
    const { address } = stateOf(name).identity;
    // When the chain stands although enough nodes run, no vote reaches another node.
    if (alone || broken.halted || connected.length === 0) return { heard: [address] };
    return { heard: chain.officeAt(headOf(name)).voters };
  };

  const isAlone = (name: string): boolean => broken.down.includes(name) || broken.isolated.includes(name);

  return {
    names,
    unlisted,
    chain,
    now,
    node: (name) => {
      const state = stateOf(name);
      const head = headOf(name);
      const connected = connectedTo(broken, names, name);
      return {
        identity: withKey(state.identity),
        chain: state.chain,
        head,
        highest: Math.max(head, ...connected.map(headOf)),
        committed: committedOf(name),
        timeout: timeoutOf(name, connected),
        peers: [
          ...connected.map((other) => ({
            identity: stateOf(other).identity,
            chain: stateOf(other).chain,
            head: headOf(other),
            inbound: names.indexOf(other) > names.indexOf(name),
          })),
          ...(broken.unlisted && !isAlone(name)
            ? [{ identity: unlisted, chain, head: chain.heightAt(now()), inbound: true }]
            : []),
        ],
        doubleVoters: broken.doubleVoters
          .filter((one) => !broken.forked.includes(one))
          .map((one) => stateOf(one).identity.address),
        packets: packets.sentUpTo(chain.heightAt(now())).filter((block) => block <= head),
        servesAdmin: !broken.adminHidden,
        garbled: broken.garbled.includes(name),
        limited: broken.limited.includes(name),
      };
    },
    newest: () => Math.max(0, ...names.filter((name) => !broken.down.includes(name)).map(headOf)),
    committedAt: (ms) => commit(chain.heightAt(ms)),
    packetsReceived: packets.received,
    apply: (next) => {
      const before = broken;
      const heads = names.map(headOf);
      broken = next;
      turnChain();
      movePackets();
      if (next.finalityStalled !== before.finalityStalled)
        finalityEnd = next.finalityStalled ? chain.heightAt(now()) - COMMIT_DISTANCE : Number.POSITIVE_INFINITY;
      for (const [index, name] of names.entries()) {
        const was = modeOf(before, name);
        const mode = modeOf(next, name);
        if (was === mode) continue;
        const { identity, startedAt } = stateOf(name);
        // The data of the right chain is put back into a node that had another genesis.
        const fromNumber = was === 'foreign' ? chain.heightAt(now()) : (heads[index] ?? 0);
        const restarted = was === 'down' || was === 'foreign';
        states.set(name, {
          identity,
          chain: chainFor(mode, identity, chain, fromNumber),
          head: ruleFor(mode, fromNumber, now()),
          startedAt: mode === 'foreign' ? 0 : restarted ? fromNumber : startedAt,
        });
      }
    },
    restart: (name, fallBy) => {
      const state = stateOf(name);
      const fromNumber = Math.max(headOf(name) - fallBy, 0);
      states.set(name, {
        ...state,
        head: ruleFor(modeOf(broken, name), fromNumber, now()),
        startedAt: fromNumber,
      });
    },
  };
};

/** A liar's height is this far above the real one. */
const BOAST_BLOCKS = 1_000_000;

/** What a node says that claims blocks which nobody has; it follows the chain, and its log tells so. */
export const boast = (view: NodeView): NodeView => {
  const head = view.head + BOAST_BLOCKS;
  return {
    ...view,
    chain: branchOf(view.chain, view.head + 1, view.identity.name),
    head,
    highest: head,
    committed: head - COMMIT_DISTANCE,
  };
};
