import { expect, it, onTestFinished } from 'vitest';
import { createServiceProber } from '../../../src/watch/probes/service-prober.ts';
import { type Exchange, exchangeWithRetry, type RpcTransport } from '../../../src/watch/probes/transport.ts';
import { startHttp } from '../../support/fake-node.ts';

const answer: Exchange<string> = { ok: true, value: '{}' };
const closed = { ok: false, fault: { kind: 'closed', address: 'http://a' } } as const;
const stale: Exchange<string> = { ...closed, stale: true };

/** Sends a request over a transport with these outcomes; resolves to the result and the number of exchanges. */
async function send(...outcomes: readonly Exchange<string>[]) {
  let sent = 0;
  const transport: RpcTransport = {
    connection: () => 'reused',
    exchange: async <T>() => (outcomes[sent++] ?? closed) as Exchange<T>,
    close: () => {},
  };
  return { result: await exchangeWithRetry(transport, { method: 'GET' }, ({ body }) => body.toString(), 0), sent };
}

it('a request is sent once more when its reused connection was dead, and never a third time', async () => {
  expect(await send(stale, answer)).toEqual({ result: answer, sent: 2 });
  expect(await send(stale, stale)).toEqual({ result: stale, sent: 2 });
});

it('an answer and any other fault are the result of the first exchange', async () => {
  expect(await send(answer, stale)).toEqual({ result: answer, sent: 1 });
  expect(await send(closed, answer)).toEqual({ result: closed, sent: 1 });
});

it('a service that closes an idle connection at the next request is asked again over a new one', async () => {
  let requests = 0;
  const server = await startHttp((_request, response) => {
    requests += 1;
    if (requests === 2) response.destroy();
    else response.writeHead(200).end('{"queues":[]}');
  });
  const prober = createServiceProber('relayer', server.url);
  onTestFinished(async () => {
    prober.close();
    await server.stop();
  });
  expect(await prober.probe(2000)).toMatchObject({ ok: true });
  expect(await prober.probe(2000)).toMatchObject({ ok: true });
  expect(requests).toBe(3);
});
