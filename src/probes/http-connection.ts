import { createRequire } from 'node:module';
import type undici from 'undici';
import { trackConnects } from '../net/track-connects.ts';
import type { Connection } from './transport.ts';

// The index of undici loads all of it, with fetch, WebSocket, caches and mocks: 6 MB for what is never used.
const require = createRequire(import.meta.url);
const Client: typeof undici.Client = require('undici/lib/dispatcher/client.js');
const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js');

/** The one connection to an address, opened when it is needed. */
export interface HttpConnection {
  /** How the next exchange connects. */
  state(): Connection;
  /** The client of the open connection; `onLost` is called when that connection closes, until the next `use`. */
  use(onLost: () => void): undici.Client;
  /** An exchange has ended: in order, or with a fault. */
  setState(state: Connection): void;
  /** Closes the connection; an exchange in progress gets an error. */
  drop(): void;
}

/** Shorter than the node's own idle timeout of 120 s (XDC-Subnet node/defaults.go). */
const KEEP_ALIVE_MS = 110_000;

/** A connection to an origin, such as `http://127.0.0.1:8545`, that is not open yet. */
export function createHttpConnection(origin: string): HttpConnection {
  let state: Connection = 'new';
  let client: undici.Client | undefined;
  const connector = buildConnector({ allowH2: false, timeout: 0 });
  const connects = trackConnects(() => connector);
  /** Fails the exchange whose connection was lost. */
  let onLost = () => {};

  const open = (): undici.Client => {
    const opened = new Client(origin, {
      connect: connects.connect,
      bodyTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
    });
    opened.on('disconnect', (_origin, _targets, error: NodeJS.ErrnoException) => {
      // undici closes an idle connection with this code, and also one that the response said would close.
      if (opened !== client) return;
      state = error.code === 'UND_ERR_INFO' ? 'reconnected' : 'new';
      onLost();
    });
    return opened;
  };
  return {
    state: () => state,
    use: (next) => {
      client ??= open();
      onLost = next;
      return client;
    },
    setState: (next) => {
      state = next;
    },
    drop: () => {
      const dropped = client;
      client = undefined;
      state = 'new';
      dropped?.destroy().catch(() => {});
      connects.abort();
    },
  };
}
