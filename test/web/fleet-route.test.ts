import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { FleetSubnet } from '../../src/model/fleet.ts';
import type { FleetView } from '../../src/model/fleet-view.ts';
import { answerFleet, toFleetStatus } from '../../src/web/fleet-route.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const known = (name: string): FleetSubnet => ({
  ...{ name, isReady: true, keeping: 'now', targets: 7, failing: 1, problemCount: 12 },
  headline: { standing: 'warn', sentence: `${name} runs`, detail: 'Start n1.', since: WALL - 60_000 },
  problems: [
    {
      ...{ problem: 'node_down', severity: 'warning', component: 'node', name: 'n1', since: WALL - 60_000 },
      ...{ summary: 'n1 is down', fix: 'start it' },
    },
  ],
});
const of = (index: number) => ({ index, total: 3 });
const counts = { subnets: 1, targets: 7 };
const view: FleetView = {
  ...{ instance: 'a', shard: of(0), differing: [] },
  shards: [
    {
      ...{ shard: of(0), sight: 'seen', lastSeen: WALL },
      instances: [{ instance: 'a', shard: of(0), isOwn: true, sight: 'seen', lastSeen: WALL, ...counts }],
    },
    {
      ...{ shard: of(1), sight: 'unseen', lastSeen: WALL - 90_000 },
      instances: [{ instance: 'b', shard: of(1), isOwn: false, sight: 'unseen', lastSeen: WALL - 90_000, ...counts }],
    },
    { shard: of(2), sight: 'missing', instances: [] },
  ],
  elsewhere: [
    { name: 'east', shard: of(1), sight: 'unseen', instance: 'b', lastSeen: WALL - 90_000, known: known('east') },
    { name: 'north', shard: of(2), sight: 'missing' },
  ],
};

it('/fleet.json has the shards with their instances, and every subnet of the fleet with its worst problems', async () => {
  const { headline: _, ...fresh } = known('west');
  const app = new Hono().get(
    '/fleet.json',
    answerFleet(() => toFleetStatus(view, [fresh], WALL)),
  );
  const answer = await app.request('/fleet.json');
  const problems = [
    {
      ...{ problem: 'node_down', severity: 'warning', component: 'node', name: 'n1' },
      ...{ since: '2026-11-22T03:03:09.000Z', summary: 'n1 is down', fix: 'start it' },
    },
  ];
  const summary = { targets: 7, failing: 1, problemCount: 12, problems };
  expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
    'application/json',
    {
      ...{ instance: 'a', shard: '0/3' },
      shards: [
        {
          ...{ shard: '0/3', state: 'seen', lastSeen: '2026-11-22T03:04:09.000Z' },
          instances: [{ instance: 'a', shard: '0/3', state: 'seen', lastSeen: '2026-11-22T03:04:09.000Z', ...counts }],
        },
        {
          ...{ shard: '1/3', state: 'unseen', lastSeen: '2026-11-22T03:02:39.000Z' },
          instances: [
            { instance: 'b', shard: '1/3', state: 'unseen', lastSeen: '2026-11-22T03:02:39.000Z', ...counts },
          ],
        },
        { shard: '2/3', state: 'missing', instances: [] },
      ],
      subnets: [
        {
          ...{ name: 'east', shard: '1/3', instance: 'b', state: 'unseen', lastSeen: '2026-11-22T03:02:39.000Z' },
          headline: {
            ...{ standing: 'warn', sentence: 'east runs', detail: 'Start n1.' },
            since: '2026-11-22T03:03:09.000Z',
          },
          ...summary,
        },
        { name: 'north', shard: '2/3', state: 'missing' },
        {
          ...{ name: 'west', shard: '0/3', instance: 'a', state: 'seen', lastSeen: '2026-11-22T03:04:09.000Z' },
          headline: {
            ...{ standing: 'off', sentence: 'Nothing has been checked yet' },
            detail: 'The first round is still running.',
          },
          ...summary,
        },
      ],
    },
  ]);
});

it('/fleet.json says where to ask instead when there is no fleet', async () => {
  const app = new Hono().get(
    '/fleet.json',
    answerFleet(() => toFleetStatus(undefined, [], WALL)),
  );
  const answer = await app.request('/fleet.json');
  expect([answer.status, await answer.text()]).toEqual([
    404,
    'this subnetd is not part of a fleet; /status.json lists everything it watches\n',
  ]);
});
