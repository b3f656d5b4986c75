import { expect, test } from 'vitest';
import { formatInventoryError, parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';

function errors(...subnets: readonly (readonly object[])[]): readonly string[] {
  const parsed = parseInventory(
    JSON.stringify({
      subnets: subnets.map((nodes, s) => ({
        name: `s${s}`,
        nodes: nodes.map((node, n) => ({ name: `n${n}`, ...node })),
      })),
    }),
    {},
  );
  return parsed.ok ? [] : parsed.errors.map((error) => formatInventoryError('f', error).replace(/^f:\d+:\d+: /, ''));
}

test.each<[string, object, object]>([
  ['rpc', { rpc: 'http://n1:80' }, { rpc: 'HTTP://N1/' }],
  ['rpc', { rpc: 'https://n1/rpc' }, { rpc: 'https://monitor:secret@n1:443/rpc/' }],
  ['rpc', { rpc: 'http://n1.:8545' }, { rpc: 'http://n1:8545' }],
  ['rpc', { rpc: 'http://10.0.0.1:8545' }, { rpc: 'http://10.1:8545/' }],
  ['rpc', { rpc: 'http://subnet-a:8545/' }, { rpc: 'http://subnet-a:8545' }],
  ['rpc', { rpc: 'http://10.0.0.1:8545' }, { rpc: 'http://10.0.0.1:8545' }],
  ['ipc', { ipc: '/srv/a/XDC.ipc' }, { ipc: '/srv/./a//XDC.ipc' }],
  ['container', { container: { name: 'a-1' } }, { container: { name: 'a-1', engine: 'default' } }],
  ['container', { container: { project: 'p', service: 'a' } }, { container: { service: 'a', project: 'p' } }],
])('two nodes of a subnet with one %s are an error that names both: %j, %j', (key, one, other) => {
  expect(errors([{ rpc: 'http://n9' }, one, other])).toEqual([
    `subnets[0].nodes[2].${key}: is that of subnets[0].nodes[1] too, so one node would count twice; correct or remove one`,
  ]);
});

test('nodes that differ in one part of their address, or are of two subnets, are two', () => {
  const node = { rpc: 'http://n1:8545' };
  const others = ['https://n1:8545', 'http://n1:8546', 'http://n1:8545/a', 'http://n1:8545?key=1', 'http://n2:8545'];
  expect(errors([node, ...others.map((rpc) => ({ rpc }))])).toEqual([]);
  expect(
    errors([{ container: { project: 'p', service: 'a' } }, { container: { project: 'q', service: 'a' } }]),
  ).toEqual([]);
  expect(errors([node], [node])).toEqual([]);
});
