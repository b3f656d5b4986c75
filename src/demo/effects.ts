/** The services of the simulated subnet that answer HTTP. */
export const SERVICES = ['relayer', 'stats', 'frontend'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** What is broken in the simulated subnet, as physical facts; nodes by name. The wire and the list of faults follow it. */
export interface Effects {
  /** No block comes although every node runs. */
  readonly halted: boolean;
  /** These do not listen and have no connection. */
  readonly down: readonly string[];
  /** Their height is stalled. They keep their connections and neither propose nor vote. */
  readonly frozen: readonly string[];
  /** These follow the chain from far below; they neither propose nor vote. */
  readonly behind: readonly string[];
  /** These run and follow, and neither propose nor vote. */
  readonly mute: readonly string[];
  /** These follow the chain, but are no masternodes for now, as they missed their rounds. */
  readonly penalised: readonly string[];
  /** These follow another branch of the chain, so their votes count for nothing. */
  readonly forked: readonly string[];
  /** These were started with another genesis and have no other block. */
  readonly foreign: readonly string[];
  /** These are connected to no other node. */
  readonly isolated: readonly string[];
  /** These answer with a height that nobody has. */
  readonly boasting: readonly string[];
  /** Blocks come, and none is committed any more. */
  readonly finalityStalled: boolean;
  /** The clocks of these are behind. */
  readonly skewed: readonly string[];
  /** Nobody can reach anything of the subnet: requests are accepted and never answered. */
  readonly unreachable: boolean;
  /** The clock of the machine of subnetd is set forward. */
  readonly clockStepped: boolean;
  /** Each node is restarted once, one after the other. */
  readonly rolling: boolean;
  /** These do not know of a committed block, as after a start, and stay so. */
  readonly uncommitted: readonly string[];
  /** A web page of something else answers in the place of these. */
  readonly garbled: readonly string[];
  /** A limit of requests answers in the place of these. */
  readonly limited: readonly string[];
  /** These run, and nothing listens at their addresses. */
  readonly rpcMoved: readonly string[];
  /** The inventory has a wrong address for every node, so nothing listens there. */
  readonly misaddressed: boolean;
  /** These have as many files open as they may, so they accept no connection any more. */
  readonly outOfFiles: readonly string[];
  /** A node runs that the inventory does not name, connected to all others. */
  readonly unlisted: boolean;
  /** These are restarted on order, and killed some time later. */
  readonly killed: readonly string[];
  /** Other compose projects, in which the containers of these have been recreated. */
  readonly projects: Readonly<Record<string, string>>;
  /** These run with the key of the node of this name, which may be none of the subnet. */
  readonly keys: Readonly<Record<string, string>>;
  /** Pairs without a connection. */
  readonly cut: readonly (readonly [string, string])[];
  /** No node serves the namespace `admin` over HTTP. */
  readonly adminHidden: boolean;
  /** These services do not listen. */
  readonly closed: readonly ServiceName[];
  /** Every node runs at the log level that the generator sets, at which it prints no block. */
  readonly logLevelLow: boolean;
  /** The bootnode hears nothing of these. */
  readonly unheard: readonly string[];
  /** Docker refuses the logs of the containers of these. */
  readonly unreadable: readonly string[];
  /** The parent chain does not answer. */
  readonly parentDown: boolean;
  /** The node of the parent chain is restarted once, between two cycles of the relayer. */
  readonly parentRestarts: boolean;
  /** The parent chain takes back its last blocks once; what was in them comes back with the next cycle of the relayer. */
  readonly parentReorganised: boolean;
  /** The parent chain has lost the checkpoint contract. */
  readonly contractGone: boolean;
  /** The relayer submits to another contract than that of the inventory. */
  readonly checkpointLost: boolean;
  /** The wallet of the relayer has coins for some days only. */
  readonly walletLow: boolean;
  /** The wallet of the relayer has no coins. */
  readonly walletEmpty: boolean;
  /** What the relayer prints of what is wrong with it, or that it prints nothing more. */
  readonly relayer?: RelayerFault;
  /** The stats server runs, and no node is connected to it. */
  readonly statsStale: boolean;
  /** The frontend prints errors. */
  readonly frontendError: boolean;
  /** The page of the frontend has an error that only a browser sees. */
  readonly consoleError: boolean;
  /** What becomes of containers, by node or service; all others run. */
  readonly fates: Readonly<Record<string, Fate>>;
}

/** The worst first: a dead relayer says nothing of what else is wrong with it, and a silent one nothing of a fork. */
const RELAYER_FAULTS = ['dead', 'silent', 'no-parent', 'no-contract', 'no-funds', 'low-gas-price', 'forking'] as const;
export type RelayerFault = (typeof RELAYER_FAULTS)[number];

/** A container is stopped, or is killed once, or it is started again and again, each time to its end. */
export type Fate = 'stopped' | 'killed' | 'ipc-path-too-long' | 'read-only' | 'out-of-memory';

/** A subnet in which all is well. */
export const NO_EFFECTS: Effects = {
  halted: false,
  down: [],
  frozen: [],
  behind: [],
  mute: [],
  penalised: [],
  forked: [],
  foreign: [],
  isolated: [],
  boasting: [],
  finalityStalled: false,
  skewed: [],
  unreachable: false,
  clockStepped: false,
  rolling: false,
  uncommitted: [],
  garbled: [],
  limited: [],
  rpcMoved: [],
  misaddressed: false,
  outOfFiles: [],
  unlisted: false,
  killed: [],
  projects: {},
  keys: {},
  cut: [],
  adminHidden: false,
  closed: [],
  logLevelLow: false,
  unheard: [],
  unreadable: [],
  parentDown: false,
  parentRestarts: false,
  parentReorganised: false,
  contractGone: false,
  checkpointLost: false,
  walletLow: false,
  walletEmpty: false,
  statsStale: false,
  frontendError: false,
  consoleError: false,
  fates: {},
};

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

const join = <T>(one: readonly T[], other: readonly T[] = []): readonly T[] => [...one, ...other];

const merge = (sum: Effects, next: Partial<Effects>): Effects => ({
  halted: sum.halted || (next.halted ?? false),
  down: join(sum.down, next.down),
  frozen: join(sum.frozen, next.frozen),
  behind: join(sum.behind, next.behind),
  mute: join(sum.mute, next.mute),
  penalised: join(sum.penalised, next.penalised),
  forked: join(sum.forked, next.forked),
  foreign: join(sum.foreign, next.foreign),
  isolated: join(sum.isolated, next.isolated),
  boasting: join(sum.boasting, next.boasting),
  finalityStalled: sum.finalityStalled || (next.finalityStalled ?? false),
  skewed: join(sum.skewed, next.skewed),
  unreachable: sum.unreachable || (next.unreachable ?? false),
  clockStepped: sum.clockStepped || (next.clockStepped ?? false),
  rolling: sum.rolling || (next.rolling ?? false),
  uncommitted: join(sum.uncommitted, next.uncommitted),
  garbled: join(sum.garbled, next.garbled),
  limited: join(sum.limited, next.limited),
  rpcMoved: join(sum.rpcMoved, next.rpcMoved),
  misaddressed: sum.misaddressed || (next.misaddressed ?? false),
  outOfFiles: join(sum.outOfFiles, next.outOfFiles),
  unlisted: sum.unlisted || (next.unlisted ?? false),
  killed: join(sum.killed, next.killed),
  projects: { ...sum.projects, ...next.projects },
  keys: { ...sum.keys, ...next.keys },
  cut: join(sum.cut, next.cut),
  adminHidden: sum.adminHidden || (next.adminHidden ?? false),
  closed: join(sum.closed, next.closed),
  logLevelLow: sum.logLevelLow || (next.logLevelLow ?? false),
  unheard: join(sum.unheard, next.unheard),
  unreadable: join(sum.unreadable, next.unreadable),
  parentDown: sum.parentDown || (next.parentDown ?? false),
  parentRestarts: sum.parentRestarts || (next.parentRestarts ?? false),
  parentReorganised: sum.parentReorganised || (next.parentReorganised ?? false),
  contractGone: sum.contractGone || (next.contractGone ?? false),
  checkpointLost: sum.checkpointLost || (next.checkpointLost ?? false),
  walletLow: sum.walletLow || (next.walletLow ?? false),
  walletEmpty: sum.walletEmpty || (next.walletEmpty ?? false),
  ...relayerOf(sum, next),
  statsStale: sum.statsStale || (next.statsStale ?? false),
  frontendError: sum.frontendError || (next.frontendError ?? false),
  consoleError: sum.consoleError || (next.consoleError ?? false),
  fates: mergeFates(sum.fates, next.fates),
});

/** All of several things broken at once. */
export const mergeEffects = (all: readonly Partial<Effects>[]): Effects => all.reduce<Effects>(merge, NO_EFFECTS);

/**
 * Votes that a block needs with this many masternodes: 3 of 4, but all 3 of 3. The threshold 0.667 is slightly more
 * than two thirds (XDC-Subnet consensus/XDPoS/engines/engine_v2/vote.go).
 */
export const quorum = (masternodes: number): number => Math.ceil(masternodes * 0.667);

/** Masternodes that take no part in consensus. */
export const absentees = (effects: Effects): ReadonlySet<string> => {
  const { down, frozen, behind, mute, forked, foreign, isolated, keys } = effects;
  const others = [...behind, ...mute, ...forked, ...foreign, ...isolated, ...Object.keys(keys)];
  return new Set([...down, ...frozen, ...others]);
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
