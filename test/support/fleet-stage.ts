import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatShard, type Shard } from '../../src/model/shard.ts';
import { type AlertReceiver, startAlertReceiver } from './alert-receiver.ts';
import { type Alertmanager, type ShownAlert, startAlertmanager } from './alertmanager.ts';
import { startDaemon, temporaryFolder } from './cli.ts';
import { type FleetSubnets, startFleetSubnets } from './fleet-subnets.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';
import { type Postgres, usePostgres } from './postgres.ts';
import { readStatus } from './read-status.ts';
import { startWebhook, type Webhook } from './webhook.ts';

/** A daemon of a fleet. */
export type FleetDaemon = Awaited<ReturnType<typeof startDaemon>>;

/** What a test of a whole fleet needs: subnets, one database, an Alertmanager that notifies at once, a channel, and daemons. */
export interface FleetStage {
  readonly subnets: FleetSubnets;
  readonly alertmanager: Alertmanager;
  /** What is sent to an Alertmanager, each request. */
  readonly sent: AlertReceiver;
  /** What Alertmanager notified of. */
  readonly webhook: Webhook;
  /** What the daemons sent through their channel. */
  readonly channel: HookReceiver;
  /** The daemons that run, by the name of the instance. */
  readonly daemons: ReadonlyMap<string, FleetDaemon>;
  /** Writes these subnets into the inventory of all daemons, or into one for an instance alone. */
  writeInventory(names: readonly string[], instance?: string): void;
  /**
   * Starts an instance. Its links lead to `http://INSTANCE.test`, so that an alert shows who has sent it. One whose inventory was
   * written reads that, and is `from` where nodes may behave otherwise.
   */
  start(instance: string, shard: Shard): Promise<FleetDaemon>;
  /** Ends an instance, by SIGTERM when nothing else is said. */
  end(instance: string, signal?: NodeJS.Signals): Promise<void>;
  /** Asks a page of an instance that runs. */
  ask(instance: string, path: string): Promise<Response>;
  /** The subnets that an instance watches, by their names. */
  watchedBy(instance: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts all but the daemons; the subnets are healthy, and in the inventory. The stage ends the PostgreSQL, which is one of its own if given. */
export async function startFleetStage(count: number, own?: Postgres): Promise<FleetStage> {
  const folder = temporaryFolder();
  const shared = folder.path('subnetd.yaml');
  const configs = new Map<string, string>();
  const daemons = new Map<string, FleetDaemon>();
  const [postgres, subnets, webhook, channel, sent] = await Promise.all([
    own ?? usePostgres(),
    startFleetSubnets(count),
    startWebhook(),
    startHookReceiver(),
    startAlertReceiver(),
  ]);
  const [database, alertmanager] = await Promise.all([
    postgres.createDatabase(),
    startAlertmanager(`
route: { receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 24h }
receivers: [{ name: hook, webhook_configs: [{ url: '${webhook.url}', send_resolved: true }] }]
`),
  ]);
  const writeInventory = (names: readonly string[], instance?: string) => {
    if (instance !== undefined) configs.set(instance, folder.path(`${instance}.yaml`));
    const config = configs.get(instance ?? '') ?? shared;
    writeFileSync(config, subnets.inventory(names, [alertmanager.url, sent.url], channel.url, instance));
  };
  writeInventory(subnets.names);
  const ask = async (instance: string, path: string) => await fetch(`${daemons.get(instance)?.url}${path}`);
  return {
    ...{ subnets, alertmanager, sent, webhook, channel, daemons, writeInventory, ask },
    start: async (instance, shard) => {
      const daemon = await startDaemon(configs.get(instance) ?? shared, {
        SUBNETD_DATABASE_URL: database,
        SUBNETD_SHARD: formatShard(shard),
        SUBNETD_INSTANCE: instance,
        SUBNETD_PUBLIC_URL: `http://${instance}.test`,
      });
      daemons.set(instance, daemon);
      return daemon;
    },
    end: async (instance, signal = 'SIGTERM') => {
      const daemon = daemons.get(instance);
      daemons.delete(instance);
      daemon?.child.kill(signal);
      await daemon?.finished;
    },
    watchedBy: async (instance) => {
      const daemon = daemons.get(instance);
      if (daemon === undefined) throw new Error(`${instance} does not run`);
      return (await readStatus(daemon.url)).subnets.map(({ name }) => name);
    },
    stop: async () => {
      for (const { child } of daemons.values()) child.kill('SIGKILL');
      await Promise.all([...daemons.values()].map(({ finished }) => finished));
      await Promise.all([alertmanager, sent, webhook, channel, subnets].map((one) => one.stop()));
      await postgres.stop();
      folder.remove();
    },
  };
}

/** An alert about a subnet in two words. */
export const nameAlert = ({ alertname, subnet }: ShownAlert['labels']): string => `${alertname} ${subnet}`;

/** All that was seen of an alert in Alertmanager. */
export interface SeenAlert {
  readonly starts: Set<string>;
  /** What people read. Its times and heights are `#`. */
  readonly texts: Set<string>;
  /** Whether it was missing after it was seen first. */
  isMissing: boolean;
}

/** What was sent of an alert to Alertmanager: by which instances, and what, without the links to each instance. */
export function readSent({ sent }: FleetStage, name: string) {
  const alerts = sent.received.flatMap((one) => one.alerts).filter(({ labels }) => nameAlert(labels) === name);
  return {
    by: new Set(alerts.map(({ generatorURL = '' }) => URL.parse(generatorURL)?.hostname.replace('.test', ''))),
    labels: new Set(alerts.map(({ labels }) => JSON.stringify(labels))),
    texts: new Set(alerts.map(toText)),
  };
}

const toText = ({ annotations: { summary, description } }: Pick<ShownAlert, 'annotations'>): string =>
  `${summary} ${description
    ?.replace(/Seen at [-\d: ]+ UTC:/, 'Seen at #:')
    .replace(/block after \d+ for [\dms ]+;/, 'block after # for #;')
    .replace(/has come by [\d:]+ UTC/, 'has come by #')}`;

/** Looks at Alertmanager four times and at all daemons twice a second, until it is stopped. */
export function observeStage(stage: FleetStage) {
  const alerts = new Map<string, SeenAlert>();
  /** Which instances were seen to watch each subnet. */
  const watchers = new Map<string, Set<string>>();
  const over = new AbortController();
  const lookAtAlerts = async () => {
    const shown = await stage.alertmanager.alerts();
    const current = new Set(shown.map(({ labels }) => nameAlert(labels)));
    for (const [name, seen] of alerts) if (!current.has(name)) seen.isMissing = true;
    for (const one of shown) {
      const name = nameAlert(one.labels);
      const seen = alerts.get(name) ?? { starts: new Set(), texts: new Set(), isMissing: false };
      alerts.set(name, seen);
      seen.starts.add(one.startsAt);
      seen.texts.add(toText(one));
    }
  };
  const lookAtDaemon = async (instance: string) => {
    // One that was just killed does not answer.
    for (const name of await stage.watchedBy(instance).catch(() => []))
      watchers.set(name, (watchers.get(name) ?? new Set()).add(instance));
  };
  const repeat = async (look: () => Promise<unknown>, everyMs: number) => {
    while (!over.signal.aborted) {
      await look();
      await sleep(everyMs, undefined, { signal: over.signal }).catch(() => {});
    }
  };
  // A daemon watches a subnet for seconds at least, and each answer of a daemon costs more than one of Alertmanager.
  const looking = Promise.all([
    repeat(lookAtAlerts, 250),
    repeat(() => Promise.all([...stage.daemons.keys()].map(lookAtDaemon)), 500),
  ]);
  return {
    alerts: alerts as ReadonlyMap<string, SeenAlert>,
    watchers: watchers as ReadonlyMap<string, ReadonlySet<string>>,
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}
