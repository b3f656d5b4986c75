import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';

/** An engine without its one container, until that starts. */
async function startEngine() {
  let isThere = false;
  let logsAsked = 0;
  const streams = new Set<ServerResponse>();
  const server = createServer(({ url }, answer) => {
    answer.writeHead(isThere || url?.startsWith('/events') ? 200 : 404, { 'content-type': 'application/json' });
    if (url?.startsWith('/events')) {
      streams.add(answer);
      answer.flushHeaders();
    } else if (!isThere) answer.end('{"message":"No such container: c"}');
    else if (url?.startsWith('/containers/a1/logs')) {
      logsAsked++;
      answer.flushHeaders();
    } else answer.end('{"Id":"a1","Name":"/c","State":{"Status":"running","StartedAt":"2026-01-01T00:00:00Z"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    isFollowed: () => streams.size === 1,
    logsAsked: () => logsAsked,
    start: () => {
      isThere = true;
      const Actor = { ID: 'a1', Attributes: { name: 'c' } };
      const event = { Type: 'container', Action: 'start', Actor, timeNano: Date.now() * 1e6 };
      for (const stream of streams) stream.write(`${JSON.stringify(event)}\n`);
    },
  };
}

/** Looks each millisecond by the real clock. */
async function until(isSo: () => boolean | Promise<boolean>) {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > 120_000) throw new Error('it has not come in two minutes');
    await sleep(1);
  }
}

/** A monitor of an inventory, in which no pause ends by itself. */
function startMonitor(text: string) {
  const parsed = parseInventory(text, {});
  if (!parsed.ok) throw new Error('a bad inventory');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: false,
    onBug: (error) => bugs.push(error),
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await monitor.stop();
    expect(bugs).toEqual([]);
  });
  monitor.load(parsed.inventory);
  return monitor;
}

test("the log of a missing container is read at Docker's start event, without waiting for the next poll", async () => {
  const engine = await startEngine();
  const monitor = startMonitor(`
subnets: [{ name: d, nodes: [{ name: a, container: { name: c } }] }]
docker: { host: 127.0.0.1, port: ${engine.port} }
`);
  const source = () => monitor.snapshot()[0]?.targets[0]?.facts.logs?.sources.container;
  await until(() => {
    // The result of a read is reported a few milliseconds later. Until then no time passes faster than it does.
    if (source()?.fault === undefined) vi.advanceTimersByTime(1);
    return engine.isFollowed() && source()?.fault?.what === 'no-container';
  });
  expect(engine.logsAsked()).toBe(0);
  engine.start();
  await until(() => engine.logsAsked() === 1);
});

/** An engine with ten containers that have stopped and printed nothing; its events are only what a test sends. */
async function startStoppedEngine() {
  const asked: string[] = [];
  const gone = new Set<string>();
  const streams = new Set<ServerResponse>();
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url);
    const name = /^\/containers\/(c\d)/.exec(url)?.[1] ?? '';
    answer.writeHead(gone.has(name) ? 404 : 200, { 'content-type': 'application/json' });
    if (url.startsWith('/events')) {
      streams.add(answer);
      answer.once('close', () => streams.delete(answer)).flushHeaders();
    } else if (url.includes('/logs')) answer.end();
    else if (gone.has(name)) answer.end('{"message":"No such container"}');
    else answer.end(JSON.stringify({ Id: name, Name: `/${name}`, State: { Status: 'exited', StartedAt: START } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    asked,
    port: (server.address() as AddressInfo).port,
    isFollowed: () => streams.size === 1,
    destroy: (name: string) => {
      gone.add(name);
      const Actor = { ID: name, Attributes: { name } };
      const event = { Type: 'container', Action: 'destroy', Actor, timeNano: Date.now() * 1e6 };
      for (const stream of streams) stream.write(`${JSON.stringify(event)}\n`);
    },
    /** Ends the engine, as its events and all its answers do. */
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
const START = '2026-01-01T00:00:00Z';

test('ten containers that have stopped are asked about nothing while events arrive, and again once those are lost', async () => {
  const engine = await startStoppedEngine();
  const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
  const nodes = names.map((name) => `{ name: ${name}, container: { name: ${name} } }`).join(', ');
  const monitor = startMonitor(
    `subnets: [{ name: d, nodes: [${nodes}] }]\ndocker: { host: 127.0.0.1, port: ${engine.port} }\n`,
  );
  const sources = () => names.map((_, i) => monitor.snapshot()[0]?.targets[i]?.facts.logs?.sources.container);
  /** Lets time pass, and what it starts come to its end. */
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      vi.advanceTimersByTime(1_000);
      await sleep(2);
    }
  };
  await until(() => {
    vi.advanceTimersByTime(1);
    return engine.isFollowed() && sources().every((source) => source?.up === true);
  });
  // On a busy machine a question of the start can still be on its way.
  let before = 0;
  await until(async () => {
    before = engine.asked.length;
    await pass(240);
    return engine.asked.length === before;
  });

  engine.destroy('c3');
  await until(() => {
    vi.advanceTimersByTime(1);
    return sources()[3]?.fault?.what === 'no-container';
  });
  expect(new Set(engine.asked.slice(before))).toEqual(new Set(['/containers/c3/json']));

  engine.stop();
  await until(() => {
    vi.advanceTimersByTime(5);
    return sources().every((source) => source?.fault?.what === 'docker-unreachable');
  });
});
