import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultAlerts, faultAlerts } from '../support/fault-alerts.ts';
import { nameOf, runFault, waitForCalm } from '../support/run-fault.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** From a fault to the message that somebody gets, all parts real but the subnet. */
describe('Prometheus and Alertmanager with what is shipped', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  }, 120_000);
  afterAll(() => stack?.stop());

  it('have nothing to tell of a healthy subnet', async () => {
    await waitForCalm(stack);
    const firing = await stack.prometheus.query('ALERTS{alertstate="firing"}');
    expect(firing.map(({ labels }) => labels.alertname)).toEqual(['SubnetdWatchdog']);
    expect(stack.webhook.messages).toEqual([]);
  }, 300_000);

  it.each(['node-down', 'subnet-halted', 'service-down', 'node-behind'] as const)(
    'tell %s once to each who is concerned, silence what follows from it, and tell its end',
    async (fault) => {
      const expected: FaultAlerts = faultAlerts[fault];
      const { messages, silenced } = await runFault(stack, fault, expected);

      const told = messages.map(({ status, receiver, alerts }) => [status, receiver, ...alerts.map(nameOf).sort()]);
      const { pages = [], tickets = [] } = expected;
      const groups = [
        ...(pages.length > 0 ? [['page', ...pages]] : []),
        ...(tickets.length > 0 ? [['ticket', ...tickets]] : []),
      ];
      const toldAs = (status: string) => told.filter(([as]) => as === status).map(([, ...group]) => group);
      expect(toldAs('firing').toSorted()).toEqual(groups.toSorted());
      expect(toldAs('resolved').toSorted()).toEqual(groups.toSorted());
      expect(silenced).toEqual([...(expected.silenced ?? [])].sort());

      for (const { groupLabels, alerts } of messages) {
        expect(groupLabels).toEqual({ subnet: 'demo' });
        for (const { labels, annotations } of alerts) {
          expect(Object.keys(labels)).toEqual(expect.arrayContaining(['alertname', 'severity', 'subnet']));
          expect(`${annotations.summary} ${annotations.description}`).toContain('demo');
          expect(annotations.description).not.toMatch(/[{}]|no value/);
          expect(annotations.runbook_url).toBe(`http://127.0.0.1:10545/alerts/${labels.alertname}`);
          expect(annotations.dashboard_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/d\/subnetd-\w+\?var-subnet=demo/);
        }
      }
    },
    600_000,
  );
});
