import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort, startAlertmanager } from '../../test/support/alertmanager.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { startPrometheus } from '../../test/support/prometheus.ts';
import { startWebhook } from '../../test/support/webhook.ts';
import { listSubnets, SHARDS, toInventory } from './fleet.ts';
import { createDaemon, startNodes } from './parts.ts';
import { createTruth } from './truth.ts';

/** Each alert is a group of its own, so that every notification is about one fault, and nothing is repeated. */
const toRoute = (url: string) =>
  stringify({
    route: {
      ...{ receiver: 'soak', group_by: ['...'], group_wait: '1s', group_interval: '1s', repeat_interval: '24h' },
      routes: [{ receiver: 'nobody', matchers: ['alertname="SubnetdWatchdog"'] }],
    },
    receivers: [{ name: 'soak', webhook_configs: [{ url, send_resolved: true, max_alerts: 0 }] }, { name: 'nobody' }],
  });

/** All parts of the soak, which run. */
export type Soak = Awaited<ReturnType<typeof startSoak>>;

/** Starts the simulated nodes, PostgreSQL, Alertmanager, Prometheus and the shards, and waits until these are ready. */
export async function startSoak() {
  const subnets = listSubnets();
  const truth = createTruth(subnets, SHARDS);
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-soak-'));
  const webhook = await startWebhook();
  const alertmanager = await startAlertmanager(toRoute(webhook.url));
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const nodes = await startNodes();
  const config = join(folder, 'subnetd.yaml');
  const writeInventory = () => {
    const unlisted = new Set(truth.nodes.flatMap(({ isListed }, index) => (isListed ? [] : [index])));
    writeFileSync(`${config}.next`, toInventory(subnets, unlisted, alertmanager.url));
    renameSync(`${config}.next`, config);
  };
  writeInventory();
  const ports: number[] = [];
  for (let shard = 0; shard < SHARDS; shard += 1) ports.push(await freePort());
  const daemons = ports.map((port, shard) =>
    createDaemon({ shard, port, config, database, log: join(folder, `shard-${shard}.log`) }),
  );
  const prometheus = await startPrometheus(
    stringify({
      global: { scrape_interval: '15s' },
      scrape_configs: [
        { job_name: 'subnetd', static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }] },
      ],
    }),
  );
  // One after another, as each needs a processor for some seconds when it starts.
  for (const daemon of daemons) await daemon.start();
  return {
    ...{
      subnets,
      truth,
      folder,
      webhook,
      alertmanager,
      postgres,
      database,
      nodes,
      daemons,
      prometheus,
      writeInventory,
    },
    /** Ends all parts; the logs stay if they are worth reading. */
    stop: async (keepsLogs: boolean) => {
      await Promise.all(daemons.map((daemon) => daemon.kill('SIGTERM')));
      await prometheus.stop();
      await nodes.stop();
      await alertmanager.stop();
      await postgres.stop();
      await webhook.stop();
      if (!keepsLogs) rmSync(folder, { recursive: true });
    },
  };
}
