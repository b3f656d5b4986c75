import { type Chain, COMMIT_DISTANCE, createChain } from './chain.ts';
import { absentees, connectedTo, type Effects, producesBlocks } from './effects.ts';
import { type HeadRule, headAt } from './node-head.ts';
import { type NodeIdentity, toNodeIdentity } from './node-identity.ts';

/** How far `node-behind` stays below the others. */
export const BEHIND_BLOCKS = 25;

/** A started node knows of a committed block once it has seen this many come (XDC-Subnet engine_v2/engine.go). */
export const BLOCKS_UNTIL_COMMITTED = 4;

/** Namespaces that a generated subnet serves over HTTP, as `rpc_modules` names them. */
const STOCK_MODULES = ['debug', 'eth', 'miner', 'net', 'personal', 'rpc', 'txpool', 'web3', 'XDPoS'];

/** What a node knows at one moment: all that its JSON-RPC answers are made of. */
export interface NodeView {
  readonly identity: NodeIdentity;
  readonly chain: Chain;
  readonly head: number;
  /** The highest block that it has heard of. */
  readonly highest: number;
  /** The newest committed number; undefined while the node knows of none. */
  readonly committed: number | undefined;
  readonly peers: readonly PeerView[];
  /** The namespaces that it serves over HTTP. */
  readonly modules: readonly string[];
  /** Something else answers in its place. */
  readonly garbled: boolean;
}

/** Another node as a connection shows it. */
export interface PeerView {
  readonly identity: NodeIdentity;
  readonly head: number;
  /** True when the other one dialled. */
  readonly inbound: boolean;
}

/** The simulated subnet without its wires. Every answer is computed from the clock when somebody asks. */
export interface SimulatedSubnet {
  readonly names: readonly string[];
  readonly chain: Chain;
  /** Throws a `RangeError` for a name that is none of `names`. */
  node(name: string): NodeView;
  /** The newest block that any running node has. */
  newest(): number;
  /** Starts and ends faults from now on. A node that was down comes back as if it was started. */
  apply(effects: Effects): void;
  /** Restarts a node with its head `fallBy` blocks lower, as after a kill that lost recent state. */
  restart(name: string, fallBy: number): void;
  now(): number;
}

interface NodeState {
  readonly identity: NodeIdentity;
  readonly head: HeadRule;
  /** The head at the last start; undefined on a node that has run for ever. */
  readonly startedAt: number | undefined;
}

const mode = (effects: Effects, name: string): 'down' | 'frozen' | 'behind' | 'well' => {
  if (effects.down.includes(name)) return 'down';
  if (effects.frozen.includes(name)) return 'frozen';
  return effects.behind.includes(name) ? 'behind' : 'well';
};

const ruleFor = (effects: Effects, name: string, fromNumber: number, fromMs: number): HeadRule => {
  const is = mode(effects, name);
  if (is === 'down' || is === 'frozen') return { kind: 'still', number: fromNumber };
  return { kind: 'following', lag: is === 'behind' ? BEHIND_BLOCKS : 0, fromNumber, fromMs };
};

/** A subnet of these nodes in which `effects` have been so for long. `now` gives Unix milliseconds. */
export const createSubnet = (names: readonly string[], effects: Effects, now: () => number): SimulatedSubnet => {
  const identities = names.map(toNodeIdentity);
  const chain = createChain(
    identities.map(({ address }) => address),
    now(),
  );
  let broken = effects;

  const turnChain = (): void => {
    const absent = absentees(broken);
    chain.change(now(), {
      producing: producesBlocks(broken, names),
      absent: names.flatMap((name, index) => (absent.has(name) ? [index] : [])),
    });
  };
  turnChain();

  const states = new Map<string, NodeState>(
    identities.map((identity) => {
      const running = ruleFor(broken, identity.name, 0, Number.NEGATIVE_INFINITY);
      const head: HeadRule = running.kind === 'still' ? { kind: 'still', number: chain.heightAt(now()) } : running;
      return [identity.name, { identity, head, startedAt: undefined }];
    }),
  );
  const stateOf = (name: string): NodeState => {
    const state = states.get(name);
    if (state === undefined) throw new RangeError(`The simulated subnet has no node ${name}.`);
    return state;
  };
  const headOf = (name: string): number => headAt(stateOf(name).head, chain, now());

  const committedOf = (name: string): number | undefined => {
    const head = headOf(name);
    const { startedAt } = stateOf(name);
    const tooYoung = startedAt !== undefined && head < startedAt + BLOCKS_UNTIL_COMMITTED;
    return tooYoung || broken.uncommitted.includes(name) ? undefined : Math.max(head - COMMIT_DISTANCE, 0);
  };

  return {
    names,
    chain,
    now,
    node: (name) => {
      const { identity } = stateOf(name);
      const head = headOf(name);
      const connected = connectedTo(broken, names, name);
      return {
        identity,
        chain,
        head,
        highest: Math.max(head, ...connected.map(headOf)),
        committed: committedOf(name),
        peers: connected.map((other) => ({
          identity: stateOf(other).identity,
          head: headOf(other),
          inbound: names.indexOf(other) > names.indexOf(name),
        })),
        modules: broken.adminHidden ? STOCK_MODULES : ['admin', ...STOCK_MODULES],
        garbled: broken.garbled.includes(name),
      };
    },
    newest: () => Math.max(0, ...names.filter((name) => !broken.down.includes(name)).map(headOf)),
    apply: (next) => {
      const before = broken;
      const heads = names.map(headOf);
      broken = next;
      turnChain();
      for (const [index, name] of names.entries()) {
        const was = mode(before, name);
        if (was === mode(next, name)) continue;
        const { identity, startedAt } = stateOf(name);
        const fromNumber = heads[index] ?? 0;
        states.set(name, {
          identity,
          head: ruleFor(next, name, fromNumber, now()),
          startedAt: was === 'down' ? fromNumber : startedAt,
        });
      }
    },
    restart: (name, fallBy) => {
      const { identity } = stateOf(name);
      const fromNumber = Math.max(headOf(name) - fallBy, 0);
      states.set(name, { identity, head: ruleFor(broken, name, fromNumber, now()), startedAt: fromNumber });
    },
  };
};
