import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { eventually, startDaemon } from '../../support/cli.ts';
import { startNode } from '../../support/fake-node.ts';
import { readStatus } from '../../support/read-status.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** Five seconds of a storm of 10,000 events a second. */
const EVENTS = 50_000;
const A_TIME = 10_000;

/** An engine whose one container restarts as fast as events can be sent. */
async function startStormyEngine() {
  let isRunning = true;
  const inspections: number[] = [];
  const sockets = new Set<Socket>();
  let mostSockets = 0;
  let sent = 0;
  let send: (text: string) => Promise<unknown> = async () => {};
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (url.startsWith('/events')) {
      response.flushHeaders();
      send = async (text) => {
        if (!response.write(text)) await once(response, 'drain');
      };
    } else if (url.includes('/logs')) response.flushHeaders();
    else if (url.includes('/stats')) response.end('{}');
    else {
      inspections.push(sent);
      const State = isRunning
        ? { Status: 'running', StartedAt: '2026-01-01T00:00:00.5Z', FinishedAt: '0001-01-01T00:00:00Z' }
        : { Status: 'exited', ExitCode: 3, StartedAt: '2026-01-01T00:00:00.5Z', FinishedAt: new Date().toISOString() };
      // An engine that has so much to report takes a while to answer.
      setTimeout(() => response.end(JSON.stringify({ Id: 'c1', Name: '/n', State, HostConfig: { Memory: 0 } })), 50);
    }
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    mostSockets = Math.max(mostSockets, sockets.size);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const event = (action: string, number: number) =>
    `${JSON.stringify({
      Type: 'container',
      Action: action,
      // Half of them are of a container that nobody watches.
      Actor: { ID: 'c1', Attributes: { name: number % 2 === 0 ? 'n' : 'other', exitCode: '3', note: 'x'.repeat(300) } },
      timeNano: (1_795_000_000_000 + number) * 1e6,
    })}\n`;
  return {
    port: (server.address() as AddressInfo).port,
    inspections,
    mostSockets: () => mostSockets,
    /**
     * Sends the events as fast as they are read, at most 10,000 a second. The last one says that the container died.
     * Resolves to the seconds that it took.
     */
    storm: async () => {
      const actions = ['kill', 'die', 'start'];
      const begun = performance.now();
      for (let number = 0; number < EVENTS; number += 100) {
        const part = Array.from({ length: 100 }, (_, i) => event(actions[(number + i) % 3] ?? 'start', number + i));
        await send(part.join(''));
        sent = number + 100;
        const aheadMs = sent / (A_TIME / 1_000) - (performance.now() - begun);
        if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      }
      isRunning = false;
      await send(event('die', EVENTS));
      return (performance.now() - begun) / 1_000;
    },
  };
}

it('a storm of 10,000 events a second delays no round, starts few inspections, and what is in the end is known', async () => {
  const [node, engine] = [await startNode(), await startStormyEngine()];
  cleanups.push(node.stop);
  const config = pathOf('subnetd.yaml');
  writeFileSync(
    config,
    `
subnets:
  - name: d
    nodes: [{ name: a, rpc: '${node.url}', container: { name: n } }]
    checks: { rpc: { schedule: every 3s, timeout: 1s }, containers: { schedule: every 1h, timeout: 30s } }
docker: { host: 127.0.0.1, port: ${engine.port} }
`,
  );
  const daemon = await startDaemon(config);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  const metrics = async () => {
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    const read = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
    return {
      ran: read(/^subnetd_round_duration_seconds_count{[^}]*round="rpc"[^}]*} (\d+)$/m),
      late: read(/^subnetd_rounds_late_total{[^}]*round="rpc"[^}]*} (\d+)$/m),
      megabytes: read(/^process_resident_memory_bytes (\S+)$/m) / 1e6,
    };
  };
  const check = async () => {
    const { subnets } = await readStatus(daemon.url);
    return subnets[0]?.targets[0]?.checks.find((one) => one.check === 'container');
  };
  await eventually(async () => expect(await check()).toMatchObject({ verdict: 'pass' }));
  await eventually(async () => expect((await metrics()).ran).toBeGreaterThan(1));
  const before = { ...(await metrics()), inspections: engine.inspections.length };

  const seconds = await engine.storm();
  await eventually(async () =>
    expect(await check()).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(/^n exited at \S+ with code 3 \(an error\); start it/),
    }),
  );
  const after = await metrics();
  expect(after.late).toBe(before.late);
  expect(after.ran).toBeGreaterThan(before.ran);
  // Five runs a second with two inspections each, and some to follow its log.
  expect(engine.inspections.length - before.inspections).toBeLessThan(50 + 20 * seconds);
  expect(engine.mostSockets()).toBeLessThan(20);
  expect(after.megabytes - before.megabytes).toBeLessThan(60);
}, 120_000);
