import { expect, it } from 'vitest';
import { createFleetIncidents } from '../../src/incidents/create-fleet-incidents.ts';
import { type FollowedIncidents, NO_INCIDENTS } from '../../src/incidents/follow-incidents.ts';
import type { Incident, IncidentStore } from '../../src/model/incident.ts';
import { createFakePart } from '../support/fake-part.ts';

it('incidents that were read before an instance began to keep a subnet are read again before it writes any', async () => {
  const part = Object.assign(createFakePart('moved'), { kept: [] });
  const incidents = createFleetIncidents({ part, followed: () => NO_INCIDENTS, now: () => 0 });
  const answer = Promise.withResolvers<void>();
  let lists = 0;
  const database: Pick<IncidentStore, 'list'> = {
    list: async () => {
      lists += 1;
      await answer.promise;
      return [];
    },
  };
  const reading = incidents.read(database as IncidentStore);
  await expect.poll(() => lists).toBe(1);
  Object.assign(part, { kept: ['moved'], epoch: 2 });
  answer.resolve();
  expect([await reading, incidents.isWritten('moved')]).toEqual([[], false]);
  expect([await incidents.read(database as IncidentStore), incidents.isWritten('moved')]).toEqual([[], true]);
  expect(await incidents.read(database as IncidentStore)).toBeUndefined();
});

it('whether subnets are settled is read once from what is open, however many ask', async () => {
  let reads = 0;
  const unseen = new Map([['a problem', 0]]);
  const keys = unseen.keys.bind(unseen);
  unseen.keys = () => {
    reads += 1;
    return keys();
  };
  const open = new Map([['a problem', { subnet: 'open' } as Incident]]);
  let followed: FollowedIncidents = { ...NO_INCIDENTS, open, unseen };
  const part = createFakePart('open', 'well');
  const incidents = createFleetIncidents({ part, followed: () => followed, now: () => 0 });
  await incidents.read({ list: async () => [] } as Partial<IncidentStore> as IncidentStore);
  const settled = () => ['open', 'well', 'open', 'well'].map(incidents.isSettled);
  expect([settled(), reads]).toEqual([[false, true, false, true], 1]);
  followed = { ...followed, unseen: new Map() };
  expect(settled()).toEqual([true, true, true, true]);
});
