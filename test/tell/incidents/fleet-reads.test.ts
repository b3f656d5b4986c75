import { expect, it } from 'vitest';
import type { IncidentStore } from '../../../src/model/incident.ts';
import { createFleetIncidents } from '../../../src/tell/incidents/create-fleet-incidents.ts';
import { NO_INCIDENTS } from '../../../src/tell/incidents/follow-incidents.ts';
import { createFakePart } from '../../support/fake-part.ts';

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
  expect([(await reading)?.incidents, incidents.isWritten('moved')]).toEqual([[], false]);
  expect([(await incidents.read(database as IncidentStore))?.incidents, incidents.isWritten('moved')]).toEqual([
    [],
    true,
  ]);
  expect(await incidents.read(database as IncidentStore)).toBeUndefined();
});

it('a subnet is settled once what is stored of it was read, or the database has not answered for half a minute', async () => {
  let now = 0;
  const part = createFakePart('devnet');
  const start = () => createFleetIncidents({ part, followed: () => NO_INCIDENTS, now: () => now });
  const [answered, waiting] = [start(), start()];
  const settled = () => [answered, waiting].map(({ isSettled }) => isSettled('devnet'));
  expect(settled()).toEqual([false, false]);
  await answered.read({ list: async () => [] } as Partial<IncidentStore> as IncidentStore);
  now = 29_999;
  expect(settled()).toEqual([true, false]);
  now = 30_000;
  expect(settled()).toEqual([true, true]);
});
