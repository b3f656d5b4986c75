import { expect, test } from 'vitest';
import { indexProblems, type ProblemRef } from '../../src/model/problem.ts';

const down: ProblemRef & { readonly seen: number } = { problem: 'node_down', component: 'node', name: 'n1', seen: 1 };

test('a problem is found by its name, its component and its target, and by nothing less', () => {
  const index = indexProblems<ProblemRef>([down, { problem: 'subnet_halted' }]);
  expect(index.get({ problem: 'node_down', component: 'node', name: 'n1' })).toBe(down);
  expect(index.get({ problem: 'subnet_halted' })).toEqual({ problem: 'subnet_halted' });
  for (const other of [
    { problem: 'node_hanging', component: 'node', name: 'n1' },
    { problem: 'node_down', component: 'relayer', name: 'n1' },
    { problem: 'node_down', component: 'node', name: 'n2' },
    { problem: 'node_down', component: 'node' },
    { problem: 'node_down' },
    { problem: 'subnet_halted', component: 'node', name: 'n1' },
  ] as const)
    expect(index.get(other)).toBeUndefined();
});

test('what is the same problem takes the place of the one before, and the others keep theirs', () => {
  const index = indexProblems<typeof down>([]);
  const of = (name: string, seen: number) => ({ ...down, name, seen });
  for (const one of [of('n1', 1), of('n2', 1), of('n3', 1), of('n2', 2)]) index.set(one);
  expect(index.values).toEqual([of('n1', 1), of('n2', 2), of('n3', 1)]);
  expect(index.get(of('n2', 0))).toEqual(of('n2', 2));
});
