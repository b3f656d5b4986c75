import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { SshAddress } from '../../model/target.ts';
import { toSocket } from './ssh-channel.ts';
import { connectSsh, createCredentials, toSshError } from './ssh-connection.ts';

/** Sockets to a Docker Engine behind ssh, as channels of one connection. */
export type SshTunnel = ReturnType<typeof createSshTunnel>;

/** What the far side runs: it joins its stdin and stdout with the engine's socket. */
const COMMAND = 'docker system dial-stdio';

/** How long the parts of a tunnel wait. */
export interface TunnelTimes {
  /** A server that accepted no key is not asked again before: many lock out who comes too often. */
  readonly deniedMs: number;
  /** After any other failure. */
  readonly failedMs: number;
  /** How often a silent connection is asked whether it lives; it ends after three questions without an answer. */
  readonly keepaliveMs: number;
}

const TIMES: TunnelTimes = { deniedMs: 30_000, failedMs: 1_000, keepaliveMs: 5_000 };

interface Connection {
  readonly client: Client;
  channels: number;
  /** The server refused a further channel; OpenSSH's `MaxSessions` is 10 by default. */
  isFull: boolean;
}

/** The server refused to open a channel, but lives. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'number';

/**
 * Connects with the first channel, and again whenever it must. All channels share one connection; where the server
 * lets a connection have no more of them, a further one is made.
 */
export function createSshTunnel(address: SshAddress, times = TIMES) {
  const connections = new Set<Connection>();
  const closing = new AbortController();
  const readCredentials = createCredentials(address);
  let connecting: Promise<Connection> | undefined;
  let failure: { readonly error: unknown; readonly until: number } | undefined;

  const recordFailure = (error: unknown) => {
    const isDenied = error instanceof Error && 'code' in error && error.code === 'ssh-denied';
    failure = { error, until: performance.now() + (isDenied ? times.deniedMs : times.failedMs) };
  };

  const connectNow = async (): Promise<Connection> => {
    try {
      const client = await connectSsh(address, readCredentials, times.keepaliveMs, closing.signal);
      const connection: Connection = { client, channels: 0, isFull: false };
      connections.add(connection);
      client.on('close', () => connections.delete(connection));
      failure = undefined;
      return connection;
    } catch (error) {
      recordFailure(error);
      throw error;
    } finally {
      connecting = undefined;
    }
  };

  const connect = (): Promise<Connection> => {
    if (failure !== undefined && performance.now() < failure.until) return Promise.reject(failure.error);
    connecting ??= connectNow();
    return connecting;
  };

  const release = (connection: Connection) => {
    connection.channels -= 1;
    // One that ends takes no further channel either, though it stays known until it is closed.
    connection.isFull = connection.channels === 0 && connections.size > 1;
    if (connection.isFull) connection.client.end();
  };

  const openOn = (connection: Connection): Promise<Duplex> => {
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
    connection.channels += 1;
    try {
      connection.client.exec(COMMAND, (error, channel) => {
        if (error !== undefined) {
          release(connection);
          const isLost = !connections.has(connection);
          reject(isRefusal(error) ? error : toSshError(isLost ? 'ssh-unreachable' : 'ssh-no-program'));
          return;
        }
        channel.once('close', () => release(connection));
        resolve(toSocket(channel));
      });
    } catch {
      // ssh2 throws when the connection has just been lost.
      release(connection);
      connections.delete(connection);
      reject(toSshError('ssh-unreachable'));
    }
    return promise;
  };

  const open = async (): Promise<Duplex> => {
    closing.signal.throwIfAborted();
    const connection = [...connections].find(({ isFull }) => !isFull) ?? (await connect());
    try {
      return await openOn(connection);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (connection.channels === 0) throw toSshError('ssh-no-program');
      connection.isFull = true;
      return open();
    }
  };

  return {
    /** Opens a channel, and connects where that is needed. Rejects with the code of a fault. */
    open,
    /** Ends all channels; what comes after rejects. */
    close: (): void => {
      closing.abort();
      for (const { client } of connections) client.destroy();
      connections.clear();
    },
  };
}
