import { expect, test } from 'vitest';
import { describeFleet, isFleetWell } from '../../src/cli/describe-fleet.ts';
import type { FleetView } from '../../src/model/fleet-view.ts';
import { toFleetStatus } from '../../src/web/fleet-route.ts';
import { reported, viewOf, WALL } from '../support/fleet-views.ts';

const statusOf = (view: FleetView) => {
  const status = toFleetStatus(view, [reported('west')], WALL);
  if (status === undefined) throw new Error('there is a fleet');
  return status;
};
const linesOf = (view: FleetView) => describeFleet(statusOf(view), WALL);

const NEVER = ['✗ shard 2/3 has never been seen: start it with --shard 2/3', ''];
const NORTH = ['? no known instance watches north', '  shard 2/3.', ''];

test('the status of a fleet has the subnets of other instances with their worst problems, and who watches them', () => {
  expect(linesOf(viewOf('seen'))).toEqual([
    ...NEVER,
    '! east is running, but n1 is down',
    '  since 03:03 UTC, for 1m. Start n1.',
    '  watched by subnetd-1 (shard 1/3)',
    '',
    '  warning: n1 is down (since 03:03 UTC, 1m)',
    '    to do: start it with `docker start n1`',
    '',
    ...NORTH,
  ]);
});

test('the status of a fleet names a shard that is silent, and what was last known of its subnets', () => {
  expect(linesOf(viewOf('unseen'))).toEqual([
    '✗ shard 1/3 (subnetd-1) has not been seen since 03:02 UTC, for 1m 30s: restart it, or restore its connection to the database',
    '',
    ...NEVER,
    '? east has not been seen since 03:02 UTC, for 1m 30s',
    '  subnetd-1 (shard 1/3). Last known state: east is running, but n1 is down.',
    '',
    ...NORTH,
  ]);
});

test('the status of a daemon that has only just started does not say since when it knows nothing', () => {
  const why = 'The daemon that answered has just started, or cannot reach the database.';
  expect(linesOf(viewOf('unknown'))).toEqual([
    '? the state of east is not known yet',
    `  ${why} subnetd-1 (shard 1/3). Last known state: east is running, but n1 is down.`,
    '',
    '? the state of north is not known yet',
    `  ${why} shard 2/3.`,
    '',
  ]);
});

test('a fleet is well when every shard is seen and every subnet is well', () => {
  const {
    shards: [first, second],
    ...rest
  } = statusOf(viewOf('seen'));
  if (first === undefined || second === undefined) throw new Error('there are three shards');
  const well = { standing: 'ok', sentence: '', detail: '' } as const;
  const subnets = [{ name: 'a', shard: '1/3', state: 'seen', headline: well }] as const;
  expect(isFleetWell({ ...rest, shards: [first, second], subnets })).toBe(true);
  expect(isFleetWell({ ...rest, shards: [first, { ...second, state: 'unseen' }], subnets })).toBe(false);
  expect(isFleetWell({ ...rest, shards: [first], subnets: [{ ...subnets[0], state: 'unseen' }] })).toBe(false);
  expect(
    isFleetWell({ ...rest, shards: [first], subnets: [{ ...subnets[0], headline: { ...well, standing: 'bad' } }] }),
  ).toBe(false);
});
