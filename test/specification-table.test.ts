import { describe, expect, it } from 'vitest';
import { specificationRows } from '../scripts/specification-table.ts';
import { demoNodeNames, expectedChanges, FAULT_NAMES } from '../src/demo/faults.ts';
import type { Target } from '../src/model/target.ts';
import { families } from '../src/tell/metrics/families.ts';
import { checkTable } from '../src/watch/rules/checks.ts';
import { nodeTarget, serviceTarget } from './support/views.ts';

it('every row of the specification is there, once and in its order', () => {
  expect(specificationRows.map(({ row }) => row)).toEqual([
    ...['Latest block', 'Peers', "The node's console"],
    ...['Node', 'Bootnode', 'Relayer', 'Stats server, block data', 'Stats server, history data'],
    ...['Frontend, logs', 'Frontend, console', 'Known failure 1', 'Known failure 2'],
  ]);
});

describe.each(specificationRows.map((row) => [row.row, row] as const))('the row %s', (_name, row) => {
  const { component, check, faults, metric, remedy } = row;

  it('has a check of its component', () => {
    const target = component === 'node' ? nodeTarget('subnet1') : serviceTarget('relayer');
    const found = checkTable[check];
    expect(found.isFor({ ...target, component, container: { name: 'x' } } as Target)).toBe(true);
  });

  it('has faults of the demo, each of which changes that check', () => {
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults) {
      expect(FAULT_NAMES).toContain(fault);
      const { fails, degrades } = expectedChanges([fault], { nodes: demoNodeNames(4), browser: true });
      expect([...fails, ...degrades].join('\n'), fault).toMatch(new RegExp(`^${component}/.*/${check}$`, 'm'));
    }
  });

  it('has a metric that is exported, and a remedy', () => {
    expect(families.map(({ name }) => name)).toContain(metric);
    expect(remedy).toMatch(/^[a-z].*[^.]$/);
  });
});
