import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { skipInformational } from './skip-informational.ts';

/** How a client of undici connects. */
export interface TrackedConnects {
  readonly connect: buildConnector.connector;
  /** Ends connections that are still being established. */
  readonly abort: () => void;
}

/**
 * Tracks each connection until it is established, because undici abandons those of a destroyed client. It also removes
 * informational answers. `toConnector` is called for each connection; if it throws, that connection fails.
 */
export function trackConnects(toConnector: () => buildConnector.connector): TrackedConnects {
  const connecting = new Set<Socket>();
  return {
    connect: (options, done) => {
      try {
        // It returns the socket, although its type does not say so.
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
