import { expect, it } from 'vitest';
import type { NodeTarget, ServiceTarget, Subnet } from '../../../src/model/target.ts';
import { proberInputs } from '../../../src/watch/probes/create-prober.ts';
import { subnetProberInputs } from '../../../src/watch/probes/subnet-probers.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const frontend: ServiceTarget = {
  subnet: 'd',
  component: 'frontend',
  name: 'frontend',
  url: 'http://127.0.0.1:5214',
  browser: { executablePath: '/usr/bin/chromium' },
  readsFrom: undefined,
  container: undefined,
  logFiles: [],
  patterns: [],
};

const node = nodeTarget('a', { rpc: 'http://127.0.0.1:8545' });

/** A subnet whose other node has this address. */
const subnetWith = (rpc: string): Subnet => ({
  name: 'd',
  consensus: 'XDPoS',
  targets: [node, nodeTarget('b', { rpc }), frontend],
  settings,
});

const [before, after] = [subnetWith('http://127.0.0.1:8546'), subnetWith('http://127.0.0.1:8547')];

it('another address of a node changes what the page of the frontend may request', () => {
  expect(proberInputs('page', frontend, after)).not.toEqual(proberInputs('page', frontend, before));
});

it('another address of a node changes nothing for a target that has no page', () => {
  for (const kind of ['node', 'page'] as const)
    expect(proberInputs(kind, node, after)).toEqual(proberInputs(kind, node, before));
});

it('a new sign-in at a node is another probe of that node, and of a checkpoint that is looked for there', () => {
  const login = { basicAuth: { username: 'ann', passwordFile: 'password' } };
  const signsIn = { ...node, login };
  expect(proberInputs('node', signsIn, before)).not.toEqual(proberInputs('node', node, before));
  const parentChain = { rpc: 'http://127.0.0.1:8548', contract: undefined, wallet: undefined };
  const inputs = (target: NodeTarget) => subnetProberInputs('parent', { ...before, parentChain, targets: [target] });
  expect(inputs(signsIn)).not.toEqual(inputs(node));
  expect(inputs({ ...node, metrics: 'http://127.0.0.1:6060' })).toEqual(inputs(node));
});
