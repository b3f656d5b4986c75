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
  /** These do not know of a committed block, as after a start, and stay so. */
  readonly uncommitted: readonly string[];
  /** A web page of something else answers in the place of these. */
  readonly garbled: readonly string[];
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
  /** The relayer begins a cycle and prints nothing more, its process is dead, or it sees a fork; undefined when all is well. */
  readonly relayer?: 'silent' | 'dead' | 'forking';
  /** The stats server runs, and no node is connected to it. */
  readonly statsStale: boolean;
  /** The frontend prints errors. */
  readonly frontendError: boolean;
  /** The page of the frontend has an error that only a browser sees. */
  readonly consoleError: boolean;
  /** What becomes of containers, by node or service; all others run. */
  readonly fates: Readonly<Record<string, Fate>>;
}

/** A container is stopped, or it is started again and again, each time to its end. */
export type Fate = 'stopped' | 'ipc-path-too-long' | 'out-of-memory';

/** A subnet in which all is well. */
export const NO_EFFECTS: Effects = {
  halted: false,
  down: [],
  frozen: [],
  behind: [],
  uncommitted: [],
  garbled: [],
  cut: [],
  adminHidden: false,
  closed: [],
  logLevelLow: false,
  unheard: [],
  statsStale: false,
  frontendError: false,
  consoleError: false,
  fates: {},
};

/** A dead relayer says nothing of what else is wrong with it, and a silent one nothing of a fork. */
const relayerOf = (...all: readonly Partial<Effects>[]): Pick<Effects, 'relayer'> => {
  const worst = (['dead', 'silent', 'forking'] as const).find((how) => all.some(({ relayer }) => relayer === how));
  return worst === undefined ? {} : { relayer: worst };
};

/** When two faults hit a container, the stop wins: a stopped container cannot end in another way. */
const mergeFates = (one: Effects['fates'], other: Effects['fates'] = {}): Effects['fates'] => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, fate]) => [name, one[name] === 'stopped' ? 'stopped' : fate]),
  ),
});

/** All of several things broken at once. */
export const mergeEffects = (all: readonly Partial<Effects>[]): Effects =>
  all.reduce<Effects>(
    (sum, next) => ({
      halted: sum.halted || (next.halted ?? false),
      down: [...sum.down, ...(next.down ?? [])],
      frozen: [...sum.frozen, ...(next.frozen ?? [])],
      behind: [...sum.behind, ...(next.behind ?? [])],
      uncommitted: [...sum.uncommitted, ...(next.uncommitted ?? [])],
      garbled: [...sum.garbled, ...(next.garbled ?? [])],
      cut: [...sum.cut, ...(next.cut ?? [])],
      adminHidden: sum.adminHidden || (next.adminHidden ?? false),
      closed: [...sum.closed, ...(next.closed ?? [])],
      logLevelLow: sum.logLevelLow || (next.logLevelLow ?? false),
      unheard: [...sum.unheard, ...(next.unheard ?? [])],
      ...relayerOf(sum, next),
      statsStale: sum.statsStale || (next.statsStale ?? false),
      frontendError: sum.frontendError || (next.frontendError ?? false),
      consoleError: sum.consoleError || (next.consoleError ?? false),
      fates: mergeFates(sum.fates, next.fates),
    }),
    NO_EFFECTS,
  );

/**
 * Votes that a block needs with this many masternodes: 3 of 4, but all 3 of 3. The threshold 0.667 is slightly more
 * than two thirds (XDC-Subnet consensus/XDPoS/engines/engine_v2/vote.go).
 */
export const quorum = (masternodes: number): number => Math.ceil(masternodes * 0.667);

/** Masternodes that take no part in consensus. */
export const absentees = ({ down, frozen, behind }: Effects): ReadonlySet<string> =>
  new Set([...down, ...frozen, ...behind]);

/** Whether blocks come: nothing halts the chain, and those who take part are enough. */
export const producesBlocks = (effects: Effects, nodes: readonly string[]): boolean =>
  !effects.halted && nodes.length - absentees(effects).size >= quorum(nodes.length);

/** The nodes that `name` is connected to; none for a node that is down. */
export const connectedTo = ({ down, cut }: Effects, nodes: readonly string[], name: string): readonly string[] =>
  down.includes(name)
    ? []
    : nodes.filter(
        (other) =>
          other !== name && !down.includes(other) && !cut.some((pair) => pair.includes(name) && pair.includes(other)),
      );
