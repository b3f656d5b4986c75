import { isLoopbackHost } from '../../../lib/addresses.ts';
import { joinAnd } from '../../../lib/words.ts';
import { formatEndpoint, type OpenDockerApi, type RpcExposure, toReach } from '../../../model/exposure.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { EngineSetup, SetupObservation } from '../../../model/setup.ts';
import { DEFAULT_ENGINE } from '../../../model/target.ts';
import { clientOf } from '../../clients/clients.ts';
import { isMissing, type NodeView, type SubnetView, type UnlockedBy } from '../subnet-view.ts';
import {
  describeAccounts,
  describeNamespaces,
  describeWildcards,
  type Exposed,
  toExposed,
} from './describe-exposed.ts';
import { describeWhere } from './groups.ts';

/** A Docker API that others than its own machine can use. */
interface Open {
  readonly evidence: string;
  readonly fix: string;
}

const hostOf = ({ url }: OpenDockerApi): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';

function describeOpen(engine: string, api: OpenDockerApi): Open {
  const { url, lacks } = api;
  const seen = `${engine} says that its API is open at ${url} without ${lacks}: whoever reaches that is root on its machine`;
  return lacks === 'encryption'
    ? {
        evidence: seen,
        fix: `take ${url.replace(/^http/, 'tcp')} out of -H in the unit docker.service and out of hosts in /etc/docker/daemon.json of its machine, restart Docker, and reach it by ssh`,
      }
    : {
        evidence: seen,
        fix: 'start dockerd with --tlsverify and --tlscacert, so that only your certificates are let in',
      };
}

function findOpen(name: string, { openApis = [], plainAt }: EngineSetup): readonly Open[] {
  const engine = name === DEFAULT_ENGINE ? 'the Docker Engine' : `the Docker Engine ${name}`;
  const found = openApis.filter((api) => !isLoopbackHost(hostOf(api))).map((api) => describeOpen(engine, api));
  if (found.length > 0) return found;
  // In a private network this may be a proxy that only reads; the engine itself says what it opens.
  if (plainAt === undefined || toReach(plainAt.ip) !== 'public') return [];
  return [
    {
      evidence: `${engine} answers subnetd at ${formatEndpoint(plainAt)}, a public address, without TLS: whoever reaches that can be root on its machine`,
      fix: 'close this port, and reach it by ssh or with certificates, by `docker:` in the inventory',
    },
  ];
}

/** Docker Engines of the subnet whose API others than their own machines can use. */
export function findDockerExposures(_: SubnetView, { engines }: SetupObservation): readonly Suspicion[] {
  const open = [...engines].flatMap(([name, read]) => (read.ok ? findOpen(name, read.value) : []));
  const [first] = open;
  if (first === undefined) return [];
  return [
    {
      problem: 'docker_exposed',
      summary: "Docker's API is open to others than its own machine",
      evidence: [...new Set(open.map(({ evidence }) => evidence))].join('; '),
      fix: [...new Set(open.map(({ fix }) => fix))].join('; '),
      explains: [],
      causes: [],
    },
  ];
}

/** A relayer whose queue page lets anyone change its jobs. */
export function findQueueExposures({ services }: SubnetView): readonly Suspicion[] {
  return services.flatMap(({ state: { target }, setup: { queues } }): readonly Suspicion[] => {
    const where = queues?.ok ? describeWhere(queues.value.servedAt) : undefined;
    if (!queues?.ok || where === undefined || where.reach === 'loopback' || queues.value.writable.length === 0)
      return [];
    return [
      {
        problem: 'queues_open',
        component: target.component,
        name: target.name,
        summary: 'anyone can change the jobs of the relayer on its queue page',
        evidence: `at ${where.text} the queue page of the relayer is not read-only for ${joinAnd(queues.value.writable)}: anybody there can repeat, pause and remove its jobs without a password`,
        fix: `make it read-only with readOnlyMode: true, as the stock relayer does, or publish the port as 127.0.0.1:${where.port}:${where.port} in docker-compose.yml`,
        explains: [],
        causes: [],
      },
    ];
  });
}

/** This subnetd shows what it knows to everybody who reaches its port from beyond its machine. */
export function findMonitorExposures(_: SubnetView, { monitor }: SetupObservation): readonly Suspicion[] {
  const where = monitor?.ok ? describeWhere(monitor.value.servedAt) : undefined;
  if (where === undefined || where.reach === 'loopback') return [];
  return [
    {
      problem: where.reach === 'public' ? 'monitor_exposed' : 'monitor_open',
      summary: 'subnetd itself shows all that it knows to anyone',
      evidence: `at ${where.text} subnetd shows its metrics and pages without a password, with the addresses of all nodes and lines of their logs`,
      fix: `set SUBNETD_LISTEN=127.0.0.1:${where.port}, or name a file with basic_auth_users and tls_server_config in SUBNETD_WEB_CONFIG, and start subnetd again`,
      explains: [],
      causes: [],
    },
  ];
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
  before: UnlockedBy | undefined,
): UnlockedBy | undefined {
  if (wallet === 'unlocked') return 'wallet';
  const signsUnlocked = clientOf({ target: node.target, facts: node.state.facts }).unlockFlag !== undefined;
  if (wallet !== undefined || !signsUnlocked || !isMasternode(node, view)) return undefined;
  // A key that is locked signs nothing.
  return isSilent(node, view) ? before : 'signing';
}

/** What a node serves to anyone, if anything. */
function findExposed(node: NodeView, view: SubnetView): Exposed | undefined {
  const { exposure } = node.setup;
  if (!exposure?.ok) return undefined;
  const seen = exposure.value;
  const last = view.exposures.get(node.target);
  const before = last?.seen === seen ? last.unlocked : undefined;
  const unlocked = seen.modules.includes('eth') ? findUnlocked(node, seen, view, before) : undefined;
  view.exposures.set(node.target, { seen, unlocked });
  return toExposed(node.target, clientOf({ target: node.target, facts: node.state.facts }), seen, unlocked);
}

/** A problem of each node: whoever makes another one public is paged for it. */
const ofEach = (
  problem: 'rpc_exposed' | 'account_exposed',
  ones: readonly Exposed[],
  describe: (alike: readonly Exposed[]) => Pick<Suspicion, 'summary' | 'evidence' | 'fix'>,
): readonly Suspicion[] =>
  ones.map((one) => ({ problem, component: 'node', name: one.name, ...describe([one]), explains: [], causes: [] }));

/** One problem of all nodes: on a stock network each of them has it. */
const ofAll = (
  problem: 'rpc_open' | 'account_unlocked' | 'hosts_wildcard' | 'origins_wildcard',
  ones: readonly Exposed[],
  describe: (ones: readonly Exposed[]) => Pick<Suspicion, 'summary' | 'evidence' | 'fix'>,
): readonly Suspicion[] =>
  ones.length === 0
    ? []
    : [{ problem, ...describe(ones), explains: [], causes: [], nodes: ones.map(({ name }) => name) }];

/** What the RPC of the nodes does for anyone, and should not. */
export function findRpcExposures(view: SubnetView): readonly Suspicion[] {
  const exposed = view.nodes.flatMap((node) => findExposed(node, view) ?? []);
  if (exposed.length === 0) return [];
  const at = (reach: string, has: (one: Exposed) => boolean) =>
    exposed.filter((one) => one.where.reach === reach && has(one));
  const isOpen = ({ dangerous }: Exposed) => dangerous.length > 0;
  const isUnlocked = ({ unlocked }: Exposed) => unlocked !== undefined;
  const abusedBy = (has: (seen: RpcExposure) => boolean | undefined) =>
    exposed.filter(({ abused, seen }) => abused.length > 0 && has(seen));
  return [
    ...ofEach('rpc_exposed', at('public', isOpen), describeNamespaces),
    ...ofAll('rpc_open', at('private', isOpen), describeNamespaces),
    ...ofEach('account_exposed', at('public', isUnlocked), describeAccounts),
    ...ofAll('account_unlocked', at('private', isUnlocked), describeAccounts),
    ...ofAll(
      'hosts_wildcard',
      abusedBy(({ anyHost }) => anyHost),
      describeWildcards.hosts,
    ),
    ...ofAll(
      'origins_wildcard',
      abusedBy(({ anyOrigin }) => anyOrigin),
      describeWildcards.origins,
    ),
  ];
}
