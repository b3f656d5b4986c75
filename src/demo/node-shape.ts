import { nodeBlockLines, nodeFatalLine, nodeOutOfFilesLine, nodeStartLines } from './log-lines.ts';
import { BOOTNODE, type NodeIdentity } from './node-identity.ts';
import { goModules, nodeMethods } from './node-methods.ts';
import type { RpcMethod, RpcOutcome } from './rpc-method.ts';
import type { NodeView } from './simulated-subnet.ts';

/** What a node prints at once: to its console, and into its own file where that has another form. */
export interface Printed {
  readonly console: readonly string[];
  readonly file?: readonly string[];
}

/** A block that a node prints; `ms` is by its own clock. */
export interface PrintedBlock {
  readonly ms: number;
  readonly number: number;
  readonly round: number;
  readonly hash: string;
  readonly miner: string;
  /** The block that is committed with it. */
  readonly committed?: { readonly number: number; readonly round: number; readonly hash: string } | undefined;
  readonly masternodes: readonly string[];
}

/** An answer to a request that is no JSON-RPC. */
export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** How a simulated node looks from outside. All else of it is the same, whatever it runs. */
export interface NodeShape {
  /** Every method that it knows, by its whole name. */
  readonly methods: Readonly<Record<string, RpcMethod>>;
  /** The namespaces that it serves over HTTP, as `rpc_modules` names them. */
  readonly modules: (view: NodeView) => readonly string[];
  /** The namespace of a method, as `modules` names it. */
  readonly namespaceOf: (method: string) => string;
  /** The answer to a method that it does not have or does not serve. */
  readonly refuse: (method: string) => RpcOutcome;
  /** What it answers to a request before it is read as JSON-RPC. */
  readonly answerPlainly: (view: NodeView, request: PlainRequest) => PlainAnswer | undefined;
  readonly printStart: (node: NodeIdentity, level: number, start: Start) => Printed;
  readonly printBlock: (node: NodeIdentity, block: PrintedBlock) => Printed;
  /** When it is stopped. */
  readonly printStop: (ms: number) => Printed;
  /** Its end when the path of its socket is too long; undefined without a socket. */
  readonly socketFatal?: string;
  /** When it may open no more files; undefined where nobody has recorded it. */
  readonly printOutOfFiles?: (ms: number) => Printed;
  /** Its end when its data folder is mounted read-only. */
  readonly readOnlyFatal: string;
  /** The exit code of its container after `docker stop`. */
  readonly stoppedWith: number;
  readonly image: string;
  readonly args: readonly string[];
  /** What of its environment its container is created with, as the deployment generator writes it. */
  readonly env: (node: NodeIdentity, level: number) => readonly string[];
  /** Its own log below the folder of its data, where it is given to subnetd. */
  readonly logFile?: string;
  /** Whether it prints no block at the level that the generator sets. */
  readonly quietAtLowLevel: boolean;
  /** Whether it sends its blocks to the stats server. */
  readonly reportsStats: boolean;
}

/** The part of a request by which plain answers are chosen. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
}

/** A start of a node; `ms` is by its own clock. */
export interface Start {
  readonly ms: number;
  readonly head: number;
  readonly genesis: string;
}

/** The prefix of a method, which is its namespace in programs made from geth. */
export const prefixOf = (method: string): string => method.split('_', 1)[0] ?? '';

export const refuseInGo = (method: string): RpcOutcome => ({
  error: { code: -32601, message: `the method ${method} does not exist/is not available` },
});

/** A node answers to IP addresses and to its virtual hosts only (XDC-Subnet rpc/http.go); without a flag that is localhost. */
const isOwnHost = (host: string): boolean => /^(?:[\d.]*|localhost|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);

const WRONG_HOST: PlainAnswer = { status: 403, type: 'text/plain', body: 'invalid host specified\n' };

export const refuseOtherHosts = ({ host }: PlainRequest): PlainAnswer | undefined =>
  isOwnHost(host) ? undefined : WRONG_HOST;

/** XDC-Subnet v0.3.2, as recorded. */
export const goShape: NodeShape = {
  methods: nodeMethods,
  modules: goModules,
  namespaceOf: prefixOf,
  refuse: refuseInGo,
  answerPlainly: (_view, request) => refuseOtherHosts(request),
  printStart: (node, level) => ({ console: nodeStartLines(node, level) }),
  printBlock: (_node, { ms, number, committed, hash }) => ({
    console: nodeBlockLines(ms, number, committed?.number, hash),
  }),
  printStop: () => ({ console: [] }),
  socketFatal: nodeFatalLine,
  printOutOfFiles: (ms) => ({ console: [nodeOutOfFilesLine(ms)] }),
  readOnlyFatal: 'tee: /work/xdcchain/xdc.log: Read-only file system',
  // It ignores SIGTERM and is killed in the end.
  stoppedWith: 137,
  image: 'demo/xdcsubnets:v1',
  args: [],
  env: ({ name, p2pPort }, level) => [
    `INSTANCE_NAME=${name}`,
    `PORT=${p2pPort}`,
    `LOG_LEVEL=${level}`,
    `BOOTNODES=${BOOTNODE}`,
  ],
  quietAtLowLevel: true,
  reportsStats: true,
};
