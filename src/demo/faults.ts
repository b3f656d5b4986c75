import { connectedTo, type Effects, mergeEffects, producesBlocks, SERVICES } from './effects.ts';

/** The names of what `subnetd demo --fault` can break. */
export const FAULT_NAMES = [
  'node-stalled',
  'node-down',
  'node-behind',
  'peer-missing',
  'admin-not-exposed',
  'rpc-error-inside-result',
  'rpc-garbage',
  'subnet-halted',
  'service-down',
  'relayer-silent',
  'relayer-dead-container-up',
  'relayer-forking',
  'bootnode-misses-a-node',
  'stats-stale',
  'frontend-error',
  'console-error',
  'log-level-low',
  'oom-kill',
  'ipc-path-too-long',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** The checks, as `component/name/check`, whose verdict is other than in a healthy demo. */
export interface Changes {
  readonly fails: readonly string[];
  readonly degrades: readonly string[];
}

/** A fault of the demo: `what` breaks, in a sentence, and exactly what changes once things have settled. */
export interface DemoFault extends Changes {
  readonly name: FaultName;
  readonly what: string;
  /** What it takes to see it, when that is not there; then nothing changes. */
  readonly needs?: string;
}

/** What a demo consists of. */
export interface DemoParts {
  readonly nodes: readonly string[];
  /** Does a browser visit the page of the frontend? */
  readonly browser: boolean;
}

interface Entry {
  readonly what: string;
  /** The fewest nodes with which the fault can exist, and why it needs more than one. */
  readonly least: number;
  readonly because?: string;
  readonly effects: Partial<Effects>;
}

const needsSecond = { least: 2, because: 'it happens to subnet2' } as const;

/** One entry per fault. What the checks make of it is not written here: it follows from the effects. */
const TABLE: Readonly<Record<FaultName, Entry>> = {
  'node-stalled': {
    what: 'subnet2 keeps its peers and answers, but its height is stalled.',
    ...needsSecond,
    effects: { frozen: ['subnet2'] },
  },
  'node-down': {
    what: 'The container of subnet2 is stopped, and every other node has lost it as a peer.',
    ...needsSecond,
    effects: { down: ['subnet2'], fates: { subnet2: 'stopped' } },
  },
  'node-behind': {
    what: 'subnet2 follows the chain, but 25 blocks below the others.',
    least: 4,
    because: 'with fewer the chain halts when one node does not vote',
    effects: { behind: ['subnet2'] },
  },
  'peer-missing': {
    what: 'subnet2 and subnet3 are not connected to each other, so each has one peer less.',
    least: 3,
    because: 'with fewer no node is left that connects them',
    effects: { cut: [['subnet2', 'subnet3']] },
  },
  'admin-not-exposed': {
    what: 'No node serves admin over HTTP, as in a new subnet, so subnetd can only count peers.',
    least: 1,
    effects: { adminHidden: true },
  },
  'rpc-error-inside-result': {
    what: 'subnet2 answers without a JSON-RPC error, but its result holds a text in Error and no number.',
    ...needsSecond,
    effects: { uncommitted: ['subnet2'] },
  },
  'rpc-garbage': {
    what: 'A web page with status 200 answers at the address of subnet2.',
    ...needsSecond,
    effects: { garbled: ['subnet2'] },
  },
  'subnet-halted': {
    what: 'Every node runs and has its peers, but the chain is stalled.',
    least: 1,
    effects: { halted: true },
  },
  'service-down': {
    what: 'The container of the stats server is stopped.',
    least: 1,
    effects: { closed: ['stats'], fates: { stats: 'stopped' } },
  },
  'relayer-silent': {
    what: 'The relayer starts a cycle and prints nothing more, as when the parent chain accepts its connection and never answers.',
    least: 1,
    effects: { relayer: 'silent' },
  },
  'relayer-dead-container-up': {
    what: 'The process of the relayer was killed, and its redis keeps the container up.',
    least: 1,
    effects: { relayer: 'dead', closed: ['relayer'] },
  },
  'relayer-forking': {
    what: 'The relayer finds other blocks in the subnet than in the checkpoint contract.',
    least: 1,
    effects: { relayer: 'forking' },
  },
  'bootnode-misses-a-node': {
    what: 'A firewall blocks the p2p port of subnet2, so the bootnode receives nothing from it.',
    ...needsSecond,
    effects: { unheard: ['subnet2'] },
  },
  'stats-stale': {
    what: 'The stats server runs and answers, but no node is connected to it.',
    least: 1,
    effects: { statsStale: true },
  },
  'frontend-error': {
    what: 'The frontend cannot serve its pages and logs this.',
    least: 1,
    effects: { frontendError: true },
  },
  'console-error': {
    what: 'The page of the frontend has errors on its console, which only a browser sees.',
    least: 1,
    effects: { consoleError: true },
  },
  'log-level-low': {
    what: 'Every node runs with log level 2, as in a new subnet, and prints no block.',
    least: 1,
    effects: { logLevelLow: true },
  },
  'oom-kill': {
    what: 'The frontend runs out of memory at each build of its page, and Docker restarts it in a loop.',
    least: 1,
    effects: { closed: ['frontend'], fates: { frontend: 'out-of-memory' } },
  },
  'ipc-path-too-long': {
    what: 'subnet2 cannot bind its IPC socket because the path is too long, and Docker restarts it in a loop.',
    ...needsSecond,
    effects: { down: ['subnet2'], fates: { subnet2: 'ipc-path-too-long' } },
  },
};

/** The names that the demo gives to its nodes: subnet1, subnet2, … */
export const demoNodeNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `subnet${index + 1}`);

/** What is broken when these faults are switched on together. */
export const effectsOf = (faults: readonly FaultName[]): Effects =>
  mergeEffects(faults.map((fault) => TABLE[fault].effects));

const judge = (effects: Effects, { nodes, browser }: DemoParts): Changes => {
  const hasNewBlocks = producesBlocks(effects, nodes);
  const { down, frozen, behind, uncommitted, garbled, adminHidden, closed, logLevelLow, unheard, fates } = effects;
  const silent = (name: string) => down.includes(name) || garbled.includes(name);
  const late = (name: string) =>
    !hasNewBlocks || silent(name) || frozen.includes(name) || behind.includes(name) || uncommitted.includes(name);
  const stalled = (name: string) => !hasNewBlocks || down.includes(name) || frozen.includes(name);
  const lonely = (name: string) => silent(name) || connectedTo(effects, nodes, name).length !== nodes.length - 1;
  // Without a block in the log, a low level explains everything but a fatal line.
  const logFails = (name: string) => fates[name] === 'ipc-path-too-long' || (stalled(name) && !logLevelLow);
  const unserved = closed.includes('frontend');
  const componentOf = (name: string) => (nodes.includes(name) ? 'node' : name);
  const fails = [
    ...nodes.flatMap((name) => [
      ...(late(name) ? [`node/${name}/latest_block`] : []),
      ...(lonely(name) ? [`node/${name}/peers`] : []),
      ...(logFails(name) ? [`node/${name}/log_block`] : []),
    ]),
    ...(nodes.some((name) => down.includes(name) || unheard.includes(name)) ? ['bootnode/bootnode/messages'] : []),
    ...(effects.relayer !== undefined || !hasNewBlocks ? ['relayer/relayer/submissions'] : []),
    ...(effects.statsStale || closed.includes('stats') || !hasNewBlocks ? ['stats/stats/block_data'] : []),
    ...(effects.statsStale || closed.includes('stats') ? ['stats/stats/history_data'] : []),
    ...(effects.frontendError || fates.frontend === 'out-of-memory' ? ['frontend/frontend/logs'] : []),
    ...SERVICES.filter((service) => closed.includes(service)).map((service) => `${service}/${service}/http`),
    ...(browser && (effects.consoleError || unserved) ? ['frontend/frontend/console'] : []),
    ...Object.keys(fates).map((name) => `${componentOf(name)}/${name}/container`),
  ];
  const degrades = [
    ...(adminHidden ? nodes.filter((name) => !lonely(name)).map((name) => `node/${name}/peers`) : []),
    ...(logLevelLow ? nodes.filter((name) => !logFails(name)).map((name) => `node/${name}/log_block`) : []),
  ];
  return { fails, degrades };
};

/** What changes when these faults are switched on together: a check that one fails and another degrades fails. */
export const expectedChanges = (faults: readonly FaultName[], parts: DemoParts): Changes =>
  judge(effectsOf(faults), parts);

/** What it takes to see this fault, as a sentence, when it is not there. */
export const missingFor = (fault: FaultName, { browser }: DemoParts): string | undefined =>
  TABLE[fault].effects.consoleError && !browser
    ? `Nothing shows ${fault} here, as there is no Chromium on the PATH; install one, on Debian by apt-get install chromium.`
    : undefined;

/** Every fault that a subnet of these parts can have; the names of nodes are those of `demoNodeNames`. */
export const listFaults = (parts: DemoParts): readonly DemoFault[] =>
  FAULT_NAMES.filter((name) => TABLE[name].least <= parts.nodes.length).map((name) => {
    const needs = missingFor(name, parts);
    return { name, what: TABLE[name].what, ...expectedChanges([name], parts), needs };
  });

/** Whether a word names a fault. */
export const isFaultName = (word: string): word is FaultName => (FAULT_NAMES as readonly string[]).includes(word);

/** Why a subnet with this many nodes cannot have these faults: one sentence per fault, none when it can. */
export const findFaultErrors = (faults: readonly FaultName[], nodes: number): readonly string[] =>
  faults
    .filter((name) => TABLE[name].least > nodes)
    .map((name) => {
      const { least, because } = TABLE[name];
      return `The fault ${name} needs at least ${least} nodes, as ${because}; start the demo with --nodes ${least} or more.`;
    });
