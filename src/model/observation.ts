/**
 * Why a look did not obtain what it looked for. A fault holds only what is safe to show: never the text that the other
 * side sent, never user info, a query or a path of a URL.
 */
export type Fault =
  | { readonly kind: 'refused' | 'unresolved' | 'unreachable' | 'closed' | 'tls'; readonly address: string }
  | { readonly kind: 'timeout'; readonly address: string; readonly afterMs: number; readonly received: boolean }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  | { readonly kind: 'redirect' | 'status'; readonly status: number }
  | { readonly kind: 'not-http'; readonly address: string }
  | { readonly kind: 'encoding' }
  /** Subnetd itself could open no connection. */
  | { readonly kind: 'no-descriptor' }
  | { readonly kind: 'not-json'; readonly looksLike: 'html' | 'cut' | 'empty' | 'other' }
  | { readonly kind: 'envelope'; readonly what: string }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly known: KnownRpcError }
  | { readonly kind: 'result'; readonly what: string }
  | { readonly kind: 'no-committed' }
  | { readonly kind: 'result-error' }
  | { readonly kind: 'body'; readonly what: string }
  | SocketFault
  | ExecFault;

/** Why a node's IPC socket is of no use; the owner and the mode are of what denies us. */
export interface SocketFault {
  readonly kind: 'socket';
  /** As the inventory writes it. */
  readonly path: string;
  readonly state: 'missing' | 'denied' | 'stale' | 'no-socket' | 'too-long';
  readonly owner?: string;
  readonly mode?: string;
}

/** Why a command inside a node's container told nothing. */
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

/** Errors of the node whose meaning is known from its source (facts 1.3, 1.8). */
export type KnownRpcError = 'method-not-found' | 'crashed' | 'not-started' | 'other';

/** What one part of a look obtained. */
export type Look<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

/** A block as `<consensus>_getV2BlockByNumber` gives it; the time in Unix seconds. */
export interface Block {
  readonly number: number;
  readonly timestamp?: number;
}

/** How many peers a node has, and the method that told. */
export interface Peers {
  readonly count: number;
  readonly via: 'admin_peers' | 'net_peerCount';
}

/** One look at a node by JSON-RPC. A part that was not asked for is absent. */
export interface NodeObservation {
  /** The node answered at least one call with JSON-RPC, an error included. */
  readonly answered: boolean;
  readonly latest: Look<Block>;
  readonly committed?: Look<Block>;
  readonly peers?: Look<Peers>;
  /** Why the IPC socket, which should have told what HTTP does not serve, did not. */
  readonly ipcFault?: Fault;
}

/** One look at a service by HTTP. `note` says what else its healthy answer told. */
export type ServiceObservation = Look<{ readonly note?: string }>;

/** What Docker tells about a container; times in Unix milliseconds, sizes in bytes. */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  /** Docker's own word: `running`, `restarting`, `exited`, `paused`, `created`, `dead`. */
  readonly status: string;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode?: number;
  readonly oomKilled: boolean;
  /** Starts that Docker's restart policy made of this container. */
  readonly restartCount: number;
  readonly memoryBytes?: number;
  readonly memoryLimitBytes?: number;
}

/** One look at a container by Docker's API. */
export type ContainerObservation =
  | {
      readonly kind: 'found';
      readonly container: Container;
      /** So many containers of its compose service are alive, this one included; absent when no other is. */
      readonly twins?: number;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'docker-unreachable'; readonly why: DockerFault };

/** Why Docker could not be asked, by the system's own error code where there is one. */
export interface DockerFault {
  readonly address: string;
  readonly code: 'ENOENT' | 'EACCES' | 'ECONNREFUSED' | 'no-descriptor' | 'timeout' | 'other';
}

/** One visit of a browser to the frontend's page: how much went wrong, or why there is nothing to count. */
export type PageObservation =
  | {
      readonly kind: 'visited';
      /** Errors on the console, without those that only repeat a failed request. */
      readonly consoleErrors: number;
      /** Uncaught exceptions and rejections. */
      readonly exceptions: number;
      /** Requests without an answer, or with a status of 400 or more. */
      readonly failedRequests: number;
    }
  | {
      /** The page could not be opened whole, by its own doing. */
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
      /** There is no browser to look with. */
      readonly kind: 'no-browser';
      readonly why: 'missing' | 'not-executable' | 'no-start' | 'sandbox' | 'unreachable' | 'timeout' | 'died';
    };
