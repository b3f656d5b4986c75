import { expect, onTestFinished, test } from 'vitest';
import type { ServiceTarget } from '../../../../src/model/target.ts';
import { readQueueExposure } from '../../../../src/watch/probes/setup/read-queue-exposure.ts';
import { startHttp } from '../../../support/fake-node.ts';
import { serviceTarget } from '../../../support/views.ts';

/** A relayer whose page answers so; `asked` has the path and the credentials of each request. */
async function useRelayer(status: number, body: unknown) {
  const asked: (readonly [string | undefined, string | undefined, string | undefined])[] = [];
  const server = await startHttp(({ method, url, headers }, response) => {
    asked.push([method, url, headers.authorization]);
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  onTestFinished(server.stop);
  return { url: server.url, port: Number(new URL(server.url).port), asked };
}

const read = (url: string | undefined, own: readonly string[] = []) => {
  const target: ServiceTarget = {
    ...serviceTarget('relayer', url ?? ''),
    ...(url === undefined && { url: undefined }),
  };
  return readQueueExposure(target, AbortSignal.timeout(10_000), () => own);
};

const queue = (name: unknown, readOnlyMode: boolean) => ({ name, readOnlyMode, allowRetries: !readOnlyMode });

test('the page of a relayer says of each queue whether anyone can change it', async () => {
  const stock = await useRelayer(200, { queues: [queue('FULL', true), queue('LITE', true)] });
  expect(await read(`${stock.url}/relayer/`.replace('//', '//me:s3cret@'))).toEqual({
    ok: true,
    value: { servedAt: [{ ip: '127.0.0.1', port: stock.port }], writable: [] },
  });
  expect(stock.asked).toEqual([['GET', '/relayer/api/queues', undefined]]);
  const open = await useRelayer(200, { queues: [queue('FULL', false), queue('LITE', true), queue('<b>', false), 7] });
  expect(await read(open.url, ['127.0.0.2', '127.0.0.1'])).toMatchObject({
    value: { servedAt: [{ port: open.port }, { ip: '127.0.0.1', port: open.port }], writable: ['FULL'] },
  });
});

test('a page that wants a password is open to nobody, and one that is not a queue page is not known', async () => {
  expect(await read((await useRelayer(401, '')).url)).toEqual({ ok: true, value: { servedAt: [], writable: [] } });
  const unknown = { ok: false, why: 'it does not list its queues' };
  expect(await read((await useRelayer(200, '<html>')).url)).toEqual(unknown);
  expect(await read((await useRelayer(200, { queues: 'none' })).url)).toEqual(unknown);
  expect(await read((await useRelayer(302, { queues: [] })).url)).toEqual(unknown);
  expect(await read('http://127.0.0.1:1')).toEqual({ ok: false, why: 'it does not answer' });
  expect(await read(undefined)).toBeUndefined();
});
