import { afterEach, expect, it } from 'vitest';
import { findChromium } from '../../src/demo/find-chromium.ts';
import { eventually } from '../support/cli.ts';
import { waitForCalm } from '../support/run-fault.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MINUTES = 30;

let stack: Stack | undefined;
afterEach(() => stack?.stop());

it(
  `no alert fires or is pending for longer than an evaluation in ${MINUTES} minutes of a healthy demo, but the one that always does`,
  async () => {
    stack = await startStack([{ name: 'healthy', browser: findChromium(process.env.PATH ?? '') }], 1);
    const { prometheus, webhook, subnets } = stack;
    const [watched] = subnets;
    if (watched === undefined) throw new Error('no subnet was started');
    await waitForCalm(stack, watched, 120_000);

    // Once the first scrape is so old, everything since has been evaluated in between.
    await eventually(
      async () => {
        const age = await prometheus.value('time() - min_over_time(timestamp(up{job="subnetd"})[1h:10s])');
        expect(age).toBeGreaterThan(MINUTES * 60);
      },
      (MINUTES + 5) * 60_000,
    );

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
