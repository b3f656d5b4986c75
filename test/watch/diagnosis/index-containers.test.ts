import { expect, it } from 'vitest';
import type { ContainerRef } from '../../../src/model/target.ts';
import { type ContainerNames, indexContainers } from '../../../src/watch/diagnosis/index-containers.ts';
import { nodeTarget } from '../../support/views.ts';

const container = { name: 'generated-subnet1-1' };

it.each<readonly [string, ContainerRef, ContainerNames, boolean]>([
  ['its name', { name: 'generated-subnet1-1' }, container, true],
  ['another name', { name: 'generated-subnet1' }, container, false],
  ['the name that a rename took from it', { name: 'before' }, { ...container, oldName: 'before' }, true],
  ['its service', { project: 'p', service: 's' }, { ...container, project: 'p', service: 's' }, true],
  ['a service of another project', { project: 'q', service: 's' }, { ...container, project: 'p', service: 's' }, false],
  ['a service, when it has no labels', { project: 'p', service: 's' }, container, false],
])('a container is matched by %s as it should', (_, ref, names, isFound) => {
  const find = indexContainers([nodeTarget('without'), nodeTarget('n', { container: ref })]);
  expect(find(names, 'default').map(({ name }) => name)).toEqual(isFound ? ['n'] : []);
});

it('each target of a container is found once, and none on another engine', () => {
  const targets = ['a', 'b', 'c'].map((name) => nodeTarget(name, { container: { name: 'x' } }));
  const find = indexContainers([...targets, nodeTarget('d', { container: { name: 'x', engine: 'other' } })]);
  const found = (engine: string) => find({ name: 'x', oldName: 'x' }, engine).map(({ name }) => name);
  expect([found('default'), found('other')]).toEqual([['a', 'b', 'c'], ['d']]);
});
