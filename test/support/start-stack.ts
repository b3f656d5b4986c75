import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { type Alertmanager, type ShownAlert, startAlertmanager } from './alertmanager.ts';
import { startDaemon, temporaryFolder } from './cli.ts';
import { until } from './engine.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { shortenAlertmanager, shortenPrometheus, shortenRules } from './shorten.ts';
import { startWebhook, type Webhook } from './webhook.ts';

/** A simulated subnet, and the subnetd that watches it alone. */
export interface Watched {
  readonly name: string;
  readonly simulation: Simulation;
  /** The daemon's page. */
  readonly url: string;
  /** Starts the daemon again once this has happened without it. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

/** Simulated subnets and everything between them and people, as shipped. */
export interface Stack {
  readonly subnets: readonly Watched[];
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  /** What Alertmanager shows, but not the watchdog. Those who ask at once share an answer, as it gives few at a time. */
  alerts(): Promise<readonly ShownAlert[]>;
  readonly webhook: Webhook;
  /** So many times are its times shorter than the shipped ones. */
  readonly faster: number;
  stop(): Promise<void>;
}

/** A subnet to simulate, and the Chromium that visits its frontend, if one does. */
export interface SubnetPlan {
  readonly name: string;
  readonly browser?: string | undefined;
}

/** The times of the checks where those of the rules are shorter; blocks still come every two seconds. */
const FAST_CHECKS = {
  rpc: { schedule: 'every 2s', stallAfter: '10s' },
  containers: { schedule: 'every 2s' },
  services: { schedule: 'every 3s' },
  logs: {
    schedule: 'every 2s',
    bootnodeWindow: '30s',
    submissionsWithin: '25s',
    blockDataWithin: '10s',
    errorWindow: '30s',
  },
};

/** A simulation's inventory with another name for its subnet. */
function rename(inventory: string, name: string): string {
  const { subnets, ...rest } = parse(inventory) as { readonly subnets: readonly object[] };
  return stringify({ ...rest, subnets: subnets.map((subnet) => ({ ...subnet, name })) });
}

/** A clock of one process, which a file sets by seconds while it runs; its monotonic clock goes on. */
function fakeClock(file: string) {
  const set = (seconds: number) => writeFileSync(file, `+${seconds}`);
  set(0);
  const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_NO_CACHE: '1',
  };
  return { env, set };
}

const share = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
};

/** Starts all of it, four nodes in each subnet; what was started is stopped again when a part does not come up. */
export async function startStack(plans: readonly SubnetPlan[], faster: number): Promise<Stack> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  const folder = temporaryFolder();
  stops.push(folder.remove);
  const ends: (() => Promise<void>)[] = [];
  stops.push(() => Promise.all(ends.map((end) => end())));

  const watch = async ({ name, browser }: SubnetPlan): Promise<Watched> => {
    const checks = faster === 1 ? {} : { checks: FAST_CHECKS, roundTimeoutMs: 1_000 };
    const simulation = await startSimulation({ nodes: 4, faults: [], ...checks, ...(browser && { browser }) });
    ends.push(simulation.stop);
    mkdirSync(folder.path(name));
    const config = folder.path(`${name}/subnetd.yaml`);
    writeFileSync(config, rename(simulation.inventory(), name));
    const clock = name === 'clock-step' ? fakeClock(folder.path(`${name}/clock`)) : undefined;
    let daemon = await startDaemon(config, clock?.env);
    const end = async () => {
      daemon.child.kill('SIGTERM');
      await daemon.finished;
    };
    ends.push(end);
    const { url } = daemon;
    const restart = async (meanwhile: () => Promise<void>) => {
      await end();
      await meanwhile();
      daemon = await startDaemon(config, clock?.env, [], new URL(url).host);
    };
    const setFaults: Simulation['setFaults'] = async (faults) => {
      await simulation.setFaults(faults);
      clock?.set(faults.includes('clock-step') ? 120 : 0);
    };
    return { name, simulation: { ...simulation, setFaults }, url, restart };
  };

  try {
    const subnets: Watched[] = [];
    for (const plan of plans) subnets.push(await watch(plan));
    const webhook = await startWebhook();
    stops.push(webhook.stop);
    const alertmanager = await startAlertmanager(shortenAlertmanager(webhook.url, faster));
    stops.push(alertmanager.stop);

    const shipped = fileURLToPath(new URL('../../config/prometheus/rules/', import.meta.url));
    mkdirSync(folder.path('rules'));
    for (const file of readdirSync(shipped))
      writeFileSync(folder.path(`rules/${file}`), shortenRules(readFileSync(join(shipped, file), 'utf8'), faster));
    const host = (url: string) => new URL(url).host;
    const addresses = {
      subnetd: subnets.map(({ url }) => host(url)),
      alertmanager: host(alertmanager.url),
      rules: folder.path('rules/*.yml'),
    };
    // A busy machine may scrape late, and subnetd would be told as down before it was ever looked at.
    await alertmanager.halt();
    const prometheus = await startPrometheus(shortenPrometheus(addresses, faster));
    stops.push(prometheus.stop);
    const isScraped = async () => {
      const scraped = await prometheus.query('up == 1 unless on() ALERTS{alertname="SubnetdDown"}');
      return scraped.length === subnets.length;
    };
    await until(isScraped, 'a scrape of each subnetd', 60_000);
    await alertmanager.start();
    return { subnets, prometheus, alertmanager, alerts: share(alertmanager.alerts), webhook, faster, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
