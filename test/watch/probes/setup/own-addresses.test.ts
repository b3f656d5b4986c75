import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeWhere } from '../../../../src/watch/diagnosis/setup/find-exposures.ts';
import {
  findEndpoints,
  isInContainerNetwork,
  listBridges,
  listInterfaces,
  listReachedAddresses,
} from '../../../../src/watch/probes/setup/own-addresses.ts';
import { useCleanups } from '../../../support/use-cleanups.ts';

const { pathOf } = useCleanups();

test('the network of a container has no interface with a device, and what cannot be read is none', () => {
  const make = (machine: string, ...names: readonly string[]) => {
    for (const name of names) mkdirSync(pathOf(`${machine}/${name}`), { recursive: true });
    return isInContainerNetwork(pathOf(machine));
  };
  expect(make('container', 'lo', 'eth0', 'tunl0')).toBe(true);
  expect(make('machine', 'lo', 'docker0', 'enp3s0/device')).toBe(false);
  expect(isInContainerNetwork(pathOf('nothing'))).toBe(false);
});

test('the interfaces are those that were listed last while the system refuses to list them', () => {
  const first = listInterfaces(() => ({ eth0: [] }));
  const refuse = () => {
    throw new Error('uv_interface_addresses returned Unknown system error 24');
  };
  expect(listInterfaces(refuse)).toBe(first);
});

test('the private addresses of a container are not where others reach it, and its public ones are', () => {
  const all = ['172.18.0.5', '203.0.113.7', 'fd00::5'];
  expect(listReachedAddresses(all, true)).toEqual(['203.0.113.7']);
  expect(listReachedAddresses(all, false)).toEqual(all);
});

test('what answers on a bridge that joins only containers answers on this machine, and one that joins a device does not', async () => {
  for (const name of ['br-1/bridge', 'br-1/brif/veth1', 'veth1', 'br0/bridge', 'br0/brif/eth0', 'eth0/device'])
    mkdirSync(pathOf(`bridges/${name}`), { recursive: true });
  const interfaces = {
    'br-1': [{ cidr: '172.18.0.1/16' }, { cidr: null }],
    br0: [{ cidr: '192.168.1.5/24' }],
    eth0: [{ cidr: '10.0.0.5/8' }],
  };
  const bridges = listBridges(interfaces, pathOf('bridges'));
  const at = async (ip: string) => {
    const found = await findEndpoints(
      { ip, port: 8545 },
      () => [],
      async () => true,
      bridges,
    );
    return describeWhere({ servedAt: found })?.text;
  };
  expect(await at('172.18.0.11')).toBe('172.18.0.11:8545, an address that only its own machine reaches,');
  expect(await at('192.168.1.6')).toBe('192.168.1.6:8545, an address of a private network,');
  expect(await at('10.0.0.6')).toBe('10.0.0.6:8545, an address of a private network,');
});
