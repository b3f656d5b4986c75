import { readFile, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { FaultName } from '../../../src/demo/faults.ts';
import { startSimulation } from '../../../src/demo/start-simulation.ts';
import { startAlertmanager } from '../../support/alertmanager.ts';
import { eventually, startDaemon } from '../../support/cli.ts';
import { startHookReceiver } from '../../support/hook-receiver.ts';
import { readStatus } from '../../support/read-status.ts';
import { printOf } from '../../support/run-command.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

vi.setConfig({ testTimeout: 600_000 });

const { cleanups, pathOf } = useCleanups();

/** Longer than any alert here waits before it fires, on a slow machine. */
const LONG_MS = 240_000;

/** A simulated subnet with a fault, and an inventory of it that names the Alertmanagers, and a webhook. */
async function simulate(fault: FaultName, urls: readonly string[], webhook?: string) {
  const simulation = await startSimulation({ nodes: 4, faults: [fault] });
  cleanups.push(simulation.stop);
  const config = pathOf('subnetd.yaml');
  const notify = webhook === undefined ? [] : [{ name: 'on-call', webhook: { url: webhook } }];
  await writeFile(config, stringify({ ...parse(simulation.inventory()), alertmanager: { urls }, notify }));
  return { simulation, config };
}
async function start(config: string, env: Readonly<Record<string, string>> = {}) {
  const daemon = await startDaemon(config, env);
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  return daemon;
}
const rewrite = async (config: string, text: string) => {
  await writeFile(`${config}.new`, text);
  await rename(`${config}.new`, config);
};

/** Announces work on the stats server; resolves to what ends it. */
async function announceWork(inventory: string) {
  const config = pathOf('announce.yaml');
  await writeFile(config, inventory);
  const SUBNETD_DATABASE_URL = `sqlite:${pathOf('data/subnetd.db')}`;
  const silence = (...words: readonly string[]) =>
    printOf(['silence', ...words, '--config', config], { SUBNETD_DATABASE_URL });
  const work = ['--subnet', 'demo', '--name', 'stats', '--for', '1h', '--why', 'it moves'];
  const id = (await eventually(() => silence(...work))).trim();
  return () => silence('--end', id);
}

it('holds an alert back during planned work, pushes it at its end, and one of its own; after a kill it resolves the second, and the first when it is fixed; a webhook hears the same once', async () => {
  const alertmanager = await startAlertmanager();
  const receiver = await startHookReceiver();
  cleanups.push(alertmanager.stop, receiver.stop);
  const { simulation, config } = await simulate('service-down', [alertmanager.url], receiver.url);
  const good = await readFile(config, 'utf8');
  const links = { SUBNETD_PUBLIC_URL: 'http://subnetd.example', SUBNETD_GRAFANA_URL: 'http://grafana.example/' };
  const first = await start(config, links);
  await eventually(async () =>
    expect((await alertmanager.allAlerts()).map(({ labels }) => labels)).toContainEqual({
      alertname: 'SubnetdWatchdog',
      severity: 'none',
    }),
  );
  const endWork = await announceWork(good);
  await rewrite(config, 'subnets: []\n');
  const find = async (alertname: string) =>
    (await alertmanager.alerts()).find(({ labels }) => labels.alertname === alertname);
  const held = /SubnetContainerDown[^\n]*an alert is held back by planned work/;
  await eventually(() => expect(first.output()).toMatch(held), LONG_MS);
  const status = await readStatus(first.url);
  const planned = status.subnets.flatMap(({ problems }) => problems.filter((one) => one.planned));
  expect(planned).toEqual([expect.objectContaining({ name: 'stats', plannedReason: 'it moves', state: 'open' })]);
  expect(await find('SubnetContainerDown')).toBeUndefined();
  expect(receiver.requests.filter(({ text }) => text.includes('SubnetContainerDown'))).toEqual([]);
  await endWork();
  const ended = Date.now();
  const down = await eventually(async () => {
    const alert = await find('SubnetContainerDown');
    if (alert === undefined) throw new Error('it does not show');
    return alert;
  }, LONG_MS);
  const labels = { severity: 'warning', subnet: 'demo', component: 'stats', name: 'stats' };
  // It was not judged again from its beginning.
  expect(Date.parse(down.startsAt)).toBeLessThan(ended);
  expect(down.labels).toEqual({ alertname: 'SubnetContainerDown', ...labels });
  expect(down.annotations).toEqual({
    summary: 'A container of demo does not run.',
    description: expect.stringMatching(
      /^The container of stats of demo is .* To do: start it with `docker start demo-stats-1`/,
    ),
    runbook_url: 'http://subnetd.example/alerts/SubnetContainerDown?subnet=demo&name=stats',
    dashboard_url: 'http://grafana.example/d/subnetd-node?var-subnet=demo&var-name=stats',
    incident_url: 'http://subnetd.example/incidents?alert=SubnetContainerDown&subnet=demo&name=stats',
  });
  const { pathname } = new URL(down.annotations.incident_url ?? '');
  const incident = await fetch(`${first.url}${pathname}?alert=SubnetContainerDown&subnet=demo&name=stats`);
  // The Alertmanager has the alert before its incident says so: incidents are followed every two seconds.
  await eventually(async () =>
    expect(await (await fetch(`${incident.url}.json`)).json()).toMatchObject({
      component: 'stats',
      notified: expect.arrayContaining([{ phase: 'firing', to: alertmanager.url, at: expect.stringMatching(/Z$/) }]),
    }),
  );
  const reload = { alertname: 'SubnetdReloadFailed', severity: 'warning', instance: hostname() };
  await eventually(async () => expect((await find('SubnetdReloadFailed'))?.labels).toEqual(reload), LONG_MS);
  expect(await (await fetch(`${first.url}/metrics`)).text()).toMatch(
    /subnetd_alerts_sent_total [1-9][\s\S]*subnetd_alerts_failed_total 0[\s\S]*subnetd_alerts_dropped_total 0/,
  );

  const messages = () => receiver.requests.map(({ text }) => JSON.parse(text));
  await eventually(() => expect(messages()).toHaveLength(1), LONG_MS);
  expect(messages()).toMatchObject([
    { kind: 'change', subnet: 'demo', alerts: [{ alert: 'SubnetContainerDown', status: 'firing', ...labels }] },
  ]);

  first.child.kill('SIGKILL');
  await first.finished;
  await rewrite(config, good);
  const second = await start(config, links);
  await eventually(async () => expect(await find('SubnetdReloadFailed')).toBeUndefined(), LONG_MS);
  expect(second.output()).toContain('an alert is resolved');
  await eventually(async () => {
    const still = await find('SubnetContainerDown');
    expect(still?.startsAt).toBe(down.startsAt);
    expect(Date.parse(still?.updatedAt ?? '')).toBeGreaterThan(Date.parse(down.updatedAt));
  }, LONG_MS);
  await simulation.setFaults([]);
  await eventually(async () => expect(await find('SubnetContainerDown')).toBeUndefined(), LONG_MS);
  expect(second.output()).not.toMatch(/SubnetContainerDown[^\n]*firing/);
  expect(second.output()).toMatch(/SubnetContainerDown[^\n]*resolved/);
  await eventually(() => expect(messages()).toHaveLength(2), LONG_MS);
  expect(messages()[1]).toMatchObject({
    kind: 'change',
    status: 'resolved',
    thread: messages()[0].id,
    alerts: [{ alert: 'SubnetContainerDown', status: 'resolved', startsAt: messages()[0].alerts[0].startsAt }],
  });

  second.child.kill('SIGTERM');
  expect((await second.finished).code).toBe(0);
});

it('pushes without a database, starts and stops by a reload, and shows no secret', async () => {
  const alertmanager = await startAlertmanager();
  cleanups.push(alertmanager.stop);
  const { config } = await simulate('log-level-low', []);
  const off = await readFile(config, 'utf8');
  const secret = 'hunter2';
  const withSecret = (url: string) => url.replace('//', `//me:${secret}@`);
  const on = stringify({
    ...parse(off),
    alertmanager: { urls: [withSecret(alertmanager.url), withSecret('http://127.0.0.1:1')] },
  });
  const daemon = await start(config, {
    SUBNETD_DATABASE_URL: `postgres://u:${secret}@127.0.0.1:1/none`,
    SUBNETD_LOG_LEVEL: 'trace',
  });
  const sent = async () => {
    const page = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(page).not.toContain(secret);
    return Number(/^subnetd_alerts_sent_total (\d+)$/m.exec(page)?.[1]);
  };
  expect(await sent()).toBe(0);
  expect(await alertmanager.allAlerts()).toEqual([]);
  await rewrite(config, on);
  await eventually(async () => expect(await alertmanager.allAlerts()).toHaveLength(1));
  await daemon.waitFor(/http:\/\/127\.0\.0\.1:1 refuses connections/);
  await rewrite(config, off);
  await eventually(() => expect(daemon.output().match(/the inventory was reloaded/g)).toHaveLength(2));
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
  expect(daemon.output()).not.toContain(secret);
});
