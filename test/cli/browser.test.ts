import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Status } from '../../src/web/to-status.ts';
import { findChromium, listDescendants, listProcesses } from '../support/chromium.ts';
import { eventually, startDaemon, temporaryFolder } from '../support/cli.ts';
import { pageWith, servePages } from '../support/pages.ts';

async function start(url: string, browser: string) {
  const folder = temporaryFolder();
  const config = folder.path('subnetd.yaml');
  writeFileSync(
    config,
    `subnets:\n  - name: d\n    nodes: [{ name: n1, rpc: 'http://127.0.0.1:1' }]\n    frontend: { url: '${url}', browser: ${browser} }\n    checks: { console: { schedule: every 1s, timeout: 20s }, services: { schedule: every 1s } }\n`,
  );
  const daemon = await startDaemon(config);
  onTestFinished(() => {
    daemon.child.kill('SIGKILL');
    folder.remove();
  });
  const runs = async () => {
    const page = await (await fetch(`${daemon.url}/metrics`)).text();
    return Number(/^subnet_check_runs_total\{.*check="console"\} (\d+)$/m.exec(page)?.[1]);
  };
  const check = async (name: string) => {
    const { subnets } = (await (await fetch(`${daemon.url}/status.json`)).json()) as Status;
    const target = subnets[0]?.targets.find(({ component }) => component === 'frontend');
    return target?.checks.find((one) => one.check === name);
  };
  return { daemon, runs, check };
}

test('the daemon keeps one browser for all visits, counts what it sees, and ends it with itself', async () => {
  const url = await servePages({ '/': pageWith('', '<script>console.error("x")</script>') });
  const { daemon, runs, check } = await start(url, `{ executablePath: '${findChromium()}' }`);
  const pid = daemon.child.pid ?? 0;
  const browsers = () => listDescendants(pid).filter(({ parent, state }) => parent === pid && state !== 'Z');
  await eventually(async () => expect(await runs()).toBeGreaterThanOrEqual(1), 60_000);
  const [first] = browsers();
  expect(first?.command).toContain('--headless');
  await eventually(async () => expect(await runs()).toBeGreaterThanOrEqual(3), 60_000);
  expect(browsers().map((one) => one.pid)).toEqual([first?.pid]);
  expect(await check('console')).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('1 error') });
  const page = await (await fetch(`${daemon.url}/metrics`)).text();
  const counted = Number(/^subnet_frontend_errors_total\{subnet="d",source="console"\} (\d+)$/m.exec(page)?.[1]);
  expect(counted).toBeGreaterThanOrEqual(3);

  const all = listDescendants(pid).map((one) => one.pid);
  expect(all.length).toBeGreaterThan(1);
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
  // What has ended may still be listed as a zombie where process 1 does not reap.
  await eventually(() =>
    expect(listProcesses().filter((one) => all.includes(one.pid) && one.state !== 'Z')).toEqual([]),
  );
}, 150_000);

test('a CDP address that hangs makes the check unknown, and holds up neither the other checks nor the end', async () => {
  const hanging = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void hanging.close());
  const url = await servePages({ '/': pageWith('') });
  const cdpUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const { daemon, check } = await start(url, `{ cdpUrl: '${cdpUrl}' }`);
  await eventually(async () => expect(await check('http')).toMatchObject({ verdict: 'pass' }));
  await eventually(
    async () =>
      expect(await check('console')).toMatchObject({
        verdict: 'unknown',
        reason: expect.stringContaining('the browser did not answer in time'),
      }),
    60_000,
  );
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
}, 120_000);
