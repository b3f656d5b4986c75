import { nodeBlockLines, nodeFatalLine, nodeOutOfFilesLine, nodeStartLines } from './log-lines.ts';
import { BOOTNODE } from './node-identity.ts';
import { goModules, nodeMethods } from './node-methods.ts';
import type { NodeShape, PlainAnswer, PlainRequest } from './node-shape.ts';
import type { RpcOutcome } from './rpc-method.ts';

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
