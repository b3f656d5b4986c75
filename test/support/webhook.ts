import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One message of Alertmanager's webhook (version 4), with the members that tests use. */
export interface Message {
  /** Milliseconds since the receiver was started. */
  readonly at: number;
  readonly status: 'firing' | 'resolved';
  readonly receiver: string;
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** Where notifications arrive. */
export interface Webhook {
  readonly url: string;
  readonly messages: readonly Message[];
  /** The clock of `at`. */
  now(): number;
  stop(): Promise<void>;
}

/** Starts a receiver on a free port of the loopback address. */
export async function startWebhook(): Promise<Webhook> {
  const started = performance.now();
  const now = () => performance.now() - started;
  const messages: Message[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Omit<Message, 'at'>;
      messages.push({ at: now(), ...body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    messages,
    now,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
