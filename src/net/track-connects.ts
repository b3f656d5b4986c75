import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { skipInformational } from './skip-informational.ts';

/** How a client of undici connects. */
export interface TrackedConnects {
  readonly connect: buildConnector.connector;
  /** Ends the connections that are still being made. */
  readonly abort: () => void;
}

/**
 * Notes each connection until it is made, as undici leaves those to themselves when their client is destroyed; and takes
 * informational answers out of what is read. `toConnector` is asked for each connection, and what it throws fails that.
 */
export function trackConnects(toConnector: () => buildConnector.connector): TrackedConnects {
  const connecting = new Set<Socket>();
  return {
    connect: (options, done) => {
      try {
        // It returns the socket, which its type does not say.
        const socket = toConnector()(options, (...result) => {
          connecting.delete(socket);
          done(...result);
        }) as unknown as Socket;
        connecting.add(skipInformational(socket));
      } catch (error) {
        done(error as Error, null);
      }
    },
    abort: () => {
      for (const socket of connecting) socket.destroy();
      connecting.clear();
    },
  };
}
