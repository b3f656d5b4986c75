import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that arrived whole. */
export interface HookRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What the next requests get: a status, with headers and a body, no answer, or the head of one that never ends. */
export type HookAnswer =
  | 'hang'
  | 'endless'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A server in the place of a webhook, Slack, Telegram or Discord. */
export interface HookReceiver {
  readonly url: string;
  readonly requests: HookRequest[];
  answer: HookAnswer;
  stop(): Promise<void>;
}

/** Starts it on a free port of the loopback address, or on the one given. */
export async function startHookReceiver(at = 0): Promise<HookReceiver> {
  const requests: HookRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString() });
      if (receiver.answer === 'hang') return;
      if (receiver.answer === 'endless') {
        response.writeHead(200).write('{');
        return;
      }
      const { status, headers = {}, body = '' } = receiver.answer;
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: HookReceiver = {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: { status: 200 },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
