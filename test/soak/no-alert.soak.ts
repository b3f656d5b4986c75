import { afterEach, expect, it } from 'vitest';
import { findChromium } from '../../src/demo/find-chromium.ts';
import { waitForCalm } from '../support/run-fault.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MINUTES = 30;

let stack: Stack | undefined;
afterEach(() => stack?.stop());

it(
  `in ${MINUTES} minutes of a healthy demo only the watchdog fires, and no alert is pending for longer than an evaluation`,
  async () => {
    stack = await startStack([{ name: 'healthy', browser: findChromium(process.env.PATH ?? '') }], 1);
    const { prometheus, webhook, subnets } = stack;
    const [watched] = subnets;
    if (watched === undefined) throw new Error('no subnet was started');
    await waitForCalm(stack, watched, 120_000);

    const until = webhook.now() + MINUTES * 60_000;
    while (webhook.now() < until) {
      expect(await prometheus.query('ALERTS{alertstate="firing", alertname!="SubnetdWatchdog"}')).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    }

    const counts = await prometheus.query('count_over_time(ALERTS[1h])');
    const told = counts.map(({ labels: { alertname, alertstate }, value }) => ({ alertname, alertstate, value }));
    const [watchdog, ...others] = told.toSorted((one) => (one.alertname === 'SubnetdWatchdog' ? -1 : 1));
    expect(watchdog).toMatchObject({ alertname: 'SubnetdWatchdog', alertstate: 'firing' });
    expect(watchdog?.value).toBeGreaterThan(MINUTES * 5);
    expect(others.filter(({ alertstate, value }) => alertstate === 'firing' || value > 1)).toEqual([]);
    expect(await prometheus.value('count_over_time(up{job="subnetd"}[1h])')).toBeGreaterThan(MINUTES * 5);
    expect(webhook.messages).toEqual([]);
  },
  (MINUTES + 10) * 60_000,
);
