import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PostableAlert } from '../../src/tell/notify/to-alert.ts';

/** One request that arrived whole. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly alerts: readonly PostableAlert[];
}

/** A server in place of an Alertmanager, which records the requests and answers as configured. */
export interface AlertReceiver {
  readonly url: string;
  readonly received: Received[];
  /** The status of the next answers; `hang` gives none. */
  answer: number | 'hang';
  stop(): Promise<void>;
}

/** Starts it on a free port of the loopback address; with a key and certificate it speaks TLS. */
export async function startAlertReceiver(tls?: ServerOptions): Promise<AlertReceiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const alerts = text === '' ? [] : (JSON.parse(text) as readonly PostableAlert[]);
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, alerts });
      if (receiver.answer === 'hang') return;
      response.statusCode = receiver.answer;
      response.end('{}');
    });
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: AlertReceiver = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    answer: 200,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
