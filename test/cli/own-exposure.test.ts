import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { expect, test } from 'vitest';
import type { DoctorReport } from '../../src/cli/list-findings.ts';
import { toReach } from '../../src/model/exposure.ts';
import { listReachedAddresses } from '../../src/watch/probes/setup/own-addresses.ts';
import type { Status } from '../../src/web/to-status.ts';
import { freePort } from '../support/alertmanager.ts';
import { eventually, startCli } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const isOwn = (problem: string): boolean => problem === 'monitor_open' || problem === 'monitor_exposed';

/** What a subnetd at all IPv4 addresses of this machine is found to be. */
function expectedHere(): readonly string[] {
  const reaches = new Set(listReachedAddresses().filter(isIPv4).map(toReach));
  if (reaches.has('public')) return ['monitor_exposed'];
  return reaches.has('private') ? ['monitor_open'] : [];
}

test('a daemon that listens to the network without a password reports itself, and the doctor reports it too', async () => {
  const config = pathOf('c.yaml');
  writeFileSync(
    config,
    'subnets: [{ name: s, nodes: [{ name: n, rpc: "http://127.0.0.1:1" }], checks: { rpc: { stallAfter: 1s } } }]\n',
  );
  const daemon = startCli(['run', '--listen', '0.0.0.0:0', '--config', config], {
    SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}`,
  });
  cleanups.push(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const [, port = ''] = await daemon.waitFor(/"url":"http:[^"]+:(\d+)"/);
  await eventually(async () => {
    const { subnets } = (await (await fetch(`http://127.0.0.1:${port}/status.json`)).json()) as Status;
    const problems = subnets[0]?.problems.filter(({ problem }) => isOwn(problem)) ?? [];
    expect(problems.map(({ problem }) => problem)).toEqual(expectedHere());
    for (const { fix } of problems) expect(fix).toContain(`SUBNETD_LISTEN=127.0.0.1:${port}`);
  });

  const examine = async (listen: string) => {
    const { stdout } = await runCommand(['doctor', '--config', config, '--json'], { SUBNETD_LISTEN: listen });
    const { findings, unexamined } = JSON.parse(stdout) as DoctorReport;
    return {
      found: findings.map(({ finding }) => finding).filter(isOwn),
      unexamined: unexamined.filter(({ what }) => what.includes('subnetd itself')),
    };
  };
  expect(await examine(`0.0.0.0:${port}`)).toEqual({ found: expectedHere(), unexamined: [] });
  const elsewhere = await freePort();
  expect(await examine(`127.0.0.1:${elsewhere}`)).toEqual({
    found: [],
    unexamined: [
      {
        subnet: 's',
        what: 'what subnetd itself shows to anyone',
        names: ['subnetd'],
        because: `no subnetd answers without credentials at port ${elsewhere} of this machine`,
        fix: 'set SUBNETD_LISTEN as for the daemon',
        failed: false,
      },
    ],
  });
  const wrong = await runCommand(['doctor', '--config', config], { SUBNETD_LISTEN: 'everywhere' });
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'subnetd doctor: SUBNETD_LISTEN must be HOST:PORT, such as 127.0.0.1:10545\n',
  ]);
});
