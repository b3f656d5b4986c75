import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import { diagnosed, diagnosedNode, named } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** Four nodes whose logs are ahead of our clock by these milliseconds; undefined is not known. */
const withClocks = (aheadMs: readonly (number | undefined)[]): readonly KnownTarget[] =>
  NAMES.map((name, index) => {
    const node = diagnosedNode(name, NAMES);
    const { logs } = node.facts;
    return { ...node, facts: { ...node.facts, logs: logs && { ...logs, clockAheadMs: aheadMs[index] } } };
  });

describe('the clock of a node', () => {
  test('is said to be wrong when it differs from the others, with by how much and what to type', () => {
    const [only, ...others] = diagnosed(withClocks([-500, -90_600, -500, -500]));
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      problem: 'node_clock_skewed',
      component: 'node',
      name: 'n2',
      summary: 'the clock of n2 is wrong',
      evidence: 'by the times in its log, the clock of n2 is 1m 30s behind those of the other machines',
      fix: 'set the clock of its machine, as with `chronyc makestep`, and see that it stays right; until then rounds may time out',
    });
  });

  test('is judged by the middle of all clocks, so that a wrong clock of our own blames no node', () => {
    expect(named(withClocks([60_000, 60_200, 59_900, 60_000]))).toEqual([]);
    expect(named(withClocks([60_000, 60_200, 59_900, 0]))).toEqual(['node_clock_skewed n4']);
    expect(named(withClocks([-90_000, undefined, undefined, undefined]))).toEqual([]);
    expect(named(withClocks([-90_000, 0, undefined, undefined]))).toEqual(['node_clock_skewed n1']);
    expect(named(withClocks([90_000, 0, undefined, undefined]))).toEqual(['node_clock_skewed n1']);
    expect(named(withClocks([90_000, 90_100, 0, undefined]))).toEqual(['node_clock_skewed n1', 'node_clock_skewed n2']);
  });

  test('may differ by less than 5 s, and by whole quarters of an hour, which are a time zone', () => {
    expect(named(withClocks([4_999, -4_999, 0, 0]))).toEqual([]);
    expect(named(withClocks([5_000, 0, 0, 0]))).toEqual(['node_clock_skewed n1']);
    expect(named(withClocks([3_600_000, 900_000, 0, 0]))).toEqual([]);
  });
});

test('a node that hangs while its Docker Engine does not answer is not to be restarted: Docker comes first', () => {
  const hanging = diagnosedNode('n2', NAMES, {
    fault: { kind: 'timeout', address: 'http://192.0.2.1:852', afterMs: 5_000, received: false },
  });
  const observation = {
    kind: 'docker-unreachable',
    why: { address: 'unix:///var/run/docker.sock', code: 'timeout' },
  } as const;
  const container = hanging.facts.container && { ...hanging.facts.container, observation };
  const frozen = { ...hanging, facts: { ...hanging.facts, container } };
  const found = diagnosed([...['n1', 'n3', 'n4'].map((name) => diagnosedNode(name, NAMES)), frozen]);
  expect(found.find(({ problem }) => problem === 'node_hanging')).toMatchObject({
    name: 'n2',
    evidence: 'n2 has not answered within 5s, and its Docker Engine does not answer either',
    fix: 'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too: a node waits for Docker to take its output, and goes on then',
  });
});
