import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isInContainerNetwork, listReachedAddresses } from '../../../src/probes/setup/own-addresses.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

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

test('the private addresses of a container are not where others reach it, and its public ones are', () => {
  const all = ['172.18.0.5', '203.0.113.7', 'fd00::5'];
  expect(listReachedAddresses(all, true)).toEqual(['203.0.113.7']);
  expect(listReachedAddresses(all, false)).toEqual(all);
});
