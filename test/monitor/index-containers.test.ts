import { expect, it } from 'vitest';
import { type ContainerRef, DEFAULT_SETTINGS, type Subnet } from '../../src/model/target.ts';
import { indexContainers } from '../../src/monitor/index-containers.ts';
import { nodeTarget } from '../support/views.ts';

const subnetOf = (name: string, ...containers: readonly ContainerRef[]): Subnet => ({
  name,
  consensus: 'XDPoS',
  settings: DEFAULT_SETTINGS,
  targets: [
    nodeTarget('without a container', { subnet: name }),
    ...containers.map((container, index) => nodeTarget(`n${index}`, { subnet: name, container })),
  ],
});
const event = { name: 'generated-subnet1-1' };

it.each<readonly [string, ContainerRef, Parameters<ReturnType<typeof indexContainers>>[0], boolean]>([
  ['its name', { name: 'generated-subnet1-1' }, event, true],
  ['another name', { name: 'generated-subnet1' }, event, false],
  ['the name that a rename took from it', { name: 'before' }, { ...event, oldName: 'before' }, true],
  ['its service', { project: 'p', service: 's' }, { ...event, project: 'p', service: 's' }, true],
  ['a service of another project', { project: 'q', service: 's' }, { ...event, project: 'p', service: 's' }, false],
  ['a service, when it has no labels', { project: 'p', service: 's' }, event, false],
])('an event finds a target by %s as it should', (_, container, subject, isFound) => {
  const find = indexContainers([subnetOf('d', container)]);
  expect(find(subject, 'default').map(({ name }) => name)).toEqual(isFound ? ['n0'] : []);
});

it('an event finds each target of its container once, in every subnet, and none on another engine', () => {
  const ref = { name: 'c' };
  const find = indexContainers([subnetOf('a', ref, { ...ref, engine: 'other' }), subnetOf('b', ref)]);
  const found = (engine: string) => find({ name: 'c', oldName: 'c' }, engine).map(({ subnet, name }) => [subnet, name]);
  expect(found('default')).toEqual([
    ['a', 'n0'],
    ['b', 'n0'],
  ]);
  expect(found('other')).toEqual([['a', 'n1']]);
});
