import { describe, expect, it } from 'vitest';
import type { ServiceTarget } from '../../../src/model/target.ts';
import { createServiceProber } from '../../../src/watch/probes/service-prober.ts';
import { startHttp } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

async function probeTarget(
  component: ServiceTarget['component'],
  body: string,
  { status = 200, headers = {}, base = '' }: { status?: number; headers?: Record<string, string>; base?: string } = {},
) {
  const paths: string[] = [];
  const server = await startHttp((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(status, headers).end(body);
  });
  const probe = createServiceProber(component, server.url + base);
  cleanups.push(probe.close, server.stop);
  return { observation: await probe.probe(2000), paths };
}

describe('a service', () => {
  it.each([
    ['relayer', '{"queues":[]}', '/api/queues'],
    ['frontend', '<!doctype html><div id="root"></div>', '/'],
  ] as const)('%s passes with its own answer', async (component, body, path) => {
    const { observation, paths } = await probeTarget(component, body, {
      headers: component === 'frontend' ? { 'Content-Type': 'text/html; charset=utf-8' } : {},
    });
    expect(observation).toEqual({ ok: true, value: {} });
    expect(paths).toEqual([path]);
  });

  it('is asked below the path that the inventory gives', async () => {
    expect((await probeTarget('relayer', '{"queues":[]}', { base: '/sub/' })).paths).toEqual(['/sub/api/queues']);
  });

  it.each([
    ['relayer', '<html>Relayer Status</html>'],
    ['relayer', '{"queues":"none"}'],
    ['relayer', '[]'],
    ['stats', '<html>Swagger UI</html>'],
    ['stats', '{"subnet":{}}'],
    ['stats', '{"health":null}'],
    ['stats', 'OK'],
    ['frontend', '{"id":"root"}'],
    ['frontend', '<html><div id="rooted"></div></html>'],
  ] as const)('%s that answers 200 with %s has a fault', async (component, body) => {
    expect((await probeTarget(component, body)).observation).toMatchObject({ ok: false, fault: { kind: 'body' } });
  });

  it('frontend that answers with the content type JSON has a fault', async () => {
    const options = { headers: { 'Content-Type': 'application/json' } };
    expect((await probeTarget('frontend', '<div id="root">', options)).observation.ok).toBe(false);
  });

  it.each([
    [301, 'redirect'],
    [302, 'redirect'],
    [500, 'status'],
    [404, 'status'],
    [204, 'status'],
  ] as const)('that answers %i has a fault', async (status, kind) => {
    const { observation } = await probeTarget('relayer', status === 204 ? '' : '{"queues":[]}', {
      status,
      headers: { Location: '/' },
    });
    expect(observation).toEqual({ ok: false, fault: { kind, status } });
  });

  it('stats says what it knows of the chains; what it cannot say, or says of none, is left out', async () => {
    const pages: Record<string, readonly [status: number, body: unknown]> = {};
    const asked: string[] = [];
    const server = await startHttp((request, response) => {
      asked.push(request.url ?? '');
      const [status, body] = pages[request.url ?? ''] ?? [200, '<html>Swagger UI</html>'];
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const prober = createServiceProber('stats', `${server.url}/sub/`);
    cleanups.push(prober.close, server.stop);
    const probe = async (relayer: readonly [number, unknown], blocks: readonly [number, unknown]) => {
      pages['/sub/information/network'] = [200, { health: { status: 'UP' } }];
      pages['/sub/information/relayer'] = relayer;
      pages['/sub/information/blocks'] = blocks;
      return prober.probe(2_000);
    };
    const subnet = { latestMinedBlock: { hash: '0xaa', number: 1333 } };
    const up = [200, { backlog: 43, health: { status: 'UP' } }] as const;
    expect(await probe(up, [200, { subnet }])).toEqual({
      ok: true,
      value: { stats: { newest: 1333, relayer: { isUp: true, backlog: 43 } } },
    });
    expect(asked).toEqual(['/sub/information/network', '/sub/information/relayer', '/sub/information/blocks']);
    const down = [200, { backlog: -1, health: { status: 'DOWN' } }] as const;
    expect(await probe(down, [200, { subnet: { latestMinedBlock: { hash: '', number: 0 } } }])).toEqual({
      ok: true,
      value: { stats: { relayer: { isUp: false, backlog: 0 } } },
    });
    const failed = [500, { message: "CONNECTION ERROR: Couldn't connect to node http://parent." }] as const;
    expect(await probe(failed, failed)).toEqual({ ok: true, value: {} });
    expect(await probe([200, '<html>'], [200, { subnet: null }])).toEqual({ ok: true, value: {} });
  });

  it('stats that answers nothing of the parent chain is well, and is asked no more in this probe', async () => {
    let isBroken = false;
    const asked: string[] = [];
    const server = await startHttp((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/information/network') response.writeHead(200).end('{"health":{"status":"UP"}}');
      else if (isBroken) request.socket.destroy();
    });
    const prober = createServiceProber('stats', server.url);
    cleanups.push(prober.close, server.stop);
    expect(await prober.probe(200)).toEqual({ ok: true, value: {} });
    expect(asked.splice(0)).toEqual(['/information/network', '/information/relayer']);
    isBroken = true;
    expect(await prober.probe(2_000)).toEqual({ ok: true, value: {} });
    expect(asked).toEqual(['/information/network', '/information/relayer']);
  });

  it('a relayer that lists strange queues has those that subnetd knows, each once, with counts that can be', async () => {
    const counts = { active: 1, waiting: 2, paused: 'HUGE', delayed: -1, completed: 1.5, failed: '3' };
    const strange = [
      { name: 'constructor', counts },
      { name: '__proto__', counts },
      { name: ['FULL'], counts },
      { name: { toString: 1, valueOf: 1 }, counts },
      { name: 'LITE', counts: [1] },
      null,
    ];
    const full = { name: 'FULL', counts };
    const body = JSON.stringify({ queues: [...strange, full, ...Array.from({ length: 1_000 }, () => full)] });
    expect((await probeTarget('relayer', body.replaceAll('"HUGE"', '1e400'))).observation).toEqual({
      ok: true,
      value: {
        queues: [{ mode: 'full', isPaused: false, active: 1, waiting: 2, delayed: 0, completed: 0, failed: 0 }],
      },
    });
  });

  it.each([
    ['a list within lists without end', `{"queues":${'['.repeat(1_000_000)}`],
    ['many lists within lists', `{"queues":[${'['.repeat(500_000)}${']'.repeat(500_000)}]}`],
  ])('a relayer that answers %s gives a result', async (_, body) => {
    expect((await probeTarget('relayer', body)).observation.ok).toBeDefined();
  });

  it.each(['1e400', '-1e400', '0.5', '"43"', '[43]', '{"valueOf":1}'])(
    'stats with a backlog of %s does not say what the relayer does',
    async (backlog) => {
      const { observation } = await probeTarget('stats', `{"backlog":${backlog},"health":{"status":"UP"}}`);
      expect(observation).toEqual({ ok: true, value: {} });
    },
  );

  it('stats that reports DOWN answers as it should, with a note', async () => {
    const { observation } = await probeTarget('stats', '{"health":{"status":"DOWN"}}');
    expect(observation).toEqual({
      ok: true,
      value: { note: 'it has had no new block for 60s, or none since its start' },
    });
  });
});
