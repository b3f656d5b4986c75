import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/cli.ts';
import { findProgram } from '../support/engine.ts';
import { startTcp } from '../support/fake-node.ts';
import { startSystemd } from '../support/systemd.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const unit = readFileSync(join(root, 'deploy/systemd/subnetd.service'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'unit-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What systemd says of the unit, as if the clone lay where the unit expects it. */
function analyze(text: string, ...words: readonly string[]) {
  const file = join(folder, 'subnetd.service');
  writeFileSync(file, text.replaceAll('/opt/subnetd', root));
  const { status, stdout, stderr } = spawnSync(findProgram('systemd-analyze', 'systemd'), [...words, file], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** The settings of the unit that are not switched off; of one that is said again, all. */
const settings = new Map<string, string[]>();
for (const [, key = '', value = ''] of unit.matchAll(/^(\w+)=(.*)$/gm))
  settings.set(key, [...(settings.get(key) ?? []), value]);

describe('the systemd unit', () => {
  test('is one that systemd has nothing to say about', () => {
    expect(analyze(unit, 'verify', '--man=no')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(analyze(unit.replace('ProtectHome', 'ProtectHouse'), 'verify', '--man=no').stderr).toContain('ProtectHouse');
    expect(analyze(unit.replace('/bin/subnetd', '/bin/nobody'), 'verify', '--man=no').status).not.toBe(0);
  });

  test('is exposed little, by systemd itself', () => {
    expect(analyze(unit, 'security', '--offline=true', '--no-pager', '--threshold=20')).toMatchObject({ status: 0 });
    const open = unit.replace(/^(?:Protect|Restrict|System|Capability|Private|NoNew|Dynamic).*$/gm, '');
    expect(analyze(open, 'security', '--offline=true', '--no-pager', '--threshold=20').status).not.toBe(0);
  });

  test('reloads by SIGHUP, starts again after a failure, and not with an inventory that is bad', () => {
    expect(settings.get('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
    expect(settings.get('Restart')).toEqual(['on-failure']);
    expect(settings.get('RestartPreventExitStatus')).toEqual(['2']);
  });

  test('sets only what the page on configuration knows', () => {
    const known = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
    for (const [name = ''] of (settings.get('Environment') ?? []).map((each) => each.split('=')))
      if (name !== 'NODE_ENV') expect(known).toContain(`\`${name}\``);
  });
});

describe('the service under a real systemd', () => {
  const { cleanups, pathOf } = useCleanups();

  /** Starts the unit as it is, but for a watchdog of 3 s, with a node that holds its first answers back. */
  async function startService() {
    let isHeld = true;
    const held: Socket[] = [];
    const node = await startTcp((socket) => (isHeld ? held.push(socket) : socket.destroy()));
    cleanups.push(node.stop);
    const log = pathOf('log');
    const block = '/etc/subnetd/block.cjs';
    const dropIn = [
      ...['[Unit]', 'DefaultDependencies=no', '[Service]', 'WatchdogSec=3s', 'RestartSec=100ms'],
      ...[`Environment=NODE_OPTIONS=--require=${block}`, `StandardOutput=append:${log}`, `StandardError=append:${log}`],
    ];
    const systemd = await startSystemd(root, pathOf('.'), {
      'units/subnetd.service': unit,
      'units/subnetd.service.d/test.conf': dropIn.join('\n'),
      'config/environment': 'SUBNETD_LISTEN=127.0.0.1:0\n',
      'config/subnetd.yaml': `subnets: [{ name: devnet, consensus: XDPoS, nodes: [{ name: a, rpc: '${node.url}' }] }]\n`,
      'config/block.cjs': "process.on('SIGUSR2', () => { for (;;); });\n",
    });
    cleanups.push(systemd.stop);
    await systemd.systemctl('start', '--no-block', 'subnetd');
    await eventually(() => expect(held.length).toBeGreaterThan(0));
    return {
      ...systemd,
      readLog: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
      release: () => {
        isHeld = false;
        node.breakConnections();
      },
    };
  }

  test('is ready after its first round, restarted when it hangs, and stopped cleanly', async () => {
    const { systemctl, show, readLog, release } = await startService();
    expect(readLog()).toContain('"listening"');
    expect(await show('ActiveState')).toBe('activating');
    release();
    await eventually(async () => expect(await show('ActiveState')).toBe('active'));

    // A healthy service outlives its watchdog. The round of every ten seconds is no part of it.
    const kickedAt = await show('WatchdogTimestampMonotonic');
    await eventually(async () =>
      expect(Number(await show('WatchdogTimestampMonotonic'))).toBeGreaterThan(Number(kickedAt) + 4e6),
    );
    expect(await show('NRestarts')).toBe('0');

    for (const [restarts, signal] of [
      ['1', 'STOP'],
      ['2', 'USR2'],
    ] as const) {
      await systemctl('kill', '--kill-whom=main', `--signal=${signal}`, 'subnetd');
      await eventually(async () => expect(await show('NRestarts')).toBe(restarts));
      await eventually(async () => expect(await show('ActiveState')).toBe('active'));
    }

    await systemctl('stop', 'subnetd');
    expect(await show('Result')).toBe('success');
    expect(readLog()).toMatch(/"stopped"\}\n$/);
  }, 120_000);
});
