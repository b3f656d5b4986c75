import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { eventually, startDaemon } from '../../support/cli.ts';
import { readStatus } from '../../support/read-status.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const State = { Status: 'running', StartedAt: '2026-01-01T00:00:00.5Z', FinishedAt: '0001-01-01T00:00:00Z' };

/** An engine of which some requests never end: `silent` says which get no answer, `trickling` which get one byte after the other. */
async function startEndlessEngine(silent: RegExp, trickling: RegExp) {
  const open = new Map<ServerResponse, string>();
  const sockets = new Set<Socket>();
  const counts = { endless: 0, atOnce: 0 };
  const server = createServer(({ url = '' }, response) => {
    const isTrickling = trickling.test(url);
    if (silent.test(url) || isTrickling) {
      counts.endless += 1;
      open.set(response, url);
      counts.atOnce = Math.max(counts.atOnce, open.size);
      const timer = setInterval(() => isTrickling && response.write(' '), 100);
      response.on('close', () => {
        clearInterval(timer);
        open.delete(response);
      });
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    if (/^\/events|\/logs/.test(url)) response.flushHeaders();
    else if (url.includes('/stats')) response.end('{}');
    else {
      const name = /containers\/(\w+)\//.exec(url)?.[1];
      const config = { Memory: 0, LogConfig: { Type: 'json-file' } };
      response.end(JSON.stringify({ Id: `id${name}`, Name: `/${name}`, State, HostConfig: config }));
    }
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, counts, open };
}

it('a request to Docker that never ends is closed in time and reported, and delays no other container', async () => {
  const engine = await startEndlessEngine(
    /\/containers\/(mute\/json|idopenless\/logs|idquiet\/logs\?follow)/,
    /\/containers\/slow\/json/,
  );
  const config = pathOf('subnetd.yaml');
  const names = ['good', 'mute', 'slow', 'openless', 'quiet'];
  writeFileSync(
    config,
    `
subnets:
  - name: d
    nodes:
${names.map((name) => `      - { name: n-${name}, container: { name: ${name} } }\n`).join('')}
    checks: { containers: { schedule: every 1s, timeout: 900ms } }
docker: { host: 127.0.0.1, port: ${engine.port} }
`,
  );
  const daemon = await startDaemon(config);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  const read = async () => {
    const { subnets } = await readStatus(daemon.url);
    return (subnets[0]?.targets ?? []).map(({ name, checks }) => {
      const of = (check: string) => checks.find((one) => one.check === check);
      return { name, container: of('container'), log: of('log_block') };
    });
  };
  const hanging = `Docker at tcp://127.0.0.1:${engine.port} answers, but not about this container in time; wait a moment, as its machine may be busy; if \`docker inspect\` of it hangs too, restart Docker, which ends all containers unless live-restore is set`;
  await eventually(async () =>
    expect((await read()).map(({ name, container }) => [name, container?.verdict, container?.reason])).toEqual([
      ['n-good', 'pass', expect.stringMatching(/^good has been running for/)],
      ['n-mute', 'unknown', hanging],
      ['n-slow', 'unknown', hanging],
      ['n-openless', 'pass', expect.stringMatching(/^openless has been running for/)],
      ['n-quiet', 'pass', expect.stringMatching(/^quiet has been running for/)],
    ]),
  );
  const before = Date.parse((await read())[0]?.container?.lastRun ?? '');
  await eventually(async () =>
    expect((await read())[3]?.log?.reason).toBe(
      'the log of n-openless cannot be read: Docker refuses it, or breaks off while it is read; wait while subnetd tries again; if it stays so, let the socket proxy pass GET of /containers/ID/logs, and see that the log driver of the container keeps lines',
    ),
  );
  // Podman sends no header before there is a line: what can be read and prints nothing is silent.
  await eventually(async () =>
    expect((await read())[4]?.log?.reason).toMatch(
      /^the log of n-quiet has shown neither a block nor the log level for /,
    ),
  );
  await eventually(() => expect(engine.counts.endless).toBeGreaterThan(40));
  // For each container one of its round, one of its log, and those of the examination of its setup.
  expect(engine.counts.atOnce).toBeLessThan(14);
  expect(Date.parse((await read())[0]?.container?.lastRun ?? '')).toBeGreaterThan(before + 5_000);
  expect(await (await fetch(`${daemon.url}/metrics`)).text()).toContain('subnetd_docker_up{engine="default"} 1');
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
  await eventually(() => expect(engine.open.size).toBe(0));
}, 120_000);
