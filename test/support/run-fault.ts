import type { FaultName } from '../../src/demo/faults.ts';
import type { ShownAlert } from './alertmanager.ts';
import { eventually } from './cli.ts';
import { type FaultAlerts, FROM_START } from './fault-alerts.ts';
import { readStatus } from './read-status.ts';
import type { Stack, Watched } from './start-stack.ts';
import type { Message } from './webhook.ts';

/** What came of a fault between its beginning and the return of calm. */
export interface FaultRun {
  readonly fault: FaultName;
  /** Seconds from the fault to the moment at which a problem was first open, by problem, as `node_down subnet2`. */
  readonly openAfter: Readonly<Record<string, number>>;
  /** All notifications about its subnet, in order. */
  readonly messages: readonly Message[];
  /** Seconds from the fault to the first notification that an alert fires, by alert. */
  readonly toldAfter: Readonly<Record<string, number>>;
  /** Alerts that Alertmanager inhibited and never sent. */
  readonly inhibited: readonly string[];
  /** What of this had not come, or had not ended, when the time was over. */
  readonly late: readonly string[];
}

/** How long to wait, in milliseconds, by the clock of the shipped configuration. */
export interface Patience {
  /** The minimum duration of the fault. */
  readonly holdMs: number;
  /** How long to wait for all notifications, and for their ends. */
  readonly withinMs: number;
}

/** The time between two checks for something new. */
const LOOK_MS = 500;

/** `SubnetNodeDown subnet2`. */
export const nameOf = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): string =>
  [labels.alertname, labels.name].filter(Boolean).join(' ');

const alertsOf = async (stack: Stack, subnet: string): Promise<readonly ShownAlert[]> =>
  (await stack.alerts()).filter(({ labels }) => labels.subnet === subnet);

/** The problems that are confirmed now. */
const openProblems = async (watched: Watched): Promise<readonly string[]> =>
  (await readStatus(watched.url)).subnets.flatMap(({ problems }) =>
    problems
      .filter(({ state }) => state !== 'suspected')
      .map(({ problem, name }) => [problem, name].filter(Boolean).join(' ')),
  );

/** Waits until every check of a subnet that can be judged passes, and no alert of it is there. */
export const waitForCalm = (stack: Stack, watched: Watched, withinMs: number): Promise<void> =>
  eventually(
    async () => {
      const { name } = watched;
      const { subnets } = await readStatus(watched.url);
      const checks = subnets.flatMap(({ targets }) => targets.flatMap((target) => target.checks));
      const bad = checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
      if (checks.length === 0 || bad.length > 0) throw new Error(`${name} is unhealthy: ${JSON.stringify(bad)}`);
      const alerts = await alertsOf(stack, name);
      if (alerts.length > 0) throw new Error(`still there of ${name}: ${alerts.map(nameOf).join(', ')}`);
    },
    withinMs,
    LOOK_MS,
  );

/** Waits until Prometheus has known all subnets for as long as rules look back, as it does when something breaks. */
export const waitForHistory = ({ prometheus, subnets, faster }: Stack): Promise<void> =>
  eventually(
    async () => {
      const seconds = (2 * 60) / faster;
      const known = (await prometheus.query(`up{job="subnetd"} offset ${seconds}s == 1`)).length;
      if (known < subnets.length) throw new Error(`${known} of ${subnets.length} were scraped ${seconds} s ago`);
    },
    10 * 60_000,
    LOOK_MS,
  );

/** Alerts that were notified and have not ended. */
function openOf(messages: readonly Message[]): readonly string[] {
  const open = new Set<string>();
  for (const { alerts } of messages)
    for (const alert of alerts)
      if (alert.status === 'firing') open.add(nameOf(alert));
      else open.delete(nameOf(alert));
  return [...open];
}

/**
 * Breaks one thing in a healthy subnet and waits for all expected notifications and inhibitions. Then repairs it and
 * waits for the ends.
 */
export async function runFault(
  stack: Stack,
  watched: Watched,
  fault: FaultName,
  expected: FaultAlerts,
  { holdMs, withinMs }: Patience,
): Promise<FaultRun> {
  const { webhook, faster } = stack;
  const held = new Set<string>();
  const openAfter: Record<string, number> = {};
  const toldAfter: Record<string, number> = {};
  const begun = webhook.now();
  const messages = () =>
    webhook.messages.filter(({ at, groupLabels }) => at >= begun && groupLabels.subnet === watched.name);
  const told = () => {
    for (const { at, alerts } of messages())
      for (const alert of alerts) if (alert.status === 'firing') toldAfter[nameOf(alert)] ??= (at - begun) / 1000;
    return toldAfter;
  };

  /** Polls until nothing is left or the time is over; resolves to what is left. */
  const until = async (left: (alerts: readonly ShownAlert[]) => readonly string[], atLeastMs: number) => {
    const from = performance.now();
    for (;;) {
      const alerts = await alertsOf(stack, watched.name);
      for (const alert of alerts) if (alert.status.state === 'suppressed') held.add(nameOf(alert));
      const seconds = (webhook.now() - begun) / 1000;
      for (const problem of await openProblems(watched)) openAfter[problem] ??= seconds;
      const rest = left(alerts);
      const passed = (performance.now() - from) * faster;
      if ((rest.length === 0 && passed >= atLeastMs) || passed > withinMs) return rest;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };

  const happen = () => watched.simulation.setFaults([fault]);
  await (FROM_START.includes(fault) ? watched.restart(happen) : happen());
  const { problems, pages, tickets } = expected;
  const missing = await until(
    () => [
      ...[...pages, ...tickets].filter((name) => told()[name] === undefined),
      ...problems.filter((name) => openAfter[name] === undefined),
    ],
    holdMs,
  );
  await watched.simulation.setFaults([]);
  const lasting = await until((alerts) => [...alerts.map(nameOf), ...openOf(messages())], 0);
  return {
    fault,
    openAfter,
    messages: messages(),
    toldAfter: told(),
    inhibited: [...held].filter((name) => told()[name] === undefined).sort(),
    late: [
      ...missing.map((name) => `${name} did not come`),
      ...[...new Set(lasting)].map((name) => `${name} did not end`),
    ],
  };
}
