import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Status } from '../../src/web/to-status.ts';
import { startAlertReceiver } from '../support/alert-receiver.ts';
import { eventually, startDaemon } from '../support/cli.ts';
import { startFlappingNodes } from '../support/flapping-nodes.ts';
import type { Resources } from '../support/report-resources.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const MINUTES = Number(process.env.SUBNETD_SOAK_MINUTES ?? 60);
const NODES = 200;
const SUBNETS = 4;
const LOGS = 20;

const { cleanups, pathOf } = useCleanups();

/** What the daemon uses at one moment. */
interface Sample extends Resources {
  readonly resident: number;
  readonly descriptors: number;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The inventory; every other time one node more stands in it. */
function inventory(urls: readonly string[], alertmanager: string, logs: readonly string[], withOneMore: boolean) {
  const perSubnet = NODES / SUBNETS;
  const subnets = Array.from({ length: SUBNETS }, (_, subnet) => ({
    name: `subnet${subnet}`,
    nodes: urls.slice(subnet * perSubnet, (subnet + 1) * perSubnet).map((rpc, node) => ({
      name: `node${node}`,
      rpc,
      expectedPeers: 3,
      ...(subnet === 0 && node < LOGS && { logFiles: [logs[node]] }),
    })),
    checks: { rpc: { schedule: 'every 5s', timeout: '2s', stallAfter: '10s' } },
  }));
  if (withOneMore) subnets[0]?.nodes.push({ name: 'one-more', rpc: `${urls[0]}/again`, expectedPeers: 3 });
  return stringify({ subnets, alertmanager: { urls: [alertmanager] } });
}

it(
  `${MINUTES} minutes of ${NODES} flapping nodes, a reload a minute and a scrape each 5 s leave memory, descriptors and timers as they were`,
  async () => {
    const nodes = await startFlappingNodes(NODES, 3);
    const alertmanager = await startAlertReceiver();
    const logs = Array.from({ length: LOGS }, (_, index) => pathOf(`node${index}.log`));
    for (const log of logs) writeFileSync(log, '');
    const config = pathOf('subnetd.yaml');
    const write = (withOneMore: boolean) =>
      writeFileSync(config, inventory(nodes.urls, alertmanager.url, logs, withOneMore));
    write(false);
    const report = pathOf('resources.jsonl');
    writeFileSync(report, '');
    const daemon = await startDaemon(config, {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../support/report-resources.ts', import.meta.url))}`,
      SUBNETD_TEST_RESOURCES: report,
    });
    cleanups.push(nodes.stop, alertmanager.stop, () => daemon.child.kill('SIGKILL'));
    const { pid } = daemon.child;
    if (pid === undefined) throw new Error('the daemon has no process');

    const samples: Sample[] = [];
    const sample = async () => {
      daemon.child.kill('SIGUSR2');
      const text = await eventually(() => {
        const all = readFileSync(report, 'utf8').trimEnd().split('\n').filter(Boolean);
        expect(all.length).toBe(samples.length + 1);
        return all.at(-1) ?? '';
      });
      const [, resident = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      samples.push({ ...(JSON.parse(text) as Resources), resident: Number(resident) * 1024, descriptors });
    };
    const everySecond = (second: number) => {
      for (let count = 0; count < 3; count += 1) nodes.flap();
      for (const log of logs)
        appendFileSync(log, `INFO [01-01|00:00:00.000] Imported new chain segment blockNum=${second}\n`);
      if (second % 60 === 30) for (const log of logs) renameSync(log, `${log}.1`);
      if (second % 60 === 30) for (const log of logs) writeFileSync(log, '');
      if (second % 60 === 0) write(second % 120 === 0);
      if (second % 60 === 15) daemon.child.kill('SIGHUP');
      // For a quarter of the time nobody takes the alerts.
      alertmanager.answer = second % 240 < 60 ? 500 : 200;
    };

    const started = performance.now();
    for (let second = 1; second <= MINUTES * 60; second += 1) {
      const wait = started + second * 1_000 - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      everySecond(second);
      if (second % 5 === 0) expect((await fetch(`${daemon.url}/metrics`)).status).toBe(200);
      if (second % 30 === 20) await sample();
    }

    nodes.heal();
    await eventually(async () => {
      const { subnets } = (await (await fetch(`${daemon.url}/status.json`)).json()) as Status;
      const blocks = subnets.flatMap(({ targets }) =>
        targets.flatMap(({ checks }) => checks.filter(({ check }) => check === 'latest_block')),
      );
      expect(blocks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    }, 60_000);
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    daemon.child.kill('SIGTERM');
    expect((await daemon.finished).code).toBe(0);

    // The first fifth warms up; then the first half is compared with the second.
    const steady = samples.slice(Math.floor(samples.length / 5));
    const halves = [steady.slice(0, steady.length / 2), steady.slice(steady.length / 2)] as const;
    const grown = (value: (one: Sample) => number) => mean(halves[1].map(value)) / mean(halves[0].map(value));
    const growth = {
      heap: grown(({ heap }) => heap),
      external: grown(({ external }) => external),
      resident: grown(({ resident }) => resident),
      descriptors: grown(({ descriptors }) => descriptors),
    };
    const timers = halves.map((half) => mean(half.map((one) => one.timers)));
    process.stdout.write(
      `${JSON.stringify({ growth, timers, first: steady[0], last: steady.at(-1), late: metrics.match(/^subnetd_rounds_late_total.*/gm) }, null, 1)}\n`,
    );
    expect(growth.heap).toBeLessThan(1.05);
    expect(growth.external).toBeLessThan(1.1);
    expect(growth.resident).toBeLessThan(1.05);
    expect(growth.descriptors).toBeLessThan(1.1);
    // A probe that waits has a timer; a leak would have hundreds.
    expect(timers[1]).toBeLessThan((timers[0] ?? 0) + 20);
  },
  (MINUTES + 5) * 60_000,
);
