import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createExtraProbes } from '../../../src/watch/monitor/create-extra-probes.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { serviceTarget } from '../../support/views.ts';

const listen = async (server: ReturnType<typeof createServer>) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** An engine with a container of each name that it is asked for, which may be gone for a while. */
async function startEngine() {
  let startedAt = new Date(Date.now() - 3_600_000);
  let isGone = false;
  const streams = new Set<ServerResponse>();
  const server = createServer(({ url }, answer) => {
    if (isGone) return void answer.destroy();
    answer.writeHead(200, { 'content-type': 'application/json' });
    if (url?.startsWith('/events')) {
      streams.add(answer);
      answer.on('close', () => streams.delete(answer));
      answer.flushHeaders();
    } else if (url?.includes('/logs')) answer.flushHeaders();
    else {
      const name = url?.split('/')[2];
      const State = { Status: 'running', StartedAt: startedAt.toISOString() };
      answer.end(JSON.stringify({ Id: name, Name: `/${name}`, State }));
    }
  });
  return {
    port: await listen(server),
    isFollowed: () => streams.size === 1,
    start: (...names: readonly string[]) => {
      startedAt = new Date();
      for (const name of names) {
        const Actor = { ID: name, Attributes: { name } };
        const event = { Type: 'container', Action: 'start', Actor, timeNano: Date.now() * 1e6 };
        for (const stream of streams) stream.write(`${JSON.stringify(event)}\n`);
      }
    },
    goAway: () => {
      isGone = true;
      server.closeAllConnections();
    },
    comeBack: () => {
      isGone = false;
    },
  };
}

/** A frontend that answers when the test lets it, and a monitor whose rounds run once an hour. */
async function watchFrontend() {
  const engine = await startEngine();
  let status = 200;
  const asked: string[] = [];
  const port = await listen(
    createServer(({ url = '' }, answer) => {
      asked.push(url);
      answer.writeHead(status, { 'content-type': 'text/html' }).end('<html><div id="root"></div></html>');
    }),
  );
  const bugs: unknown[] = [];
  const monitor = createMonitor({ clock: createProcessClock(), scheduled: true, onBug: (error) => bugs.push(error) });
  onTestFinished(async () => {
    await monitor.stop();
    expect(bugs).toEqual([]);
  });
  const load = (services: string) => {
    const parsed = parseInventory(
      `docker: { host: 127.0.0.1, port: ${engine.port} }
subnets: [{ name: d, ${services} nodes: [{ name: n1, rpc: 'http://127.0.0.1:9' }],
  checks: { rpc: { schedule: every 1h }, containers: { schedule: every 1h }, services: { schedule: every 1h } } }]`,
      {},
    );
    if (!parsed.ok) throw new Error('the inventory is bad');
    monitor.load(parsed.inventory);
  };
  const relayer = `relayer: { container: { name: r }, url: 'http://127.0.0.1:${port}' },`;
  load(`${relayer} frontend: { container: { name: f }, url: 'http://127.0.0.1:${port}' },`);
  const http = () => {
    const [targets = []] = monitor.snapshot().map((subnet) => subnet.targets);
    return targets.flatMap(({ checks }) => checks).findLast(({ check }) => check === 'http');
  };
  const inspected = () => JSON.stringify(monitor.snapshot()).match(/"inspected":true/g)?.length;
  await eventually(() => expect([http()?.verdict, engine.isFollowed(), inspected()]).toEqual(['pass', true, 2]));
  return {
    ...{ engine, monitor, http },
    asked: () => asked.filter((url) => url === '/').length,
    askedOther: () => asked.filter((url) => url !== '/').length,
    loadWithout: () => load(relayer),
    answerWith: (next: number) => {
      status = next;
    },
  };
}

test('a service is probed soon after its container has started, which has time to start', async () => {
  const { engine, http, answerWith, asked } = await watchFrontend();
  const before = asked();
  answerWith(503);
  engine.start('f');
  await eventually(() => expect(http()?.verdict).toBe('unknown'));
  const check = http();
  expect(check && formatReason(check)).toMatch(
    /^the frontend was started \ds ago and does not answer as it should yet$/,
  );
  expect(asked()).toBe(before + 1);
});

test('the services of an engine that is back are probed again, although their containers did not start', async () => {
  const { engine, http, answerWith, monitor } = await watchFrontend();
  answerWith(503);
  await monitor.probeTarget('d', 'frontend');
  expect(http()?.verdict).toBe('fail');
  answerWith(200);
  engine.goAway();
  await eventually(() => expect(monitor.enginesUp().get('default')).toBe(false));
  expect(http()?.verdict).toBe('fail');
  engine.comeBack();
  await eventually(() => expect(http()?.verdict).toBe('pass'));
});

test('a service that was removed after its start is not probed, and another one is', async () => {
  const { engine, loadWithout, asked, askedOther, monitor } = await watchFrontend();
  const before = [asked(), askedOther()];
  engine.start('f', 'r');
  await eventually(() => expect(JSON.stringify(monitor.snapshot()).match(/"restarts":1/g)).toHaveLength(2));
  loadWithout();
  await eventually(() => expect(askedOther()).toBeGreaterThan(before[1] ?? 0));
  expect(asked()).toBe(before[0]);
});

test('a service that fails is probed again soon', async () => {
  const { monitor, http, answerWith, asked } = await watchFrontend();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  answerWith(503);
  await monitor.probeTarget('d', 'frontend');
  expect(http()?.verdict).toBe('fail');
  const before = asked();
  vi.advanceTimersByTime(8_499);
  expect(asked()).toBe(before);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await eventually(() => expect(asked()).toBe(before + 1));
});

test('one that fails for long is left to its rounds, and one that has started to the probes after its start', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const probed: string[] = [];
  const [relayer, stats] = [serviceTarget('relayer'), serviceTarget('stats')];
  const { started, failed, stop } = createExtraProbes(({ name }) => probed.push(name));
  onTestFinished(stop);
  const after = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return probed.splice(0);
  };
  failed(stats, 0);
  failed(relayer, 120_000);
  expect(after(8_499)).toEqual([]);
  expect(after(1)).toEqual(['stats']);
  failed(stats, 119_999);
  expect(after(8_500)).toEqual(['stats']);
  started(relayer);
  failed(relayer, 0);
  expect(after(1_000)).toEqual(['relayer']);
  failed(relayer, 0);
  expect(after(8_999)).toEqual([]);
  expect(after(60_000)).toEqual(['relayer', 'relayer']);
});

test('the second probe after a failure confirms it, though the first was recorded a moment late, and others show its end', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const probed: number[] = [];
  let ms = 0;
  const { failed, stop } = createExtraProbes((target) => {
    probed.push(ms);
    failed(target, ms);
  });
  onTestFinished(stop);
  failed(serviceTarget('stats'), 0);
  for (ms = 100; ms < 300_000; ms += 100) vi.advanceTimersByTime(100);
  const [, second = 0, ...others] = probed;
  expect(second - problemCatalog.service_down.confirmMs).toBe(1_000);
  expect([others.length, others.at(-1)]).toEqual([13, 127_500]);
});

test('a start is followed by three probes, those of the last start only, and by none once nothing is watched', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const probed: string[] = [];
  const [relayer, stats] = [serviceTarget('relayer'), serviceTarget('stats')];
  const { started, stop } = createExtraProbes(({ name }) => probed.push(name));
  const after = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return probed.splice(0);
  };
  started(relayer);
  expect(after(999)).toEqual([]);
  expect(after(1)).toEqual(['relayer']);
  started(stats);
  expect(after(8_999)).toEqual(['stats']);
  expect(after(1)).toEqual(['relayer']);
  started(relayer);
  expect(after(999)).toEqual([]);
  expect(after(1)).toEqual(['stats', 'relayer']);
  expect(after(8_999)).toEqual([]);
  expect(after(1)).toEqual(['relayer']);
  expect(after(10_500)).toEqual(['stats', 'relayer']);
  expect(after(60_000)).toEqual([]);
  started(stats);
  stop();
  expect(after(60_000)).toEqual([]);
});
