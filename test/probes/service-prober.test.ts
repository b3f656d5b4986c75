import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceTarget } from '../../src/model/target.ts';
import { createServiceProber } from '../../src/probes/service-prober.ts';
import { startHttp } from '../support/fake-node.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

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
    ['stats', '{"health":{"status":"UP"}}', '/information/network'],
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

  it('stats that reports DOWN answers as it should, with a note', async () => {
    const { observation } = await probeTarget('stats', '{"health":{"status":"DOWN"}}');
    expect(observation).toEqual({ ok: true, value: { note: expect.stringContaining('no new block') } });
  });
});
