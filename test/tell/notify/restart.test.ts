import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startAlertmanager } from '../../support/alertmanager.ts';
import { eventually, startDaemon } from '../../support/cli.ts';
import { startFleetSubnets } from '../../support/fleet-subnets.ts';
import { useCleanups } from '../../support/use-cleanups.ts';
import { startWebhook } from '../../support/webhook.ts';

const { cleanups, pathOf } = useCleanups();

it('the alert of a halted subnet stands while subnetd is restarted, and ends at once for one that was removed', async () => {
  const [webhook, subnets] = await Promise.all([startWebhook(), startFleetSubnets(3)]);
  cleanups.push(webhook.stop, subnets.stop);
  const alertmanager = await startAlertmanager(`
route: { receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 24h }
receivers: [{ name: hook, webhook_configs: [{ url: '${webhook.url}', send_resolved: true }] }]
`);
  cleanups.push(alertmanager.stop);
  const config = pathOf('subnetd.yaml');
  const start = async (names: readonly string[]) => {
    writeFileSync(config, subnets.inventory(names, [alertmanager.url]));
    const daemon = await startDaemon(config);
    cleanups.push(() => {
      daemon.child.kill('SIGKILL');
      return daemon.finished;
    });
    return daemon;
  };
  const messages = () =>
    webhook.messages
      .flatMap(({ status, alerts }) => alerts.map(({ labels }) => `${status} ${labels.subnet}`))
      .filter((one) => !one.endsWith('undefined'));

  for (const name of ['net0', 'net1']) subnets.set(name, 'stalled');
  const first = await start(subnets.names);
  await eventually(() => expect(messages().toSorted()).toEqual(['firing net0', 'firing net1']));
  const begun = messages();
  const [before] = (await alertmanager.alerts()).filter(({ labels }) => labels.subnet === 'net0');
  first.child.kill('SIGTERM');
  await first.finished;

  const second = await start(['net0', 'net2']);
  await eventually(() => expect(messages()).toContain('resolved net1'));
  await eventually(async () =>
    expect(await (await fetch(`${second.url}/status.json`)).text()).toContain('"problem":"subnet_halted"'),
  );
  // That this one fires shows that the alerts were judged since the halt was found again.
  subnets.set('net2', 'stalled');
  await eventually(() => expect(messages()).toContain('firing net2'));
  const [after] = (await alertmanager.alerts()).filter(({ labels }) => labels.subnet === 'net0');
  expect(after?.startsAt).toBe(before?.startsAt);
  expect(messages()).toEqual([...begun, 'resolved net1', 'firing net2']);
  expect(second.output()).not.toMatch(/"SubnetHalted"[^\n]*"subnet":"net0"/);
}, 240_000);
