import { expect, it } from 'vitest';
import { toFleetSubnets } from '../../src/fleet/to-fleet-subnets.ts';
import type { Problem } from '../../src/model/problem.ts';
import { NOW } from '../support/diagnosed.ts';
import { withDown } from '../support/snapshots.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const toWall = (at: number): number => WALL - NOW + at;
const planned = new Map([['devnet', { isReady: true, keeping: 'now' }]] as const);

it('a row tells of each subnet its sentence and its problems in wall time, the worst first', () => {
  const [row] = toFleetSubnets([withDown('n2')], planned, toWall);
  expect(row).toEqual({
    ...{ name: 'devnet', isReady: true, keeping: 'now', targets: 4, failing: 1 },
    headline: {
      standing: 'warn',
      sentence: 'devnet is running, but no further node may fail',
      detail:
        'The container of n2 does not run. Bring back n2 before any other work, and restart no other node; for n2: start it with `docker start generated-n2-1`.',
      since: WALL - 600_000,
    },
    problems: [
      {
        ...{ problem: 'quorum_at_risk', severity: 'critical', since: WALL - 600_000 },
        summary: 'no further node may fail',
        fix: 'bring back n2 before any other work, and restart no other node; for n2: start it with `docker start generated-n2-1`',
      },
      expect.objectContaining({ problem: 'container_down', name: 'n2', summary: 'the container of n2 does not run' }),
    ],
    problemCount: 2,
  });
  expect(JSON.parse(JSON.stringify(row))).toEqual(row);
});

it('a row has at most ten problems, none that is only suspected or about the set-up, and counts them all', () => {
  const state = withDown('n2');
  const [sample] = state.problems;
  if (sample === undefined) throw new Error('it has a problem');
  const many = Array.from({ length: 12 }, (_, index): Problem => ({ ...sample, name: `n${index}` }));
  const problems = [{ ...sample, state: 'suspected' as const }, ...many, { ...sample, problem: 'rpc_open' as const }];
  const [row] = toFleetSubnets([{ ...state, problems }], new Map(), toWall);
  expect(row?.problems.map(({ name }) => name)).toEqual(many.slice(0, 10).map(({ name }) => name));
  expect([row?.problemCount, row?.isReady, row?.keeping]).toEqual([12, false, 'no']);
});
