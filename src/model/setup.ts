import type { WatchedMs } from '../lib/clock.ts';
import type { Endpoint, MonitorExposure, OpenDockerApi, QueueExposure, RpcExposure } from './exposure.ts';
import { type ContainerRef, type Target, targetKey } from './target.ts';

/** A fact about the set-up of a subnet, or why it could not be read: the end of "because …". */
export type SetupResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** What the client of a node says of itself, and how soon. */
export interface ClientSetup {
  /** `web3_clientVersion`. */
  readonly version: SetupResult<string>;
  /** How long each of some requests in a row took, in milliseconds. */
  readonly tookMs: readonly number[];
}

/** A port of a container that Docker publishes on its machine. */
export interface PublishedPort {
  readonly containerPort: number;
  readonly protocol: string;
  /** `0.0.0.0` and `::` are all addresses of the machine. */
  readonly hostIp: string;
  readonly hostPort: number;
}

/** How Docker keeps the output of a container. */
export interface LogSetup {
  readonly driver: string;
  /** Whether `docker logs` can show it. */
  readonly isReadable: boolean;
  /** When Docker begins a new file, and how many it keeps; absent when it never throws lines away. */
  readonly rotation?: { readonly fileBytes: number; readonly files: number };
}

/** Variables that are no secrets, in which the folder of a deployment may differ from its containers. */
const COMPARED = [
  ...['CHECKPOINT_CONTRACT', 'NETWORK_ID', 'RPC_API', 'LOG_LEVEL'],
  ...['PORT', 'RPCPORT', 'RPC_PORT', 'WSPORT', 'WS_PORT', 'RELAYER_PORT', 'STATS_PORT'],
];

/** An address, or words with nothing like a key in them. */
const SHOWN = /^(?:(?:0x|xdc)[\da-f]{40}|(?!.*[\da-f]{32})[\w,]{0,100})$/i;

/** The settings to compare, by their names, without values that may hold a secret. */
export const pickSettings = (read: (name: string) => string | undefined): ReadonlyMap<string, string> =>
  new Map(
    COMPARED.flatMap((name) => {
      const value = read(name);
      return value !== undefined && SHOWN.test(value) ? [[name, value] as const] : [];
    }),
  );

/** What Docker says of how a container was made. */
export interface ContainerSetup {
  readonly id: string;
  readonly name: string;
  /** The image as it was named when the container was made. */
  readonly image?: string;
  /** The content of the image: `sha256:…`. */
  readonly imageId?: string;
  readonly log: LogSetup;
  readonly published: readonly PublishedPort[];
  /** The ports that a node listens on, by its environment. */
  readonly ports: { readonly rpc?: number; readonly ws?: number; readonly p2p?: number };
  /** `-verbosity` of a bootnode, 0 to 6. */
  readonly verbosity?: number;
  /** The folders that it writes to, if they are on this machine. */
  readonly folders?: readonly string[];
  /** Where its engine keeps images, volumes and logs, if that is on this machine. */
  readonly engineRoot?: string;
  /** The folder of its compose file, if that is on this machine, and the settings to compare; an empty one is not set. */
  readonly origin?: { readonly folder: string; readonly settings: ReadonlyMap<string, string> };
}

/** How one target is set up. A part to which the inventory gives no way is absent. */
export interface TargetSetup {
  /** Only of nodes. */
  readonly client?: SetupResult<ClientSetup>;
  /** Only of nodes. */
  readonly exposure?: SetupResult<RpcExposure>;
  /** Only of the relayer. */
  readonly queues?: SetupResult<QueueExposure>;
  readonly container?: SetupResult<ContainerSetup>;
}

export type SetupPart = keyof TargetSetup;

/** A container of a compose project. */
export interface ListedContainer {
  readonly name: string;
  readonly service: string;
  /** Docker's own status, such as `running` or `exited`. */
  readonly status: string;
  /** When it was created, in Unix milliseconds. */
  readonly createdAt?: number;
  readonly exitCode?: number;
  /** It has the label `subnetd.ignore`. */
  readonly isIgnored: boolean;
}

/** A compose project that the inventory names, on one engine. */
export interface ProjectSetup {
  readonly project: string;
  readonly containers: readonly ListedContainer[];
  /** In what the folder of its compose file differs from its containers and the inventory; absent if it is not on this machine. */
  readonly drift?: SetupResult<{ readonly evidence: string; readonly fix: string } | undefined>;
}

/** What was read of one Docker Engine. */
export interface EngineSetup {
  /** By how much its clock is ahead of ours, to half a second. Absent when its answers have no time. */
  readonly clockAheadMs?: number;
  /** Where it answers over TCP without TLS, if it is reached so. */
  readonly plainAt?: Endpoint;
  /** Where it serves its API to anybody; absent when it does not say. */
  readonly openApis?: readonly OpenDockerApi[];
  readonly projects: readonly ProjectSetup[];
}

/** What a probe of the set-up of a subnet saw. */
export interface SetupObservation {
  /** By `targetKey`. */
  readonly targets: ReadonlyMap<string, TargetSetup>;
  /** The engines of its containers, by their names. */
  readonly engines: ReadonlyMap<string, SetupResult<EngineSetup>>;
  /** The containers that the whole inventory names: a project may hold more than one subnet. */
  readonly named: readonly ContainerRef[];
  /** What subnetd itself shows; absent where it is not known at which port it listens. */
  readonly monitor?: SetupResult<MonitorExposure>;
}

/** Facts about how the targets of a subnet are set up. */
export interface SetupFacts {
  readonly observation: SetupObservation;
  readonly at: WatchedMs;
}

const UNKNOWN: TargetSetup = {};

/** How a container was made, if it could be read. */
export const containerSetupOf = ({ container }: TargetSetup): ContainerSetup | undefined =>
  container?.ok ? container.value : undefined;

/** The set-up of a target, as far as it is known. */
export const setupOf = (setup: SetupObservation | undefined, target: Target): TargetSetup =>
  setup?.targets.get(targetKey(target)) ?? UNKNOWN;
