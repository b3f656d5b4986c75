/** The services of the simulated subnet that answer HTTP. */
export const SERVICES = ['relayer', 'stats', 'frontend'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The worst first: a dead relayer says nothing of what else is wrong with it, and a silent one nothing of a fork. */
const RELAYER_FAULTS = [
  'dead',
  'silent',
  'no-parent',
  'no-contract',
  'refused',
  'no-funds',
  'low-gas-price',
  'forking',
] as const;
export type RelayerFault = (typeof RELAYER_FAULTS)[number];

/** A container is stopped, or is killed once, or it is started again and again, each time to its end. */
export type Fate = 'stopped' | 'killed' | 'ipc-path-too-long' | 'read-only' | 'out-of-memory';

const none: readonly string[] = [];

/** A subnet in which all is well: each member is something that can be broken, as a physical fact; nodes by name. */
export const NO_EFFECTS = {
  /** No block comes although every node runs. */
  halted: false,
  /** These do not listen and have no connection. */
  down: none,
  /** Their height is stalled. They keep their connections and neither propose nor vote. */
  frozen: none,
  /** These follow the chain from far below; they neither propose nor vote. */
  behind: none,
  /** These run and follow, and neither propose nor vote. */
  mute: none,
  /** These miss some of their turns. */
  lagging: none,
  /** These follow the chain, but are no masternodes for now, as they missed their rounds. */
  penalised: none,
  /** These are masternodes and no candidates any more, so the chain chooses the next set without them. */
  resigned: none,
  /** These follow another branch of the chain, so their votes count for nothing. */
  forked: none,
  /** These were started with another genesis and have no other block. */
  foreign: none,
  /** These are connected to no other node. */
  isolated: none,
  /** These answer with a height that nobody has. */
  boasting: none,
  /** Blocks come, and none is committed any more. */
  finalityStalled: false,
  /** The clocks of these are behind. */
  skewed: none,
  /** Nobody can reach anything of the subnet: requests are accepted and never answered. */
  unreachable: false,
  /** The clock of the machine of subnetd is set forward. */
  clockStepped: false,
  /** Each node is restarted once, one after the other. */
  rolling: false,
  /** These do not know of a committed block, as after a start, and stay so. */
  uncommitted: none,
  /** A web page of something else answers in the place of these. */
  garbled: none,
  /** A limit of requests answers in the place of these. */
  limited: none,
  /** These run, and nothing listens at their addresses. */
  rpcMoved: none,
  /** The inventory has a wrong address for every node, so nothing listens there. */
  misaddressed: false,
  /** These have as many files open as they may, so they accept no connection any more. */
  outOfFiles: none,
  /** A node runs that the inventory does not name, connected to all others. */
  unlisted: false,
  /** These are restarted on order, and killed some time later. */
  killed: none,
  /** All nodes are killed once, at the same moment. */
  allKilled: false,
  /** Other compose projects, in which the containers of these have been recreated. */
  projects: {} as Readonly<Record<string, string>>,
  /** These run with the key of the node of this name, which may be none of the subnet. */
  keys: {} as Readonly<Record<string, string>>,
  /** These sign a second block in some rounds, which nobody else has. */
  doubleVoters: none,
  /** Pairs without a connection. */
  cut: [] as readonly (readonly [string, string])[],
  /** No node serves the namespace `admin` over HTTP. */
  adminHidden: false,
  /** These services do not listen. */
  closed: [] as readonly ServiceName[],
  /** Every node runs at the log level that the generator sets, at which it prints no block. */
  logLevelLow: false,
  /** The bootnode hears nothing of these. */
  unheard: none,
  /** Docker refuses the logs of the containers of these. */
  unreadable: none,
  /** The parent chain does not answer. */
  parentDown: false,
  /** The parent chain makes no more blocks; its node still answers. */
  parentHalted: false,
  /** The node of the parent chain is restarted once, between two cycles of the relayer. */
  parentRestarts: false,
  /** The parent chain takes back its last blocks once; what was in them comes back with the next cycle of the relayer. */
  parentReorganised: false,
  /** The parent chain has lost the checkpoint contract. */
  contractGone: false,
  /** The checkpoint contract takes no block, as it misses an epoch change. */
  contractRefuses: false,
  /** The relayer submits to another contract than that of the inventory. */
  checkpointLost: false,
  /** The wallet of the relayer has coins for some days only. */
  walletLow: false,
  /** The wallet of the relayer has no coins. */
  walletEmpty: false,
  /** A contract of the subnet sends packets to the parent chain, and the relayer delivers none. */
  packetsWait: false,
  /** The stats server runs, and no node is connected to it. */
  statsStale: false,
  /** The frontend prints errors. */
  frontendError: false,
  /** The page of the frontend has an error that only a browser sees. */
  consoleError: false,
  /** What becomes of containers, by node or service; all others run. */
  fates: {} as Readonly<Record<string, Fate>>,
};

/** What is broken in the simulated subnet. The wire and the list of faults follow it. */
export interface Effects extends Readonly<typeof NO_EFFECTS> {
  /** What the relayer prints of what is wrong with it, or that it prints nothing more. */
  readonly relayer?: RelayerFault;
}

const relayerOf = (...all: readonly Partial<Effects>[]): Pick<Effects, 'relayer'> => {
  const worst = RELAYER_FAULTS.find((how) => all.some(({ relayer }) => relayer === how));
  return worst === undefined ? {} : { relayer: worst };
};

/** When two faults hit a container, the stop wins: a stopped container cannot end in another way. */
const mergeFates = (one: Effects['fates'], other: Effects['fates'] = {}): Effects['fates'] => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, fate]) => [name, one[name] === 'stopped' ? 'stopped' : fate]),
  ),
});

/** Of a member in two effects: true if one is, what both list, and the entries of both. */
function join(one: Effects[keyof Effects], other: Effects[keyof Effects]): unknown {
  if (typeof one === 'boolean') return one || other === true;
  if (Array.isArray(one)) return [...one, ...((other as typeof one | undefined) ?? [])];
  return { ...Object(one), ...Object(other) };
}

const merge = (sum: Effects, next: Partial<Effects>): Effects => {
  const names = Object.keys(NO_EFFECTS) as (keyof typeof NO_EFFECTS)[];
  const joined = Object.fromEntries(names.map((name) => [name, join(sum[name], next[name])])) as typeof NO_EFFECTS;
  return { ...joined, ...relayerOf(sum, next), fates: mergeFates(sum.fates, next.fates) };
};

/** All of several things broken at once. */
export const mergeEffects = (all: readonly Partial<Effects>[]): Effects => all.reduce<Effects>(merge, NO_EFFECTS);

/**
 * Votes that a block needs with this many masternodes: 3 of 4, but all 3 of 3. The threshold 0.667 is slightly more
 * than two thirds (XDC-Subnet consensus/XDPoS/engines/engine_v2/vote.go).
 */
export const quorum = (masternodes: number): number => Math.ceil(masternodes * 0.667);

/** Masternodes that take no part in consensus: no node that takes part signs with their key. */
export const absentees = (effects: Effects): ReadonlySet<string> => {
  const { down, frozen, behind, mute, forked, foreign, isolated, keys } = effects;
  const out = new Set([...down, ...frozen, ...behind, ...mute, ...forked, ...foreign, ...isolated]);
  const signers = Object.entries(keys).flatMap(([name, key]) => (out.has(name) ? [] : key));
  return out.union(new Set(Object.keys(keys))).difference(new Set(signers));
};

/** Whether blocks come: nothing halts the chain, and those who take part are enough. */
export const producesBlocks = (effects: Effects, nodes: readonly string[]): boolean => {
  const absent = absentees(effects);
  const masternodes = nodes.filter((name) => !effects.penalised.includes(name));
  const voters = masternodes.filter((name) => !absent.has(name));
  return !effects.halted && voters.length > 0 && voters.length >= quorum(masternodes.length);
};

/** The nodes that `name` is connected to; none for a node that is down. */
export const connectedTo = (
  { down, cut, isolated }: Effects,
  nodes: readonly string[],
  name: string,
): readonly string[] => {
  const alone = new Set([...down, ...isolated]);
  if (alone.has(name)) return [];
  return nodes.filter(
    (other) => other !== name && !alone.has(other) && !cut.some((pair) => pair.includes(name) && pair.includes(other)),
  );
};
