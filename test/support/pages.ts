import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on a free port whose paths answer as given, a string as a page; any other path is 404. */
export async function servePages(pages: Readonly<Record<string, string | Handler>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[(request.url ?? '/').split('?')[0] ?? '/'];
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === 'string')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page as the explorer's, with something in its head or body. */
export const pageWith = (head: string, body = ''): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Subnet</title>${head}</head><body><div id="root">ok</div>${body}</body></html>`;

/** The address of a port on which nobody listens. */
export async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
