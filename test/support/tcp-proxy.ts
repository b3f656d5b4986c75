import { createServer, connect as openSocket, type Socket } from 'node:net';

/** What becomes of what a client sends: it goes on; it and all that comes after is lost; or it arrives, and its answer never does. */
export type Fate = 'passes' | 'is lost' | 'arrives and breaks';

/** A relay before a server on this machine, which can lose what goes through it. */
export interface TcpProxy {
  readonly port: number;
  /** Decides what becomes of each piece that a client sends. */
  onRequest: (text: string) => Fate;
  /** Gives what arrives instead of each piece that the server sends. */
  onAnswer: (piece: Buffer) => Buffer;
  /** Breaks every connection. */
  cut(): void;
  /**
   * Lets nothing more through the connections that are open, not even their end: each side takes the other for silent. New
   * ones pass, unless those hang too.
   */
  freeze(next: 'new ones pass' | 'new ones hang'): void;
  /** Lets new connections pass again. Those that were frozen stay so. */
  thaw(): void;
  stop(): Promise<void>;
}

/** A client's connection, with that to the server. */
interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  isFrozen: boolean;
}

/** Starts the relay before the port. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let isHanging = false;
  // Else a side that ends would get the end of the other one at once, also through a frozen connection.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = openSocket({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair: Pair = { client, upstream, isFrozen: isHanging };
    pairs.add(pair);
    let breaksAtAnswer = false;
    let isLost = false;
    const end = () => {
      if (pair.isFrozen) return;
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
    };
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket
        .on('error', () => {})
        .on('close', end)
        .on('end', () => {
          if (!pair.isFrozen) other.end();
        });
    client.on('data', (piece) => {
      const fate = proxy.onRequest(piece.toString('latin1'));
      if (fate === 'is lost') isLost = true;
      if (fate === 'arrives and breaks') breaksAtAnswer = true;
      if (!isLost && !pair.isFrozen) upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => {
      if (pair.isFrozen) return;
      if (breaksAtAnswer) end();
      else client.write(proxy.onAnswer(piece));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const proxy: TcpProxy = {
    port: (server.address() as { port: number }).port,
    onRequest: () => 'passes',
    onAnswer: (piece) => piece,
    cut: () => {
      for (const { client, upstream } of pairs) {
        client.destroy();
        upstream.destroy();
      }
      pairs.clear();
    },
    freeze: (next) => {
      isHanging = next === 'new ones hang';
      for (const pair of pairs) pair.isFrozen = true;
    },
    thaw: () => {
      isHanging = false;
    },
    stop: async () => {
      proxy.cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
