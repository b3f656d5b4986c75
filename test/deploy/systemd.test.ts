import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { findProgram } from '../support/engine.ts';

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
