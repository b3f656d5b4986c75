import { isLoopbackHost } from '../../../lib/addresses.ts';
import { collect } from '../../../lib/values.ts';
import { joinAnd, listEach } from '../../../lib/words.ts';
import type { Client } from '../../../model/client.ts';
import { formatEndpoint, type Reach, type RpcExposure, reachOf, type Where } from '../../../model/exposure.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { ProblemName } from '../../../model/problem-catalog.ts';
import type { EngineSetup, SetupObservation } from '../../../model/setup.ts';
import { DEFAULT_ENGINE } from '../../../model/target.ts';
import type { Finding } from '../../../model/verdict.ts';
import { clientOf } from '../../clients/clients.ts';
import { isMissing, type NodeView, type SubnetView } from '../subnet-view.ts';
import { type Found, suspect, suspectTarget, type Texts } from '../suspect.ts';

/** That which most can reach comes first. */
const PLACES: Readonly<Record<Reach, string>> = {
  public: 'a public address',
  private: 'an address of a private network',
  loopback: 'an address that only its own machine reaches',
};

/** Where something is served, by the endpoints that most can reach; undefined when there are none. */
export function describeWhere({ servedAt }: Pick<RpcExposure, 'servedAt'>): Where | undefined {
  const reach = (Object.keys(PLACES) as readonly Reach[]).find((one) => servedAt.some((each) => reachOf(each) === one));
  const endpoints = servedAt.filter((each) => reachOf(each) === reach);
  const [first] = endpoints;
  if (reach === undefined || first === undefined) return undefined;
  const shown = endpoints.slice(0, 2).map(formatEndpoint);
  const text = `${joinAnd(shown)}, ${shown.length > 1 ? 'each ' : ''}${PLACES[reach]},`;
  return { reach, endpoint: formatEndpoint(first), port: first.port, text };
}

/** How others than its own machine can use the API of a Docker Engine. */
function findOpen(name: string, { openApis = [], plainAt }: EngineSetup): readonly Required<Finding>[] {
  const engine = name === DEFAULT_ENGINE ? 'the Docker Engine' : `the Docker Engine ${name}`;
  const open = openApis.filter(({ url }) => !isLoopbackHost(URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''));
  // In a private network this may be a proxy that only reads; the engine itself says what it opens.
  if (open.length === 0 && plainAt !== undefined && reachOf(plainAt) === 'public')
    return [
      {
        seen: `${engine} answers subnetd at ${formatEndpoint(plainAt)}, a public address, without TLS: whoever reaches that can be root on its machine`,
        fix: 'close this port, and reach it by ssh or with certificates, by `docker:` in the inventory',
      },
    ];
  return open.map(({ url, lacks }) => ({
    seen: `${engine} says that its API is open at ${url} without ${lacks}: whoever reaches that is root on its machine`,
    fix:
      lacks === 'encryption'
        ? `take ${url.replace(/^http/, 'tcp')} out of -H in the unit docker.service and out of hosts in /etc/docker/daemon.json of its machine, restart Docker, and reach it by ssh`
        : 'start dockerd with --tlsverify and --tlscacert, so that only your certificates are let in',
  }));
}

const joinOnce = (texts: readonly string[]): string => [...new Set(texts)].join('; ');

/** Docker Engines of the subnet whose API others than their own machines can use. */
export function findDockerExposure({ engines }: SetupObservation): Found {
  const open = [...engines].flatMap(([name, read]) => (read.ok ? findOpen(name, read.value) : []));
  if (open.length === 0) return undefined;
  return suspect('docker_exposed', {
    summary: "Docker's API is open to others than its own machine",
    evidence: joinOnce(open.map(({ seen }) => seen)),
    fix: joinOnce(open.map(({ fix }) => fix)),
  });
}

/** A relayer whose queue page lets anyone change its jobs. */
export const findQueueExposures = ({ services }: SubnetView): readonly Suspicion[] =>
  services.flatMap((service) => {
    const { queues } = service.setup;
    const where = queues?.ok ? describeWhere(queues.value) : undefined;
    if (!queues?.ok || where === undefined || where.reach === 'loopback' || queues.value.writable.length === 0)
      return [];
    return suspectTarget('queues_open', service, {
      summary: 'anyone can change the jobs of the relayer on its queue page',
      evidence: `at ${where.text} the queue page of the relayer is not read-only for ${joinAnd(queues.value.writable)}: anybody there can repeat, pause and remove its jobs without a password`,
      fix: `make it read-only with readOnlyMode: true, as the stock relayer does, or publish the port as 127.0.0.1:${where.port}:${where.port} in docker-compose.yml`,
    });
  });

/** This subnetd shows what it knows to everybody who reaches its port from beyond its machine. */
export function findMonitorExposure({ monitor }: SetupObservation): Found {
  const where = monitor?.ok ? describeWhere(monitor.value) : undefined;
  if (where === undefined || where.reach === 'loopback') return undefined;
  return suspect(where.reach === 'public' ? 'monitor_exposed' : 'monitor_open', {
    summary: 'subnetd itself shows all that it knows to anyone',
    evidence: `at ${where.text} subnetd shows its metrics and pages without a password, with the addresses of all nodes and lines of their logs`,
    fix: `set SUBNETD_LISTEN=127.0.0.1:${where.port}, or name a file with basic_auth_users and tls_server_config in SUBNETD_WEB_CONFIG, and start subnetd again`,
  });
}

/** The namespaces that change the node, and what anyone can do with each (XDC-Subnet node/api.go, eth/api.go, internal/ethapi/api.go). */
const DANGERS: Readonly<Record<string, string>> = {
  admin: 'cut it off from its peers (admin_removePeer)',
  debug: 'rewind its chain (debug_setHead)',
  miner: 'stop its blocks (miner_stop)',
  personal: 'guess the password of its account (personal_unlockAccount)',
};

/**
 * How it is known that the account of a node is unlocked: by `personal_listWallets`, or because it signs blocks. What was found of a
 * masternode stays so while it is out.
 */
function findUnlocked(
  node: NodeView,
  { unlockFlag }: Client,
  { modules, wallet }: RpcExposure,
  { chain, masters, silentVoters, before }: SubnetView,
): 'wallet' | 'signing' | undefined {
  if (!modules.includes('eth')) return undefined;
  if (wallet === 'unlocked') return 'wallet';
  const { address = '' } = node.chainFacts?.observation ?? {};
  const isMasternode = masters.get(address) === node && chain.masternodes?.active.includes(address) === true;
  if (wallet !== undefined || unlockFlag === undefined || !isMasternode) return undefined;
  const { component, name } = node.target;
  const isKnown =
    before.get({ problem: 'account_exposed', component, name }) ??
    before.get({ problem: 'account_unlocked' })?.nodes?.includes(name);
  // A key that is locked signs nothing. A masternode that signs nothing is found by its missing votes.
  return isKnown || !(isMissing(node) || silentVoters.has(address)) ? 'signing' : undefined;
}

/** What a node serves to anyone, if anything, and where; nothing for one that wants a password. */
function findExposed(node: NodeView, view: SubnetView) {
  const { exposure } = node.setup;
  if (!exposure?.ok) return undefined;
  const seen = exposure.value;
  const client = clientOf({ target: node.target, facts: node.state.facts });
  const unlocked = findUnlocked(node, client, seen, view);
  const where = describeWhere(seen);
  // Who is at the machine itself can do more, but a web page that is opened there should not.
  if (where === undefined || (where.reach === 'loopback' && !seen.anyHost && !seen.anyOrigin)) return undefined;
  const dangerous = seen.modules.filter((module) => Object.hasOwn(DANGERS, module));
  // The namespaces that a web page could abuse. On a node's own machine, what every masternode needs does not count.
  const abused = unlocked !== undefined && where.reach !== 'loopback' ? [...dangerous, 'eth'].toSorted() : dangerous;
  return { node, client, seen, where, dangerous, abused, unlocked };
}

type Exposed = NonNullable<ReturnType<typeof findExposed>>;

const namesOf = (ones: readonly Exposed[]): string => listEach(ones, ({ node }) => node.name);

const targetsOf = (ones: readonly Exposed[]) => ones.map(({ node }) => node.target);

/** What is said of nodes that are reached from as far and have the same value, each group as one text. */
const describeAlike = (
  ones: readonly Exposed[],
  likeness: (one: Exposed) => string,
  describe: (first: Exposed, alike: readonly Exposed[]) => string,
): string =>
  joinOnce(
    [...Map.groupBy(ones, (one) => `${one.where.reach} ${likeness(one)}`).values()].map((alike) =>
      describe(alike[0] as Exposed, alike),
    ),
  );

/** Where nodes are reached, and who they are: `at …, n1` and `at … (n1), … (n2), each …, each node`. */
function describeReached({ node, where }: Exposed, alike: readonly Exposed[], one = node.name): string {
  if (alike.length === 1) return `at ${where.text} ${one}`;
  return `at ${listEach(alike, (each) => `${each.where.endpoint} (${each.node.name})`)}, each ${PLACES[where.reach]}, each node`;
}

/** What to type for nodes whose namespaces are dangerous: they keep those that change nothing. */
function serveLess(ones: readonly Exposed[]): string {
  const keptOf = ({ seen, dangerous }: Exposed) => seen.modules.filter((module) => !dangerous.includes(module));
  return describeAlike(
    ones,
    (one) => `${one.client.name} ${keptOf(one).join()}`,
    (first, alike) => first.client.advice.serveOnly(keptOf(first), targetsOf(alike)),
  );
}

function describeNamespaces(ones: readonly Exposed[]): Texts {
  const all = Object.keys(DANGERS).filter((module) => ones.some(({ dangerous }) => dangerous.includes(module)));
  return {
    summary: `the RPC of ${namesOf(ones)} serves ${joinAnd(all)} beyond its own machine`,
    evidence: describeAlike(
      ones,
      ({ dangerous }) => dangerous.join(),
      (first, alike) =>
        `${describeReached(first, alike)} serves ${joinAnd(first.dangerous)} without a password: anybody there can ${joinAnd(first.dangerous.map((module) => DANGERS[module] ?? ''))}`,
    ),
    fix: `${serveLess(ones)}${ones.every(({ client }) => client.hasConsole) ? '; what needs them can use its IPC' : ''}`,
  };
}

function describeAccounts(ones: readonly Exposed[]): Texts {
  const [first] = ones;
  const flagged = ones.find(({ client }) => client.unlockFlag !== undefined);
  const port = `127.0.0.1:${first?.where.port}:${first?.where.port}`;
  const published =
    ones.length === 1 ? `the port as ${port}` : `each port for 127.0.0.1 only, as ${port} of ${first?.node.name},`;
  return {
    summary: `the unlocked account of ${namesOf(ones)} can be used from beyond its own machine`,
    evidence: describeAlike(
      ones,
      ({ unlocked }) => String(unlocked),
      (one, alike) => {
        const who = `${alike.length === 1 ? '' : 'each of '}${namesOf(alike)}`;
        const known =
          one.unlocked === 'wallet'
            ? `by personal_listWallets, an account of ${who} is unlocked`
            : `${who} signs blocks as a masternode, so its account is unlocked`;
        return `${known}, and ${describeReached(one, alike, 'it')} serves eth: anybody there can spend its coins and sign in its name without a password (eth_sendTransaction, eth_sign)`;
      },
    ),
    fix: `publish ${published} in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes)${flagged ? `; no line of ${ones.length === 1 ? flagged.client.advice.envFile(flagged.node.target) : 'an env file'} helps, as the start script always passes ${flagged.client.unlockFlag}` : ''}`,
  };
}

/** How the RPC of nodes serves web pages, by what they do not look at: the host name, or the origin. */
const WILDCARDS = {
  hosts: {
    summary: 'answers under any host name',
    seen: 'answered for the host name subnetd-exposure.invalid: a web page that points its own name there can use',
    how: ' (DNS rebinding)',
  },
  origins: {
    summary: 'lets any web page use it',
    seen: 'allowed the origin https://subnetd-exposure.invalid: any page that is opened in a browser there can use',
    how: '',
  },
} as const;

const describeWildcards = (about: keyof typeof WILDCARDS) => (ones: readonly Exposed[]) => {
  const { summary, seen, how } = WILDCARDS[about];
  const byModules = ones.filter(({ abused }) => !abused.includes('eth'));
  const byEth = ones.filter(({ abused }) => abused.includes('eth'));
  return {
    summary: `the RPC of ${namesOf(ones)} ${summary}`,
    evidence: describeAlike(
      ones,
      ({ abused }) => abused.join(),
      (first, alike) => `${describeReached(first, alike)} ${seen} ${joinAnd(first.abused)}${how}`,
    ),
    fix: [
      ...(byModules.length > 0 ? [`${serveLess(byModules)}; web pages then reach only these`] : []),
      ...[...Map.groupBy(byEth, ({ client }) => client)].map(([{ advice }, alike]) =>
        advice.refusePages(about, targetsOf(alike)),
      ),
    ].join('; '),
  };
};

type Describe = (ones: readonly Exposed[]) => Texts;

/** One problem of all nodes that have it: on a stock network each of them has. */
const ofAll = (problem: ProblemName, ones: readonly Exposed[], describe: Describe) =>
  ones.length === 0 ? [] : [suspect(problem, { ...describe(ones), nodes: ones.map(({ node }) => node.name) })];

/** What the RPC of the nodes does for anyone, and should not. Whoever makes that of a node public is paged for it. */
export function findRpcExposures(view: SubnetView): readonly Suspicion[] {
  const exposed = collect(view.nodes, (node) => findExposed(node, view));
  const at = (reach: Reach) => exposed.filter(({ where }) => where.reach === reach);
  const ofEach = (problem: ProblemName, ones: readonly Exposed[], describe: Describe) =>
    ones.map((one) => suspectTarget(problem, one.node, describe([one])));
  const isOpen = ({ dangerous }: Exposed) => dangerous.length > 0;
  const isUnlocked = ({ unlocked }: Exposed) => unlocked !== undefined;
  const withAny = (what: 'anyHost' | 'anyOrigin') =>
    exposed.filter(({ abused, seen }) => abused.length > 0 && seen[what]);
  return [
    ...ofEach('rpc_exposed', at('public').filter(isOpen), describeNamespaces),
    ...ofAll('rpc_open', at('private').filter(isOpen), describeNamespaces),
    ...ofEach('account_exposed', at('public').filter(isUnlocked), describeAccounts),
    ...ofAll('account_unlocked', at('private').filter(isUnlocked), describeAccounts),
    ...ofAll('hosts_wildcard', withAny('anyHost'), describeWildcards('hosts')),
    ...ofAll('origins_wildcard', withAny('anyOrigin'), describeWildcards('origins')),
  ];
}

/** What anyone can use who should not: of nodes, of Docker, of the relayer, and of subnetd itself. */
export const findExposures = (view: SubnetView, setup: SetupObservation): readonly Found[] => [
  ...findRpcExposures(view),
  findDockerExposure(setup),
  ...findQueueExposures(view),
  findMonitorExposure(setup),
];
