import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Status } from '../../src/web/to-status.ts';
import { startAlertReceiver } from '../support/alert-receiver.ts';
import { eventually, startDaemon } from '../support/cli.ts';
import { blockResult, healthy, startNode } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** Longer than all limits of the inventory below together. */
const SUSPENDED_MS = 13_000;

/** A node that makes five blocks a second by JSON-RPC and in its log, whoever watches it. */
async function startBusyNode(logFile: string) {
  const started = performance.now();
  const height = () => 1_000 + Math.floor((performance.now() - started) / 200);
  writeFileSync(logFile, '');
  const timer = setInterval(
    () => appendFileSync(logFile, `[yourturn] Masternode: index 0 address 0xA parentBlockNum ${height()}\n`),
    200,
  );
  cleanups.push(() => clearInterval(timer));
  const node = await startNode({ ...healthy, XDPoS_getV2BlockByNumber: () => blockResult(height()) });
  cleanups.push(node.stop);
  return node;
}

it('judges nothing on the time in which it was suspended', { timeout: 90_000 }, async () => {
  const receiver = await startAlertReceiver();
  cleanups.push(receiver.stop);
  const nodes = await Promise.all(['a', 'b'].map((name) => startBusyNode(pathOf(`${name}.log`))));
  const config = pathOf('subnetd.yaml');
  writeFileSync(
    config,
    `
subnets:
  - name: devnet
    nodes:
${nodes.map(({ url }, i) => `      - { name: ${'ab'[i]}, rpc: '${url}', expectedPeers: 3, logFiles: ['${pathOf(`${'ab'[i]}.log`)}'] }`).join('\n')}
    checks:
      rpc: { schedule: every 2s, timeout: 1900ms, stallAfter: 10s }
      logs: { schedule: every 1s }
alertmanager: { urls: ['${receiver.url}'] }
`,
  );
  const daemon = await startDaemon(config);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  const read = async (path: string) => (await fetch(`${daemon.url}${path}`)).text();
  const readChecks = async () => {
    const { subnets } = JSON.parse(await read('/status.json')) as Status;
    return subnets.flatMap(({ targets }) => targets.flatMap(({ checks }) => checks));
  };
  const verdicts = async () => (await readChecks()).map(({ verdict }) => verdict);
  await eventually(async () => expect(await verdicts()).toEqual(Array(6).fill('pass')));
  const failures = async () => {
    const page = await read('/metrics');
    return [...page.matchAll(/^(subnet_check_failures_total\S+|subnetd_rounds_late_total\S+) (\d+)$/gm)].map(
      ([, series, count]) => `${series} ${count}`,
    );
  };
  const before = { failures: await failures(), checks: await readChecks() };

  daemon.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, SUSPENDED_MS));
  const resumed = Date.now();
  daemon.child.kill('SIGCONT');
  expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
  await eventually(async () => {
    for (const { lastRun } of await readChecks()) expect(Date.parse(lastRun ?? '')).toBeGreaterThan(resumed + 2_000);
  });
  expect(await verdicts()).toEqual(Array(6).fill('pass'));
  expect(await failures()).toEqual(before.failures);
  expect((await readChecks()).map(({ since }) => since)).toEqual(before.checks.map(({ since }) => since));
  const pushed = receiver.received.flatMap(({ alerts }) => alerts.map(({ labels }) => labels.alertname));
  expect(new Set(pushed)).toEqual(new Set(['SubnetdWatchdog']));
});
