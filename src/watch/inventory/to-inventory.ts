import { durationMs } from '../../lib/duration.ts';
import type { Channel, ChannelTarget } from '../../model/channel.ts';
import {
  type BootnodeTarget,
  type CheckSettings,
  DEFAULT_ENGINE,
  type DockerAddress,
  type Inventory,
  type LogFile,
  type NodeTarget,
  type Schedule,
  type ServiceTarget,
  type Subnet,
  type Target,
} from '../../model/target.ts';
import { parseSshAddress } from './address-schema.ts';
import { toWindow } from './maintenance-schema.ts';
import type { InventoryDocument } from './schema.ts';
import type { Environment } from './substitute.ts';

type ChannelDocument = InventoryDocument['notify'][number];

/** An address to which paths are appended. */
const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

function toTarget({ webhook, slack, telegram, discord, pagerduty, ntfy, email }: ChannelDocument): ChannelTarget {
  if (webhook) return { kind: 'webhook', ...webhook };
  if (slack) return { kind: 'slack', ...slack, apiUrl: withoutSlash(slack.apiUrl) };
  if (discord) return { kind: 'discord', ...discord };
  if (telegram) {
    const { chatId, apiUrl } = telegram;
    return { kind: 'telegram', ...telegram, chatId: String(chatId), apiUrl: withoutSlash(apiUrl) };
  }
  if (pagerduty) return { kind: 'pagerduty', ...pagerduty, apiUrl: withoutSlash(pagerduty.apiUrl) };
  if (ntfy) return { kind: 'ntfy', ...ntfy };
  if (email) return { kind: 'email', ...email };
  throw new Error('a channel without a kind is a conflict');
}

/** The channels of the inventory's document. */
const toChannels = (channels: readonly ChannelDocument[]): readonly Channel[] =>
  channels.map((channel) => ({
    name: channel.name,
    target: toTarget(channel),
    severities: channel.severities,
    ...(channel.repeat !== 'off' && { repeatMs: durationMs(channel.repeat) }),
    ...(channel.after !== undefined && { afterMs: durationMs(channel.after) }),
  }));

type SubnetDocument = InventoryDocument['subnets'][number];
type ComponentDocument = NonNullable<SubnetDocument['bootnode']>;

const toSchedule = (text: string): Schedule =>
  text.startsWith('every ')
    ? { kind: 'every', ms: durationMs(text.slice('every '.length)) }
    : { kind: 'cron', expression: text.trim() };

const toLogFile = (entry: string | LogFile): LogFile =>
  typeof entry === 'string' ? { path: entry, timezone: 'UTC' } : entry;

const toCommon = ({ region, container, logFiles, patterns }: ComponentDocument) => ({
  ...(region !== undefined && { region }),
  container,
  logFiles: logFiles.map(toLogFile),
  patterns,
});

const toNode = (subnet: SubnetDocument, node: SubnetDocument['nodes'][number]): NodeTarget => ({
  subnet: subnet.name,
  component: 'node',
  name: node.name,
  rpc: node.rpc,
  ...(node.metrics !== undefined && { metrics: node.metrics }),
  ...((node.basicAuth ?? node.tls) && { login: { basicAuth: node.basicAuth, tls: node.tls } }),
  ipc: node.ipc,
  p2p: node.p2p,
  ...toCommon(node),
  ...(node.client !== 'auto' && { client: node.client }),
  consoleExec: node.consoleExec,
  ...(node.listWallets && { listWallets: true }),
  expectedPeers: node.expectedPeers ?? subnet.nodes.length - 1,
});

function toSingles(subnet: SubnetDocument): readonly Target[] {
  const { bootnode, relayer, stats, frontend } = subnet;
  const toService = (
    component: ServiceTarget['component'],
    document: (ComponentDocument & Pick<ServiceTarget, 'url' | 'browser' | 'readsFrom'>) | undefined,
    readsFrom?: string,
  ): readonly ServiceTarget[] =>
    document === undefined
      ? []
      : [
          {
            subnet: subnet.name,
            component,
            name: component,
            url: document.url,
            browser: document.browser,
            readsFrom,
            ...toCommon(document),
          },
        ];
  // The deployment generator writes SUBNET_URL so (Subnet-Deployment gen_env.js).
  const first = subnet.nodes[0]?.name;
  const bootnodes: readonly BootnodeTarget[] = bootnode
    ? [{ subnet: subnet.name, component: 'bootnode', name: 'bootnode', ...toCommon(bootnode) }]
    : [];
  return [
    ...bootnodes,
    ...toService('relayer', relayer, relayer?.readsFrom ?? first),
    ...toService('stats', stats, stats?.readsFrom ?? first),
    ...toService('frontend', frontend),
  ];
}

/** How long a height may go without rising as long as the periods of its chain are unknown. */
const UNKNOWN_STALL_MS = 60_000;

const toSettings = ({ rpc, containers, services, logs, console }: SubnetDocument['checks']): CheckSettings => ({
  rpc: {
    schedule: toSchedule(rpc.schedule),
    timeoutMs: durationMs(rpc.timeout),
    stallAfterMs: rpc.stallAfter === 'auto' ? UNKNOWN_STALL_MS : durationMs(rpc.stallAfter),
    isStallAuto: rpc.stallAfter === 'auto',
    maxLag: rpc.maxLag,
    enabled: rpc.enabled,
  },
  containers: { schedule: toSchedule(containers.schedule), timeoutMs: durationMs(containers.timeout) },
  services: { schedule: toSchedule(services.schedule), timeoutMs: durationMs(services.timeout) },
  logs: {
    schedule: toSchedule(logs.schedule),
    bootnodeWindowMs: durationMs(logs.bootnodeWindow),
    ...(logs.submissionsWithin !== undefined && { submissionsWithinMs: durationMs(logs.submissionsWithin) }),
    blockDataWithinMs: durationMs(logs.blockDataWithin),
    errorWindowMs: durationMs(logs.errorWindow),
  },
  console: { schedule: toSchedule(console.schedule), timeoutMs: durationMs(console.timeout) },
});

type EngineDocument = Exclude<InventoryDocument['docker'], { readonly engines: unknown }>;

/** OpenSSH reads both files too. */
const knownHostsOf = ({ HOME }: Environment): readonly string[] => [
  ...(HOME === undefined || HOME === '' ? [] : [`${HOME}/.ssh/known_hosts`]),
  '/etc/ssh/ssh_known_hosts',
];

function toEngine(engine: EngineDocument, environment: Environment): DockerAddress {
  if (!('ssh' in engine)) return engine;
  const { ssh, knownHosts, ...files } = engine;
  const address = parseSshAddress(ssh);
  if (address === undefined) throw new Error('the schema lets no such address pass');
  return {
    ssh: {
      ...address,
      ...files,
      agent: environment.SSH_AUTH_SOCK || undefined,
      knownHosts: knownHosts === undefined ? knownHostsOf(environment) : [knownHosts],
    },
  };
}

function toEngines(docker: InventoryDocument['docker'], environment: Environment): Inventory['engines'] {
  const engines = 'engines' in docker ? docker.engines : { [DEFAULT_ENGINE]: docker };
  return Object.fromEntries(Object.entries(engines).map(([name, engine]) => [name, toEngine(engine, environment)]));
}

/** The inventory's document as the program's values: with defaults, and durations in milliseconds. */
export const toInventory = (document: InventoryDocument, environment: Environment): Inventory => ({
  subnets: document.subnets.map(
    (subnet): Subnet => ({
      name: subnet.name,
      consensus: subnet.consensus,
      targets: [...subnet.nodes.map((node) => toNode(subnet, node)), ...toSingles(subnet)],
      settings: toSettings(subnet.checks),
      ...(subnet.exporters.length > 0 && { exporters: subnet.exporters }),
      ...(subnet.parentChain && { parentChain: subnet.parentChain }),
    }),
  ),
  engines: toEngines(document.docker, environment),
  alertmanager: document.alertmanager,
  ...(document.maintenance && { maintenance: document.maintenance.map(toWindow) }),
  channels: toChannels(document.notify),
  heartbeats: document.heartbeat.map(({ urlFile, every }) => ({ urlFile, everyMs: durationMs(every) })),
});
