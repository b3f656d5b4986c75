import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The header of a message with so many bytes; stream 1 is stdout. */
export function frameHeader(bytes: number, stream = 1): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes, 4);
  return header;
}

/** A line of stdout as an engine sends it, printed at this time in Unix milliseconds. */
export function toFrame(wallMs: number, line: string): Buffer {
  const text = Buffer.from(`${new Date(wallMs).toISOString().replace('Z', '000000Z')} ${line}\n`);
  return Buffer.concat([frameHeader(text.length), text]);
}

/**
 * An engine that only sends logs, until the test ends: `send` gets each opening with the container's id and the time that is asked
 * for, in Unix milliseconds. The last lines are always none. Resolves to what opens them.
 */
export async function serveLogs(send: (response: ServerResponse, since: number, id: string) => void) {
  const server = createServer(({ url = '' }, response) => {
    response.sendDate = false;
    const { searchParams, pathname } = new URL(url, 'http://engine');
    if (searchParams.has('tail')) response.end();
    else send(response, Number(searchParams.get('since')) * 1_000, pathname.split('/')[2] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (query: string) => (id: string, value: number, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const path = `/containers/${id}/logs?${query}=${value}`;
      get({ host: '127.0.0.1', port, path, signal }, resolve).on('error', reject);
    });
  return { openLog: open('since'), openTail: open('tail') };
}
