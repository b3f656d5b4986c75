import type { WatchedMs } from '../lib/clock.ts';
import type { ChainObservation } from './chain.ts';
import type { ClientInfo } from './target.ts';

/** The modes of the relayer. Each has its own queue. */
export type RelayerMode = 'full' | 'lite' | 'reverse_full' | 'zero' | 'reverse_zero';

/** The jobs of one mode of the relayer, as its queue board counts them (bull-board). They begin at 0 with each start. */
export interface RelayerQueue {
  readonly mode: RelayerMode;
  readonly isPaused: boolean;
  readonly active: number;
  readonly waiting: number;
  readonly delayed: number;
  readonly completed: number;
  readonly failed: number;
}

/** A queue over many probes. */
export interface QueueFacts extends RelayerQueue {
  /** When it was first read, or the relayer was last seen to have started. */
  readonly since: WatchedMs;
  /** When the number of completed jobs was last seen to rise; the same of failed ones. */
  readonly completedAt?: WatchedMs;
  readonly failedAt?: WatchedMs;
}

/** Whether a queue has, or had, a job: the queues of other modes stay at 0. */
export const hasJobs = ({ active, waiting, delayed, completed, failed }: RelayerQueue): boolean =>
  active + waiting + delayed + completed + failed > 0;

/** Whether its last jobs failed, as far as is known. */
export const failsNow = ({ completedAt = 0, failedAt = 0 }: QueueFacts): boolean => failedAt > completedAt;

/** What the stats server says at `/information/…`. What it did not give is absent: it asks the parent chain for most of it. */
export interface StatsReading {
  /** The newest block that a node sent it; absent before the first. */
  readonly newest?: number;
  /** `isUp`: what it makes of the backlog, the committed blocks that the contract does not have. */
  readonly relayer?: { readonly isUp: boolean; readonly backlog: number };
}

/** The stats server over many probes. */
export interface StatsFacts {
  readonly reading: StatsReading;
  /** While it is further below the nodes than `maxLag`: since when, and by how many blocks it was at the last reading. */
  readonly behind?: { readonly since: WatchedMs; readonly blocks: number };
}

/**
 * Why a probe has no value. It holds only what is safe to show: never text from the other side, and never user info,
 * query or path of a URL.
 */
export type Fault =
  | { readonly kind: 'refused' | 'unresolved' | 'closed' | 'tls'; readonly address: string }
  /** `afterMs`: the connection was neither taken nor refused for so long. For a program that hangs, its kernel takes it. */
  | { readonly kind: 'unreachable'; readonly address: string; readonly afterMs?: number }
  | { readonly kind: 'timeout'; readonly address: string; readonly afterMs: number; readonly received: boolean }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  /** `refusesHost`: a node does not serve the host name of the request. */
  | { readonly kind: 'redirect' | 'status'; readonly status: number; readonly refusesHost?: true }
  | { readonly kind: 'not-http'; readonly address: string }
  | { readonly kind: 'encoding' }
  /** A file that the inventory names for the address cannot be used. `why` is what it does or is, such as `cannot be read`. */
  | { readonly kind: 'file'; readonly setting: string; readonly path: string; readonly why: string }
  /** subnetd itself could not open a connection. */
  | { readonly kind: 'no-descriptor' }
  | { readonly kind: 'not-json'; readonly looksLike: 'html' | 'cut' | 'empty' | 'other' }
  | { readonly kind: 'envelope'; readonly what: string }
  /** `reverted`: a contract was run, and failed by itself. The data of the error, which may hold its reason, else its text. */
  | { readonly kind: 'rpc-error'; readonly code: number; readonly known: KnownRpcError; readonly reverted?: string }
  | { readonly kind: 'result'; readonly what: string }
  | { readonly kind: 'no-committed' }
  | { readonly kind: 'result-error' }
  | { readonly kind: 'body'; readonly what: string }
  | SocketFault
  | ExecFault;

/** Why a node's IPC socket cannot be used; with the owner and the mode of the file that denies access. */
export interface SocketFault {
  readonly kind: 'socket';
  /** As written in the inventory. */
  readonly path: string;
  readonly state: 'missing' | 'denied' | 'stale' | 'no-socket' | 'too-long';
  readonly owner?: string;
  readonly mode?: string;
}

/** Why a command in a node's container gave no result. */
export interface ExecFault {
  readonly kind: 'exec';
  readonly why:
    | 'docker'
    | 'forbidden'
    | 'no-container'
    | 'not-running'
    | 'no-program'
    | 'no-attach'
    | 'still-running'
    | 'timeout'
    | 'too-large'
    | 'no-sense';
}

/** Whether a fault is one of subnetd itself, or of its rights: it says nothing about the target. */
export const isOwnFault = (fault: Fault): boolean =>
  fault.kind === 'no-descriptor' ||
  (fault.kind === 'socket' && (fault.state === 'denied' || fault.state === 'too-long')) ||
  (fault.kind === 'exec' && (fault.why === 'docker' || fault.why === 'forbidden'));

/** Whether something before the node took the request, or the address or its sign-in is wrong: then the node may be well. */
export const isBarred = (fault: Fault): boolean =>
  ['redirect', 'tls', 'not-http', 'encoding', 'file'].includes(fault.kind) ||
  (fault.kind === 'not-json' && fault.looksLike === 'html') ||
  (fault.kind === 'status' && fault.status >= 400 && fault.status < 500);

/** Errors of the node whose meaning is known from its source. */
export type KnownRpcError =
  | 'method-not-found'
  | 'module-off'
  | 'rate-limit'
  | 'unauthorised'
  | 'crashed'
  | 'not-started'
  | 'v1-block'
  | 'other';

/** The result of one part of a probe. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

/** A block; the time in Unix seconds. */
export interface Block {
  readonly number: number;
  /** In which it was made, if the node gave it. */
  readonly round?: number;
  readonly timestamp?: number;
}

/** How many peers a node has, and the method that said so. */
export interface Peers {
  readonly count: number;
  readonly via: 'admin_peers' | 'net_peerCount';
}

/** The calls of a probe of a node, in the order in which people read them. */
export const NODE_CALLS = ['latest', 'committed', 'admin_peers', 'net_peerCount', 'modules', 'version'] as const;

export type NodeCall = (typeof NODE_CALLS)[number];

/** What a probe of a node by JSON-RPC saw. A part that was not requested is absent. */
export interface NodeObservation {
  /** The calls that were sent to the node, without those over a second way; absent when it was asked by a program. */
  readonly asked?: readonly NodeCall[];
  /** The node answered at least one call with JSON-RPC, an error included. */
  readonly answered: boolean;
  /** What the node runs; absent until it has said so since it last began to answer. */
  readonly client?: ClientInfo;
  readonly latest: Result<Block>;
  readonly committed?: Result<Block>;
  readonly peers?: Result<Peers>;
  /** The peers were asked for over the IPC socket, because HTTP does not serve them. */
  readonly isPeersByIpc?: boolean;
  /** Why the IPC socket did not give what HTTP does not serve. */
  readonly ipcFault?: Fault;
  /** Only in the probes that asked for it. */
  readonly chain?: ChainObservation;
}

/** What a probe of a service by HTTP saw. `note` is something else that a healthy answer said. */
export type ServiceObservation = Result<{
  readonly note?: string;
  /** Of the relayer. */
  readonly queues?: readonly RelayerQueue[];
  /** Of the stats server. */
  readonly stats?: StatsReading;
}>;

/** What Docker says about a container: times as Docker's wall time, in facts as watched time; sizes in bytes. */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  /** Docker's own status: `running`, `restarting`, `exited`, `paused`, `created`, `dead`. */
  readonly status: string;
  readonly createdAt?: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode?: number;
  readonly oomKilled: boolean;
  /** How often Docker's restart policy started this container. */
  readonly restartCount: number;
  /** The health check of its image or its compose file fails. */
  readonly isUnhealthy?: true;
  /** The network of Docker that it was made for, where it is in none any more, as after `docker network disconnect`. */
  readonly lostNetwork?: string;
  readonly memoryBytes?: number;
  readonly memoryLimitBytes?: number;
  /** The image as it was named when the container was made. */
  readonly image?: string;
}

/** What an inspection of a container by Docker's API saw. */
export type ContainerObservation =
  | {
      readonly kind: 'found';
      readonly container: Container;
      /** How many containers of its compose service run, this one included; absent if it is the only one. */
      readonly twins?: number;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'docker-unreachable'; readonly why: DockerFault };

/** Why an ssh server gave no way to its Docker Engine. */
export const sshFaults = [
  /** No ssh server answers there. */
  'ssh-unreachable',
  /** known_hosts holds no key of the server. */
  'ssh-unknown-host',
  /** The key of the server is not the one in known_hosts. */
  'ssh-changed-host',
  /** Neither a private key nor an agent is given. */
  'ssh-no-key',
  /** The private key cannot be read, or not with the passphrase given. */
  'ssh-bad-key',
  /** The agent does not answer. */
  'ssh-no-agent',
  /** The server accepts none of the keys. */
  'ssh-denied',
  /** The command does not run there, or ends without an answer. */
  'ssh-no-program',
  /** The user there may not use the engine's socket. */
  'ssh-no-right',
  /** The engine behind the server does not listen. */
  'ssh-engine-down',
] as const;

export type SshFault = (typeof sshFaults)[number];

/** Why Docker did not answer, by the system's error code if there is one. */
export interface DockerFault {
  readonly address: string;
  readonly code: 'ENOENT' | 'EACCES' | 'ECONNREFUSED' | 'no-descriptor' | 'timeout' | 'other' | SshFault;
  /** It answered other requests meanwhile. Only of a timeout. */
  readonly answersOthers?: true;
}

/** What a browser's visit to the frontend's page saw: how much went wrong, or why nothing could be counted. */
export type PageObservation =
  | {
      readonly kind: 'visited';
      /** Errors in the browser's console, without those that only repeat a failed request. */
      readonly consoleErrors: number;
      /** Uncaught exceptions and rejections. */
      readonly exceptions: number;
      /** Requests without an answer, or with a status of 400 or more. */
      readonly failedRequests: number;
    }
  | {
      /** The page itself did not open completely. */
      readonly kind: 'no-page';
      readonly why:
        | 'unreachable'
        | 'status'
        | 'timeout'
        | 'redirects'
        | 'dialogs'
        | 'too-large'
        | 'crashed'
        | 'no-html';
      readonly status?: number;
    }
  | {
      /** There is no browser to visit it with. */
      readonly kind: 'no-browser';
      readonly why: 'missing' | 'not-executable' | 'no-start' | 'sandbox' | 'unreachable' | 'timeout' | 'died';
    };
