import { expect, test } from 'vitest';
import type { EngineSetup } from '../../../src/model/setup.ts';
import { findDockerExposure } from '../../../src/watch/diagnosis/setup/find-exposures.ts';

function find(engines: Readonly<Record<string, Partial<EngineSetup>>>) {
  const read = Object.entries(engines).map(
    ([name, over]) => [name, { ok: true, value: { projects: [], ...over } }] as const,
  );
  const found = findDockerExposure({ targets: new Map(), engines: new Map(read), named: [] });
  return found === undefined ? [] : [[found.problem, found.component, found.summary, found.evidence, found.fix]];
}

const at = (url: string, lacks: 'encryption' | 'client certificates' = 'encryption') => ({
  openApis: [{ url, lacks }],
});
const summary = "Docker's API is open to others than its own machine";

test('an engine says that its API is open without encryption', () => {
  expect(find({ default: at('http://0.0.0.0:2375') })).toEqual([
    [
      'docker_exposed',
      undefined,
      summary,
      'the Docker Engine says that its API is open at http://0.0.0.0:2375 without encryption: whoever reaches that is root on its machine',
      'take tcp://0.0.0.0:2375 out of -H in the unit docker.service and out of hosts in /etc/docker/daemon.json of its machine, restart Docker, and reach it by ssh',
    ],
  ]);
});

test('or that it lets in clients without a certificate, and each engine is named', () => {
  const both = { machine1: at('https://10.0.0.2:2376', 'client certificates'), machine2: at('http://[::]:2375') };
  expect(find(both)).toEqual([
    [
      'docker_exposed',
      undefined,
      summary,
      'the Docker Engine machine1 says that its API is open at https://10.0.0.2:2376 without client certificates: whoever reaches that is root on its machine; the Docker Engine machine2 says that its API is open at http://[::]:2375 without encryption: whoever reaches that is root on its machine',
      'start dockerd with --tlsverify and --tlscacert, so that only your certificates are let in; take tcp://[::]:2375 out of -H in the unit docker.service and out of hosts in /etc/docker/daemon.json of its machine, restart Docker, and reach it by ssh',
    ],
  ]);
});

test('one that is open to its own machine only is not a finding', () => {
  const own = ['http://127.0.0.1:2375', 'http://localhost:2375', 'http://[::1]:2375'].map((url) => at(url));
  expect(own.map((one) => find({ default: one }))).toEqual([[], [], []]);
  expect(find({ default: {} })).toEqual([]);
});

test('one that subnetd reaches without TLS is a finding at a public address, and none behind a proxy in a private network', () => {
  const plainAt = (ip: string) => ({ default: { plainAt: { ip, port: 2375 } } });
  expect(find(plainAt('203.0.113.7'))).toEqual([
    [
      'docker_exposed',
      undefined,
      summary,
      'the Docker Engine answers subnetd at 203.0.113.7:2375, a public address, without TLS: whoever reaches that can be root on its machine',
      'close this port, and reach it by ssh or with certificates, by `docker:` in the inventory',
    ],
  ]);
  expect(find(plainAt('172.18.0.2'))).toEqual([]);
  expect(find(plainAt('127.0.0.1'))).toEqual([]);
});
