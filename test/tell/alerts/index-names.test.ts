import { expect, it } from 'vitest';
import { indexNames } from '../../../src/tell/alerts/tracked-alert.ts';
import { nodeTarget } from '../../support/views.ts';

it('a subnet has its targets, by component and name, and what is about all of it; it collects them once', () => {
  let reads = 0;
  const target = nodeTarget('n1');
  const getName = () => {
    reads += 1;
    return target.name;
  };
  const has = indexNames([{ target: Object.defineProperty({ ...target }, 'name', { get: getName }) }]);
  expect(reads).toBe(0);
  const asked = [
    {},
    { component: 'node', name: 'n1' },
    { component: 'stats', name: 'n1' },
    { component: 'node', name: 'n2' },
  ];
  expect(asked.map(has)).toEqual([true, true, false, false]);
  expect(reads).toBe(1);
});
