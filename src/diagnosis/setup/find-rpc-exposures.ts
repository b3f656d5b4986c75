import type { Reach, RpcExposure } from '../../model/exposure.ts';
import { joinAnd } from '../../model/list-names.ts';
import type { Suspicion } from '../../model/problem.ts';
import { isMissing, type NodeView, type SubnetView } from '../subnet-view.ts';
import { describeWhere } from './describe-where.ts';

/** The namespaces that change the node, and what anyone can do with each (XDC-Subnet node/api.go, eth/api.go, internal/ethapi/api.go). */
const DANGERS: Readonly<Record<string, string>> = {
  admin: 'cut it off from its peers (admin_removePeer)',
  debug: 'rewind its chain (debug_setHead)',
  miner: 'stop its blocks (miner_stop)',
  personal: 'guess the password of its account (personal_unlockAccount)',
};

/** A node that serves anyone, and where. */
interface Exposed {
  readonly node: NodeView;
  readonly seen: RpcExposure;
  /** Of the address that most can reach. */
  readonly reach: Reach;
  /** The addresses with that reach, as a text. */
  readonly where: string;
  readonly port: number;
  readonly dangerous: readonly string[];
  /** How it is known that its account is unlocked; undefined when it is not. */
  readonly unlocked: string | undefined;
}

function isMasternode(node: NodeView, { chain, masters }: SubnetView): boolean {
  const address = node.chainFacts?.observation.address;
  return address !== undefined && masters.get(address) === node && chain.masternodes?.active.includes(address) === true;
}

/** A masternode that signs nothing is found by its missing votes. */
const isSilent = (node: NodeView, { silentVoters }: SubnetView): boolean =>
  isMissing(node) || silentVoters.has(node.chainFacts?.observation.address ?? '');

/** How it is known that the account of a node is unlocked. `before` is what was known, which stays so while a masternode is out. */
function findUnlocked(
  node: NodeView,
  { wallet }: RpcExposure,
  view: SubnetView,
  before: string | undefined,
): string | undefined {
  if (wallet === 'unlocked') return `by personal_listWallets, an account of ${node.name} is unlocked`;
  if (wallet !== undefined || !isMasternode(node, view)) return undefined;
  if (isSilent(node, view)) return before;
  // A key that is locked signs nothing.
  return `${node.name} signs blocks as a masternode, so its account is unlocked`;
}

function toExposed(node: NodeView, seen: RpcExposure, unlocked: string | undefined): Exposed | undefined {
  const served = describeWhere(seen.servedAt);
  if (served === undefined) return undefined;
  const dangerous = seen.modules.filter((name) => Object.hasOwn(DANGERS, name));
  const { reach, port, text: where } = served;
  return { node, seen, reach, where, port, dangerous, unlocked };
}

const about = ({ name }: NodeView) => ({ component: 'node', name, explains: [], causes: [] }) as const;

/** The line that leaves out what is dangerous. `rpc` is served in any case. */
function toEnvLine({ node: { name }, seen, dangerous }: Exposed): string {
  const kept = seen.modules.filter((module) => module !== 'rpc' && !dangerous.includes(module));
  return `set RPC_API=${kept.join() || 'net,web3'} in ${name}.env and recreate ${name}`;
}

/** The fix where the start script of a node leaves no choice. */
const toOwnMachine = ({ port }: Exposed): string =>
  `publish the port as 127.0.0.1:${port}:${port} in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes)`;

function findNamespaces(one: Exposed): readonly Suspicion[] {
  const { node, reach, where, dangerous } = one;
  if (dangerous.length === 0 || reach === 'loopback') return [];
  const names = joinAnd(dangerous);
  return [
    {
      problem: reach === 'public' ? 'rpc_exposed' : 'rpc_open',
      ...about(node),
      summary: `the RPC of ${node.name} serves ${names} beyond its own machine`,
      evidence: `at ${where} ${node.name} serves ${names} without a password: anybody there can ${joinAnd(dangerous.map((name) => DANGERS[name] ?? ''))}`,
      fix: `${toEnvLine(one)}; what needs them can use its IPC`,
    },
  ];
}

function findAccount(one: Exposed): readonly Suspicion[] {
  const { node, reach, where, unlocked } = one;
  if (unlocked === undefined || reach === 'loopback') return [];
  return [
    {
      problem: reach === 'public' ? 'account_exposed' : 'account_unlocked',
      ...about(node),
      summary: `the unlocked account of ${node.name} can be used from beyond its own machine`,
      evidence: `${unlocked}, and at ${where} it serves eth: anybody there can spend its coins and sign in its name without a password (eth_sendTransaction, eth_sign)`,
      fix: `${toOwnMachine(one)}; no line of ${node.name}.env helps, as the start script always passes --unlock`,
    },
  ];
}

/** The namespaces that a web page could abuse. On a node's own machine, what every masternode needs does not count. */
const findAbused = ({ reach, dangerous, unlocked }: Exposed): readonly string[] =>
  unlocked !== undefined && reach !== 'loopback' ? [...dangerous, 'eth'].toSorted() : dangerous;

function findWildcards(one: Exposed): readonly Suspicion[] {
  const { node, seen, where } = one;
  const { name } = node;
  const names = findAbused(one);
  if (names.length === 0) return [];
  const abused = joinAnd(names);
  const fixFor = (flag: string, value: string) =>
    // Without namespaces that change the node, web pages reach only what everybody may read.
    !names.includes('eth')
      ? `${toEnvLine(one)}; ${flag} "*" itself comes from start.sh, and then opens only what everybody may read`
      : `mount a copy of start.sh that passes ${flag} ${value} over /work/start.sh in docker-compose.yml; no line of ${name}.env helps, as the start script always passes ${flag} "*"`;
  return [
    ...(seen.anyHost
      ? [
          {
            problem: 'hosts_wildcard' as const,
            ...about(node),
            summary: `the RPC of ${name} answers under any host name`,
            evidence: `at ${where} ${name} answered for the host name subnetd-exposure.invalid: a web page that points its own name there can use ${abused} (DNS rebinding)`,
            fix: fixFor('--rpcvhosts', `localhost,${name}`),
          },
        ]
      : []),
    ...(seen.anyOrigin
      ? [
          {
            problem: 'origins_wildcard' as const,
            ...about(node),
            summary: `the RPC of ${name} lets any web page use it`,
            evidence: `at ${where} ${name} allowed the origin https://subnetd-exposure.invalid: any page that is opened in a browser there can use ${abused}`,
            fix: fixFor('--rpccorsdomain', 'http://FRONTEND:5214'),
          },
        ]
      : []),
  ];
}

function findOf(node: NodeView, seen: RpcExposure, unlocked: string | undefined): readonly Suspicion[] {
  const one = toExposed(node, seen, unlocked);
  return one === undefined ? [] : [...findNamespaces(one), ...findAccount(one), ...findWildcards(one)];
}

/** What the RPC of each node does for anyone, and should not. */
export function findRpcExposures(view: SubnetView): readonly Suspicion[] {
  return view.nodes.flatMap((node): readonly Suspicion[] => {
    const { exposure } = node.setup;
    if (!exposure?.ok) return [];
    const seen = exposure.value;
    const last = view.exposures.get(node.target);
    const before = last?.seen === seen ? last : undefined;
    const unlocked = seen.modules.includes('eth') ? findUnlocked(node, seen, view, before?.unlocked) : undefined;
    if (before !== undefined && before.unlocked === unlocked) return before.problems;
    const problems = findOf(node, seen, unlocked);
    view.exposures.set(node.target, { seen, unlocked, problems });
    return problems;
  });
}
