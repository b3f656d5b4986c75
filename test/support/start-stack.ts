import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { type Alertmanager, startAlertmanager } from './alertmanager.ts';
import { startDaemon, temporaryFolder } from './cli.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { shortenAlertmanager, shortenPrometheus, shortenRules } from './shorten.ts';
import { startWebhook, type Webhook } from './webhook.ts';

/** A simulated subnet and everything between it and people, with shipped configuration and shorter times. */
export interface Stack {
  readonly simulation: Simulation;
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  readonly webhook: Webhook;
  /** The daemon's page. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The times of the checks, shorter by about as much as those of the rules; blocks still come every two seconds. */
const CHECKS = {
  rpc: { schedule: 'every 1s', stallAfter: '5s' },
  services: { schedule: 'every 1s' },
  logs: {
    schedule: 'every 1s',
    bootnodeWindow: '30s',
    submissionsWithin: '30s',
    blockDataWithin: '20s',
    errorWindow: '25s',
  },
};

/** Starts all of it; what was started is stopped again when a part does not come up. */
export async function startStack(): Promise<Stack> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    const folder = temporaryFolder();
    stops.push(folder.remove);
    const simulation = await startSimulation({ nodes: 4, faults: [], checks: CHECKS });
    stops.push(simulation.stop);
    writeFileSync(folder.path('subnetd.yaml'), simulation.inventory());
    const daemon = await startDaemon(folder.path('subnetd.yaml'));
    stops.push(async () => {
      daemon.child.kill('SIGTERM');
      await daemon.finished;
    });
    const webhook = await startWebhook();
    stops.push(webhook.stop);
    const alertmanager = await startAlertmanager(shortenAlertmanager(webhook.url));
    stops.push(alertmanager.stop);

    const shipped = fileURLToPath(new URL('../../config/prometheus/rules/', import.meta.url));
    mkdirSync(folder.path('rules'));
    for (const file of readdirSync(shipped))
      writeFileSync(join(folder.path('rules'), file), shortenRules(readFileSync(join(shipped, file), 'utf8')));
    const host = (url: string) => new URL(url).host;
    const prometheus = await startPrometheus(
      shortenPrometheus(host(daemon.url), host(alertmanager.url), `${folder.path('rules')}/*.yml`),
    );
    stops.push(prometheus.stop);
    return { simulation, prometheus, alertmanager, webhook, url: daemon.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
