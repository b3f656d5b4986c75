import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { RoutesEnv } from '../../src/web/api-routes.ts';
import { type AnsweredRequest, measureRequests } from '../../src/web/receive-requests.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups } = useCleanups();

/** The beginning of an answer that has no end. */
const begin = (text: string) => new ReadableStream({ start: (body) => body.enqueue(Buffer.from(text)) });

/** A server with one answer, and the requests that were measured. */
async function start(answer: () => Response) {
  const requests: AnsweredRequest[] = [];
  const measured = Promise.withResolvers<AnsweredRequest>();
  const app = new Hono<RoutesEnv>()
    .use(
      measureRequests((request) => {
        requests.push(request);
        measured.resolve(request);
      }),
    )
    .get('/page/:name', answer);
  const server = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const ask = async (path: string): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(get({ host: '127.0.0.1', port, path }), 'response');
    return response;
  };
  return { requests, measured: measured.promise, ask };
}

describe('a request is measured', () => {
  it('until its whole answer has been sent', async () => {
    const rest = Promise.withResolvers<void>();
    async function* chunks() {
      yield Buffer.from('first');
      await rest.promise;
      yield Buffer.from('last');
    }
    const { requests, measured, ask } = await start(() => new Response(ReadableStream.from(chunks())));
    const response = await ask('/page/a');
    await once(response, 'readable');
    expect(requests).toEqual([]);
    rest.resolve();
    expect(await measured).toMatchObject({ method: 'GET', route: '/page/:name', status: 200 });
    response.resume();
  });

  it('until its client has gone', async () => {
    const { measured, ask } = await start(() => new Response(begin('first')));
    const response = await ask('/page/a');
    response.destroy();
    expect(await measured).toMatchObject({ route: '/page/:name' });
  });

  it('until its stream of events begins, which may never end', async () => {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    const { measured, ask } = await start(() => new Response(begin('data: 1\n\n'), { headers }));
    const response = await ask('/page/a');
    expect(await measured).toMatchObject({ route: '/page/:name' });
    response.destroy();
  });

  it('without its path where there is no route', async () => {
    const { measured, ask } = await start(() => new Response(''));
    (await ask('/other')).resume();
    expect(await measured).toMatchObject({ route: 'none', status: 404 });
  });
});
