import { expect, test } from 'vitest';
import type { Subnet, Target } from '../../../src/model/target.ts';
import { reuseUnchanged } from '../../../src/watch/monitor/to-target-state.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const subnetOf = (targets: readonly Target[]): Subnet => ({ name: 'd', consensus: 'XDPoS', targets, settings });

/** As a reload reads it. */
const readAgain = (subnet: Subnet): Subnet => structuredClone(subnet);

const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
const before = subnetOf(names.map((name) => nodeTarget(name)));

/** The names of the targets that are other objects than before. */
const findOthers = ({ targets }: Subnet): readonly string[] =>
  targets.filter((target) => !before.targets.includes(target)).map(({ name }) => name);

test('a subnet that is read again without a change is the same object', () => {
  expect(reuseUnchanged(readAgain(before), before)).toBe(before);
  expect(reuseUnchanged(before, undefined)).toBe(before);
});

test('only the changed target of a subnet is another object', () => {
  const changed = names.map((name) => nodeTarget(name, name === 'n4' ? { rpc: 'http://other:1' } : {}));
  const next = reuseUnchanged(readAgain(subnetOf(changed)), before);
  expect(next).not.toBe(before);
  expect(findOthers(next)).toEqual(['n4']);
});

test('targets in another order, beside one that comes and one that leaves, are the same objects', () => {
  const [first, ...rest] = before.targets;
  expect(first?.name).toBe('n0');
  const next = reuseUnchanged(readAgain(subnetOf([nodeTarget('new'), ...rest.toReversed()])), before);
  expect(next.targets.map(({ name }) => name)).toEqual(['new', ...names.slice(1).toReversed()]);
  expect(findOthers(next)).toEqual(['new']);
});

test('other settings make another subnet of the same targets', () => {
  const next = reuseUnchanged({ ...readAgain(before), consensus: 'Other' }, before);
  expect(next).toMatchObject({ consensus: 'Other' });
  expect(findOthers(next)).toEqual([]);
});

test('a bootnode and a node of the same name are not taken for each other', () => {
  const bootnode: Target = { subnet: 'd', component: 'bootnode', name: 'n1', logFiles: [], patterns: [] } as Target;
  const next = reuseUnchanged(readAgain(subnetOf([bootnode, ...before.targets])), before);
  expect(next.targets[0]).toEqual(bootnode);
  expect(findOthers(next)).toEqual(['n1']);
});
