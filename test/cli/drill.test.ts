import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TWO_RECEIVERS, writeAlertInventory } from '../support/alert-inventory.ts';
import { startAlertReceiver } from '../support/alert-receiver.ts';
import { type Alertmanager, freePort, startAlertmanager } from '../support/alertmanager.ts';
import { runCli, startCli } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

vi.setConfig({ testTimeout: 120_000 });

let alertmanager: Alertmanager;
let dead: string;
beforeAll(async () => {
  alertmanager = await startAlertmanager(TWO_RECEIVERS);
  dead = `http://127.0.0.1:${await freePort()}`;
});
afterAll(() => alertmanager.stop());

const inventory = (urls: readonly string[]) => writeAlertInventory(pathOf, urls);
const drills = async ({ alerts }: Alertmanager) =>
  (await alerts()).filter(({ labels }) => labels.alertname === 'SubnetdDrill');

describe('subnetd drill', () => {
  it('shows an alert for the receivers of each Alertmanager, and ends it', async () => {
    const { code, stdout, stderr } = await runCli(['drill', '--config', await inventory([alertmanager.url])]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/SubnetdDrill shows after \S+, for the receivers: pager, ops\n/);
    expect(stdout).toContain(`${alertmanager.url}: SubnetdDrill has ended`);
    expect(stdout).toContain('--hold');
    expect(await drills(alertmanager)).toEqual([]);
  });

  it('holds the alert for the given time, and ends it at once when it is interrupted', async () => {
    const drill = startCli(['drill', '--hold', '10m', '--config', await inventory([alertmanager.url])]);
    await drill.waitFor(/shows after/);
    const [shown] = await drills(alertmanager);
    expect(shown?.labels).toEqual({ alertname: 'SubnetdDrill', severity: 'info', drill: expect.any(String) });
    expect(shown?.annotations.summary).toContain('drill');
    drill.child.kill('SIGINT');
    expect((await drill.finished).code).toBe(0);
    expect(await drills(alertmanager)).toEqual([]);
  });

  it('fails when one of two is dead, and still sends to the other', async () => {
    const config = await inventory([dead.replace('//', '//me:hunter2@'), alertmanager.url]);
    const { code, stdout, stderr } = await runCommand(['drill', '--config', config]);
    expect([code, stderr]).toEqual([
      1,
      `subnetd drill: ${dead} refuses connections; start it, or correct alertmanager.urls\n`,
    ]);
    expect(stdout).toContain(`${alertmanager.url}: SubnetdDrill shows`);
  });

  it('needs no inventory when an address is given, and names the flag when that is wrong', async () => {
    const { code, stdout } = await runCommand(['drill', '--url', alertmanager.url]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('SubnetdDrill has ended')]);
    const down = await runCommand(['drill', '--url', dead]);
    expect([down.code, down.stderr]).toEqual([
      1,
      `subnetd drill: ${dead} refuses connections; start it, or correct --url\n`,
    ]);
    const tls = await runCommand(['drill', '--url', alertmanager.url.replace('http:', 'https:')]);
    expect([tls.code, tls.stderr]).toEqual([
      1,
      expect.stringContaining('speaks no TLS; correct --url, perhaps to http'),
    ]);
  });

  it('fails when what answers is no Alertmanager', async () => {
    const other = await startAlertReceiver();
    cleanups.push(other.stop);
    other.answer = 404;
    const { code, stderr } = await runCommand(['drill', '--config', await inventory([other.url])]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${other.url} has no API at this path`)]);
  });

  it('says which line to add when no Alertmanager is named, and what is wrong with a flag or the inventory', async () => {
    const none = await runCommand(['drill', '--config', await inventory([])]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('add the line "alertmanager: { urls: [http://127.0.0.1:9093] }"'),
    ]);
    const hold = await runCommand(['drill', '--hold', 'long', '--config', await inventory([alertmanager.url])]);
    expect([hold.code, hold.stderr]).toEqual([2, expect.stringContaining('--hold must be a duration')]);
    const both = await runCommand(['drill', '--url', alertmanager.url, '--config', pathOf('none.yaml')]);
    expect([both.code, both.stderr]).toEqual([2, 'subnetd drill: give one of --url and --config\n']);
    const address = await runCommand(['drill', '--config', await inventory(['127.0.0.1:9093'])]);
    expect([address.code, address.stderr]).toEqual([2, expect.stringContaining('subnetd.yaml:2:')]);
    const missing = await runCommand(['drill', '--config', pathOf('none.yaml')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('ENOENT')]);
  });
});
