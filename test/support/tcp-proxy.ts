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
  stop(): Promise<void>;
}

/** Starts the relay before the port. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => void sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = openSocket(target, '127.0.0.1');
    keep(client);
    keep(upstream);
    let breaksAtAnswer = false;
    let isLost = false;
    client.on('data', (piece) => {
      const fate = proxy.onRequest(piece.toString('latin1'));
      if (fate === 'is lost') isLost = true;
      if (fate === 'arrives and breaks') breaksAtAnswer = true;
      if (!isLost) upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => {
      if (breaksAtAnswer) {
        client.destroy();
        upstream.destroy();
      } else client.write(proxy.onAnswer(piece));
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const proxy: TcpProxy = {
    port: (server.address() as { port: number }).port,
    onRequest: () => 'passes',
    onAnswer: (piece) => piece,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      proxy.cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
