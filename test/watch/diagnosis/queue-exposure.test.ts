import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, targetKey } from '../../../src/model/target.ts';
import { findQueueExposures } from '../../../src/watch/diagnosis/setup/find-exposures.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { diagnosedService, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

function find(ip: string, writable: readonly string[]) {
  const relayer = diagnosedService('relayer');
  const subnet = { name: 'devnet', consensus: 'XDPoS', targets: [relayer.target], settings: DEFAULT_SETTINGS };
  const queues = { ok: true, value: { servedAt: [{ ip, port: 5215 }], writable } } as const;
  const targets = new Map([[targetKey(relayer.target), { queues }]]);
  const setup = { observation: { targets, engines: new Map(), named: [] }, at: NOW };
  return findQueueExposures(viewSubnet(subnet, judgeTargets([relayer], NOW), NOW, { setup })).map(
    ({ problem, component, name, summary, evidence, fix }) => [problem, component, name, summary, evidence, fix],
  );
}

test('a queue page on which anyone can change jobs is a finding, and a read-only one is none', () => {
  expect(find('10.0.0.5', ['FULL', 'LITE'])).toEqual([
    [
      'queues_open',
      'relayer',
      'relayer',
      'anyone can change the jobs of the relayer on its queue page',
      'at 10.0.0.5:5215, an address of a private network, the queue page of the relayer is not read-only for FULL and LITE: anybody there can repeat, pause and remove its jobs without a password',
      'make it read-only with readOnlyMode: true, as the stock relayer does, or publish the port as 127.0.0.1:5215:5215 in docker-compose.yml',
    ],
  ]);
  expect(find('203.0.113.7', [])).toEqual([]);
  expect(find('127.0.0.1', ['FULL'])).toEqual([]);
});
