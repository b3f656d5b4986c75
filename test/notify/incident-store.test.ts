import { describe, expect, it } from 'vitest';
import { createRepositories } from '../../src/db/create-repositories.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type Incident, incidentKey } from '../../src/model/incident.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

const incident = (name: string, phase: Incident['phase']): Incident => ({
  labels: { alertname: 'SubnetNodeDown', severity: 'warning', subnet: 'd', component: 'node', name },
  annotations: { summary: `it’s ${name}` },
  keepFiringForMs: 0,
  phase,
  activeAt: 1_790_000_000_123,
  seenAt: 1_790_000_000_456,
});
const byKey = (...incidents: readonly Incident[]) => new Map(incidents.map((one) => [incidentKey(one.labels), one]));

describe.each(DATABASE_KINDS)('incidents in %s', (kind) => {
  const databases = useDatabases(kind);

  it('are read as they were last written, each instance its own', async () => {
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { incidents } = await createRepositories(connection);
    const store = incidents('one');
    await store.save(byKey(incident('a', 'pending'), incident('b', 'firing')), []);
    await incidents('two').save(byKey(incident('c', 'firing')), []);
    await store.save(byKey(incident('a', 'firing')), [incidentKey(incident('b', 'firing').labels)]);
    await connection.close();

    const again = await openDatabase(address);
    const reopened = (await createRepositories(again)).incidents;
    expect(await reopened('one').load()).toEqual([incident('a', 'firing')]);
    expect(await reopened('two').load()).toEqual([incident('c', 'firing')]);
    expect(await reopened('three').load()).toEqual([]);
    await again.close();
  });
});
