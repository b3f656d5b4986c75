import type { FaultName } from '../../src/demo/faults.ts';
import type { Status } from '../../src/http/to-status.ts';
import { eventually } from './cli.ts';
import type { FaultAlerts } from './fault-alerts.ts';
import type { Stack } from './start-stack.ts';
import type { Message } from './webhook.ts';

/** What came of a fault between its beginning and the return of calm. */
export interface FaultRun {
  /** All that was told, in order. */
  readonly messages: readonly Message[];
  /** Seconds from the fault to the first message that told an alert, by the alert. */
  readonly toldAfter: Readonly<Record<string, number>>;
  /** Alerts that fired in Prometheus, reached Alertmanager and were not told. */
  readonly silenced: readonly string[];
}

const WITHIN_MS = 240_000;

/** `SubnetNodeDown subnet2`. */
export const nameOf = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): string =>
  [labels.alertname, labels.name].filter(Boolean).join(' ');

/** Every check that can be judged passes, and no alert fires but the watchdog. */
export const waitForCalm = ({ url, alertmanager }: Stack): Promise<void> =>
  eventually(async () => {
    const { subnets } = (await (await fetch(`${url}/status.json`)).json()) as Status;
    const checks = subnets.flatMap(({ targets }) => targets.flatMap((target) => target.checks));
    const bad = checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
    if (checks.length === 0 || bad.length > 0) throw new Error(`not well: ${JSON.stringify(bad)}`);
    const alerts = await alertmanager.alerts();
    if (alerts.length > 0) throw new Error(`still there: ${alerts.map(nameOf).join(', ')}`);
  }, WITHIN_MS);

/** Breaks one thing, waits until all is told and silenced that should be, mends it, and waits until that is told too. */
export async function runFault(stack: Stack, fault: FaultName, expected: FaultAlerts): Promise<FaultRun> {
  const { simulation, alertmanager, webhook } = stack;
  const told = [...(expected.pages ?? []), ...(expected.tickets ?? [])];
  const silenced = new Set<string>();
  await waitForCalm(stack);
  const first = webhook.messages.length;
  const begun = performance.now();
  const atStart = webhook.now();

  const look = async () => {
    const alerts = await alertmanager.alerts();
    for (const alert of alerts) if (alert.status.state === 'suppressed') silenced.add(nameOf(alert));
  };
  const toldAfter: Record<string, number> = {};
  const note = () => {
    for (const { at, alerts } of webhook.messages.slice(first))
      for (const alert of alerts) toldAfter[nameOf(alert)] ??= (at - atStart) / 1000;
  };
  await simulation.setFaults([fault]);
  await eventually(async () => {
    await look();
    note();
    const missing = [
      ...told.filter((name) => toldAfter[name] === undefined),
      ...(expected.silenced ?? []).filter((name) => !silenced.has(name)),
    ];
    if (missing.length > 0)
      throw new Error(`${fault}: after ${Math.round(performance.now() - begun)} ms there was no ${missing.join(', ')}`);
  }, WITHIN_MS);

  await simulation.setFaults([]);
  await eventually(async () => {
    await look();
    const open = new Set<string>();
    for (const { alerts } of webhook.messages.slice(first))
      for (const alert of alerts)
        if (alert.status === 'firing') open.add(nameOf(alert));
        else open.delete(nameOf(alert));
    if (open.size > 0) throw new Error(`${fault}: nobody was told that this is over: ${[...open].join(', ')}`);
  }, WITHIN_MS);
  await waitForCalm(stack);
  note();
  return { messages: webhook.messages.slice(first), toldAfter, silenced: [...silenced].sort() };
}
