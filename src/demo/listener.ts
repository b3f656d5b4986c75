import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createGuard, type Server as Guard } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Go's HTTP server keeps an idle connection this long (XDC-Subnet rpc/http.go). */
const KEEP_ALIVE_MS = 120_000;

/**
 * Below those that Linux gives to whoever connects or asks for any (32,768 on). One of those would be given to others while
 * it is closed, and after a connection from it nobody can listen there for a minute.
 */
const PORTS = { from: 16_384, below: 32_768, inBlock: 64, tries: 50 };
const REOPEN_MS = 60_000;
const TRY_AGAIN_MS = 100;

/** An HTTP address that can fall silent and come back. */
export interface Listener {
  /** Ends without a slash; stays the same while the listener is closed. */
  readonly url: string;
  /** Listens again on the same port; waits up to a minute while another program has it, and rejects then. */
  open(): Promise<void>;
  /** Breaks every connection, in use or idle. A listening server continues to listen. */
  breakConnections(): void;
  /** Stops listening and breaks every connection, in use or idle. */
  close(): Promise<void>;
}

async function listen(server: Guard, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

/** Reserves a block of ports for as long as this process runs, by listening at its first one. */
async function reserveBlock(): Promise<number> {
  for (let left = PORTS.tries; ; left -= 1) {
    const first = randomInt(PORTS.from / PORTS.inBlock, PORTS.below / PORTS.inBlock) * PORTS.inBlock;
    try {
      await listen(createGuard().unref(), '127.0.0.1', first);
      return first;
    } catch (error) {
      if (!isTaken(error) || left <= 0) throw error;
    }
  }
}

let block: Promise<number> | undefined;
let given = 0;

/**
 * A port that no process with a demo gives a second time: who falls silent comes back on its own port, and nobody else answers there in
 * the meantime.
 */
async function takePort(): Promise<number> {
  if (block === undefined || given === PORTS.inBlock - 1) {
    block = reserveBlock();
    given = 0;
  }
  given += 1;
  const place = given;
  return (await block) + place;
}

/** Listens on a free port of `host`. */
export const openListener = async (host: string, handler: RequestListener): Promise<Listener> => {
  const create = (): Server => createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  let server: Server | undefined;
  let port = 0;
  for (let left = PORTS.tries; server === undefined; left -= 1) {
    port = await takePort();
    const next = create();
    try {
      await listen(next, host, port);
      server = next;
    } catch (error) {
      if (!isTaken(error) || left <= 0) throw error;
    }
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    open: async () => {
      if (server !== undefined) return;
      const until = performance.now() + REOPEN_MS;
      for (;;) {
        const next = create();
        try {
          await listen(next, host, port);
          server = next;
          return;
        } catch (error) {
          if (!isTaken(error) || performance.now() > until) throw error;
        }
        await sleep(TRY_AGAIN_MS);
      }
    },
    breakConnections: () => server?.closeAllConnections(),
    close: async () => {
      const current = server;
      server = undefined;
      if (current !== undefined) await end(current);
    },
  };
};
