import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultName } from '../../../src/demo/faults.ts';
import { faultAlerts } from '../../support/fault-alerts.ts';
import { judgeRun } from '../../support/judge-run.ts';
import { runFault, waitForCalm, waitForHistory } from '../../support/run-fault.ts';
import { type Stack, startStack } from '../../support/start-stack.ts';

/** A page for a node, one for the whole subnet, and a ticket; `npm run matrix` runs every fault, and in full time. */
const FAULTS = ['node-down', 'subnet-halted', 'service-down'] as const satisfies readonly FaultName[];

/** By the clock of the shipped configuration. */
const PATIENCE = { holdMs: 0, withinMs: 30 * 60_000 };

/** From a fault to the message that somebody gets: all parts real but the subnets, as shipped but with times twelve times shorter. */
describe('Prometheus and Alertmanager', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack(
      FAULTS.map((name) => ({ name })),
      12,
    );
  }, 180_000);
  afterAll(() => stack?.stop());

  it('send nothing about healthy subnets', async () => {
    await Promise.all(stack.subnets.map((watched) => waitForCalm(stack, watched, 120_000)));
    await waitForHistory(stack);
    const firing = await stack.prometheus.query('ALERTS{alertstate="firing"}');
    expect(firing.map(({ labels }) => labels.alertname)).toEqual(['SubnetdWatchdog']);
    expect(stack.webhook.messages).toEqual([]);
  }, 150_000);

  it('notify each receiver once of a fault, inhibit its consequences, and notify its end', async () => {
    const problems = await Promise.all(
      stack.subnets.map(async (watched, index) => {
        const fault = FAULTS[index] ?? 'node-down';
        expect(watched.name).toBe(fault);
        return judgeRun(await runFault(stack, watched, fault, faultAlerts[fault], PATIENCE), faultAlerts[fault]);
      }),
    );
    expect(problems.flat()).toEqual([]);
    const subnets = stack.webhook.messages.map(({ groupLabels }) => groupLabels.subnet);
    expect(new Set(subnets)).toEqual(new Set(FAULTS));
  }, 600_000);
});
