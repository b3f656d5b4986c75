import { expect, test } from 'vitest';
import { parseDockerEvent } from '../../../src/watch/docker/events.ts';
import { composeLabels } from '../../support/containers.ts';

const line = (Action: string, Attributes: object): string =>
  `${JSON.stringify({ Action, Actor: { ID: 'a1', Attributes } }).slice(0, -1)},"timeNano":1795255056832670353}`;

const labels = composeLabels('generated', 'subnet1');

test('an event has the names, the exit code and the time that Docker gives it', () => {
  expect(parseDockerEvent(line('die', { ...labels, name: 'generated-subnet1-1', exitCode: '137' }))).toEqual({
    ...{ action: 'die', id: 'a1', name: 'generated-subnet1-1', project: 'generated', service: 'subnet1' },
    ...{ exitCode: 137, at: 1795255056832 },
  });
});

test('a label that is called as a member of Docker is not taken for one', () => {
  const event = parseDockerEvent(line('start', { name: 'n', exitCode: '1', oldName: '/m' }));
  expect(event).toEqual({ action: 'start', id: 'a1', name: 'n', at: 1795255056832 });
});

test.each([
  ['of another action', line('exec_start: sh', { name: 'n' })],
  ['without an id', '{"Action":"die","timeNano":1}'],
  ['without a time', '{"Action":"die","Actor":{"ID":"a"}}'],
  ['that is null', 'null'],
])('a line %s is not an event', (_, text) => {
  expect(parseDockerEvent(text)).toBeUndefined();
});

test('a line that is no JSON throws', () => {
  expect(() => parseDockerEvent('<html>')).toThrow(SyntaxError);
});

test('an event of a one-off container belongs to no service', () => {
  const oneOff = parseDockerEvent(line('die', { ...composeLabels('p', 's', true), name: 'n', exitCode: '0' }));
  expect(oneOff).toEqual({ action: 'die', id: 'a1', name: 'n', exitCode: 0, at: 1795255056832 });
});
