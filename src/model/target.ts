import type { Alertmanagers, Channel, Heartbeat } from './channel.ts';
import type { HttpLogin } from './http-login.ts';
import type { ParentChain } from './parent-chain.ts';
import type { MaintenanceWindow } from './planned-work.ts';

/** The programs that nodes of a subnet run, as inventory, metrics and `/status.json` call them. */
export const CLIENT_NAMES = ['xdc-subnet', 'xdposchain', 'nethermind'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** What a node says that it runs; the version as `web3_clientVersion` gives it. */
export interface ClientInfo {
  readonly name: ClientName;
  readonly version: string;
}

/** The five kinds of program in a subnet: the values of the label `component`. */
export const COMPONENTS = ['node', 'bootnode', 'relayer', 'stats', 'frontend'] as const;

/** A kind of program. */
export type Component = (typeof COMPONENTS)[number];

/** How a container is found: by its compose labels, or by its name, on a Docker Engine; by default on `DEFAULT_ENGINE`. */
export type ContainerRef = ({ readonly project: string; readonly service: string } | { readonly name: string }) & {
  readonly engine?: string;
};

/** The name of a single Docker Engine. */
export const DEFAULT_ENGINE = 'default';

/** The name of a container's engine. */
export const engineOf = (ref: ContainerRef): string => ref.engine ?? DEFAULT_ENGINE;

/** A log file, or a glob of them, and the IANA time zone of times in it that carry none. */
export interface LogFile {
  readonly path: string;
  readonly timezone: string;
}

/** A log pattern of the operator's own: a regular expression and what a match means. */
export interface Pattern {
  readonly name: string;
  readonly match: string;
  readonly means: 'progress' | 'error' | 'fatal';
  /** The name of the capture group that holds a number, when the line carries one. */
  readonly value?: string;
}

interface TargetBase {
  readonly subnet: string;
  /** The inventory's name; for the four single components the component itself. */
  readonly name: string;
  /** What it shares with all that may fail together, such as a data centre. */
  readonly region?: string;
  readonly container?: ContainerRef;
  readonly logFiles: readonly LogFile[];
  readonly patterns: readonly Pattern[];
}

/** A subnet node. At least one of `rpc`, `ipc` and `container` is there. */
export interface NodeTarget extends TargetBase {
  readonly component: 'node';
  /** What it runs, where the inventory says so; otherwise what it answers says it. */
  readonly client?: ClientName;
  /** JSON-RPC over HTTP; may carry user info, which no output shows. */
  readonly rpc?: string;
  /** Its own metrics endpoint, for Prometheus. */
  readonly metrics?: string;
  /** For `rpc`. */
  readonly login?: HttpLogin;
  readonly ipc?: string;
  /** May `XDC attach` be run in its container? The name is the inventory's. */
  readonly consoleExec: boolean;
  /** May `personal_listWallets` be asked, to see whether an account is unlocked? */
  readonly listWallets?: boolean;
  /** `host:port` as the bootnode sees the node. */
  readonly p2p?: string;
  readonly expectedPeers: number;
}

export interface BootnodeTarget extends TargetBase {
  readonly component: 'bootnode';
}

/** The path that each service is asked for, below that of its address. */
export const SERVICE_PATHS = { relayer: '/api/queues', stats: '/information/network', frontend: '/' } as const;

/** A Chromium on this machine, or one elsewhere by its DevTools address (`http:` or `ws:`). */
export type BrowserRef = { readonly executablePath: string } | { readonly cdpUrl: string };

/** One of the three programs that answer HTTP themselves. */
export interface ServiceTarget extends TargetBase {
  readonly component: 'relayer' | 'stats' | 'frontend';
  readonly url?: string;
  readonly browser?: BrowserRef;
  /** The name of the node whose RPC it reads the subnet by; of relayer and stats server. */
  readonly readsFrom?: string;
}

export type Target = NodeTarget | BootnodeTarget | ServiceTarget;

/** Does the inventory name a log of the target? */
export const hasLog = ({ container, logFiles }: Target): boolean => container !== undefined || logFiles.length > 0;

/** Can the node be probed by `XDC attach` in its container only? That is slow, as it starts a program each time. */
export const isAttachOnly = (target: Target): boolean =>
  target.component === 'node' &&
  target.rpc === undefined &&
  target.ipc === undefined &&
  target.consoleExec &&
  target.container !== undefined;

/** When a round runs: a fixed gap in milliseconds, or a six-field cron expression in UTC. */
export type Schedule =
  | { readonly kind: 'every'; readonly ms: number }
  | { readonly kind: 'cron'; readonly expression: string };

/** The kinds of round; each has its schedule in the inventory. `console` runs what starts a program each time. */
export type RoundName = 'rpc' | 'containers' | 'services' | 'logs' | 'console';

/** The inventory's `checks`, with durations in milliseconds. */
export interface CheckSettings {
  readonly rpc: {
    readonly schedule: Schedule;
    readonly timeoutMs: number;
    /** How long a height may go without rising; with `isStallAuto` only until the chain has given its periods. */
    readonly stallAfterMs: number;
    readonly isStallAuto?: boolean;
    /** In blocks. */
    readonly maxLag: number;
    readonly enabled: boolean;
  };
  readonly containers: { readonly schedule: Schedule; readonly timeoutMs: number };
  readonly services: { readonly schedule: Schedule; readonly timeoutMs: number };
  readonly logs: {
    readonly schedule: Schedule;
    readonly bootnodeWindowMs: number;
    readonly submissionsWithinMs?: number;
    readonly blockDataWithinMs: number;
    readonly errorWindowMs: number;
  };
  readonly console: { readonly schedule: Schedule; readonly timeoutMs: number };
}

/** The settings of an inventory without `checks`. */
export const DEFAULT_SETTINGS: CheckSettings = {
  rpc: {
    schedule: { kind: 'every', ms: 10_000 },
    timeoutMs: 5_000,
    stallAfterMs: 60_000,
    isStallAuto: true,
    maxLag: 10,
    enabled: true,
  },
  containers: { schedule: { kind: 'every', ms: 10_000 }, timeoutMs: 5_000 },
  services: { schedule: { kind: 'every', ms: 30_000 }, timeoutMs: 10_000 },
  logs: {
    schedule: { kind: 'every', ms: 10_000 },
    bootnodeWindowMs: 600_000,
    blockDataWithinMs: 120_000,
    errorWindowMs: 300_000,
  },
  console: { schedule: { kind: 'every', ms: 300_000 }, timeoutMs: 30_000 },
};

/** The programs beside a subnet whose metrics Prometheus may discover, as the label `component` calls them. */
export const EXPORTER_KINDS = ['node_exporter', 'cadvisor'] as const;

/** An exporter of a machine of the subnet. */
export interface Exporter {
  readonly kind: (typeof EXPORTER_KINDS)[number];
  readonly name: string;
  readonly url: string;
}

export interface Subnet {
  readonly name: string;
  /** The prefix of the consensus engine's RPC methods, such as `XDPoS`. */
  readonly consensus: string;
  readonly targets: readonly Target[];
  readonly settings: CheckSettings;
  readonly exporters?: readonly Exporter[];
  readonly parentChain?: ParentChain;
}

/** An ssh server that runs `docker system dial-stdio`. All files are paths, read for each connection. */
export interface SshAddress {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  /** A private key; without one, the keys of the agent are tried. */
  readonly identityFile?: string;
  /** Holds the passphrase of the private key. */
  readonly passphraseFile?: string;
  /** The socket of an ssh agent. */
  readonly agent?: string;
  /** In the format of OpenSSH's known_hosts; those that are missing hold no key. */
  readonly knownHosts: readonly string[];
}

/** Where a Docker Engine answers. */
export type DockerAddress =
  | { readonly ssh: SshAddress }
  | { readonly socketPath: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly ca?: string;
      readonly cert?: string;
      readonly key?: string;
    };

export interface Inventory {
  readonly subnets: readonly Subnet[];
  /** The Docker Engines by their names. */
  readonly engines: Readonly<Record<string, DockerAddress>>;
  readonly alertmanager: Alertmanagers;
  readonly maintenance?: readonly MaintenanceWindow[];
  /** Who is notified of alerts without an Alertmanager. */
  readonly channels?: readonly Channel[];
  /** Whom subnetd tells that it runs. */
  readonly heartbeats?: readonly Heartbeat[];
}

/** The one name of a target across reloads. */
export const targetKey = (target: Pick<Target, 'subnet' | 'component' | 'name'>): string =>
  JSON.stringify([target.subnet, target.component, target.name]);

/** The key of a target within its subnet; no component has a blank in its name. */
export const subjectKey = ({ component, name }: Readonly<Partial<Record<'component' | 'name', string | undefined>>>) =>
  `${component} ${name}`;

/** The key of the position in a log source: the path of a file, or `container`. */
export const positionKey = (target: Target, source: string): string => `${targetKey(target)} ${source}`;

/** Those of all sources of a target. */
export const positionKeys = (target: Target): readonly string[] =>
  [...target.logFiles.map(({ path }) => path), ...(target.container === undefined ? [] : ['container'])].map((source) =>
    positionKey(target, source),
  );
