import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findUnknownSettings, SETTING_NAMES } from '../../src/daemon/find-unknown-settings.ts';

const src = new URL('../../src/', import.meta.url);

it('knows every variable that the source reads', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const read = files.flatMap((file) =>
    [...readFileSync(new URL(file, src), 'utf8').matchAll(/'(SUBNETD_[A-Z_]*[A-Z])'/g)].map(([, name]) => name),
  );
  expect([...new Set(read)].toSorted()).toEqual(SETTING_NAMES.toSorted());
});

it('finds no fault with settings, with their files, and with variables of other names', () => {
  const names = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
  const others = [
    'SUBNETD_PORT_10545_TCP_ADDR',
    'SUBNETD_SERVICE_PORT',
    'SUBNETD_RPC_PASSWORD',
    'SUBNET_LISTEN',
    'PATH',
  ];
  expect(findUnknownSettings(Object.fromEntries([...names, ...others].map((name) => [name, 'x'])))).toEqual([]);
});
