import { expect, test } from 'vitest';
import type { SetupObservation } from '../../../src/model/setup.ts';
import { findMonitorExposure } from '../../../src/watch/diagnosis/setup/find-exposures.ts';

const UNKNOWN: NonNullable<SetupObservation['monitor']> = { ok: false, why: 'nothing answers' };

function find(monitor: SetupObservation['monitor']) {
  const setup = { targets: new Map(), engines: new Map(), named: [], ...(monitor && { monitor }) };
  const found = findMonitorExposure(setup);
  return found === undefined ? [] : [[found.problem, found.component, found.summary, found.evidence, found.fix]];
}

const servedAt = (...ips: readonly string[]): NonNullable<SetupObservation['monitor']> => ({
  ok: true,
  value: { servedAt: ips.map((ip) => ({ ip, port: 10_545 })) },
});

const summary = 'subnetd itself shows all that it knows to anyone';
const what =
  'subnetd shows its metrics and pages without a password, with the addresses of all nodes and lines of their logs';
const fix =
  'set SUBNETD_LISTEN=127.0.0.1:10545, or name a file with basic_auth_users and tls_server_config in SUBNETD_WEB_CONFIG, and start subnetd again';

test('a subnetd without a password is exposed at a public address, and open in a private network', () => {
  expect(find(servedAt('127.0.0.1', '10.0.0.5', '203.0.113.7'))).toEqual([
    ['monitor_exposed', undefined, summary, `at 203.0.113.7:10545, a public address, ${what}`, fix],
  ]);
  expect(find(servedAt('127.0.0.1', '10.0.0.5', 'fd00::5'))).toEqual([
    [
      'monitor_open',
      undefined,
      summary,
      `at 10.0.0.5:10545 and [fd00::5]:10545, each an address of a private network, ${what}`,
      fix,
    ],
  ]);
});

test('one that serves only its own machine, nobody, or is not known is not a finding', () => {
  expect([servedAt('127.0.0.1', '::1'), servedAt(), UNKNOWN, undefined].map(find)).toEqual([[], [], [], []]);
});
