import { onTestFinished } from 'vitest';
import type { HistoryStore } from '../../src/model/history.ts';
import type { IncidentStore } from '../../src/model/incident.ts';
import type { KeptTable } from '../../src/model/kept.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import type { DatabaseAddress } from '../../src/store/database-url.ts';

function openLink(address: DatabaseAddress) {
  const link = createDatabaseLink({ address, onUp: () => {}, onDown: () => {}, checkEveryMs: 100, writeEveryMs: 100 });
  onTestFinished(link.stop);
  return link;
}

/** The history of an instance in a database that is opened as the daemon opens it. */
export function openHistory(address: DatabaseAddress): (instance?: string) => Promise<HistoryStore> {
  const link = openLink(address);
  return async (instance = 'one') => (await link.open()).history(instance);
}

/** How an instance last saw the settings of subnets, in such a database. */
export function openSettings(address: DatabaseAddress): () => Promise<KeptTable<string>> {
  const link = openLink(address);
  return async () => (await link.open()).settings('one');
}

/** The incidents of an instance in such a database. */
export function openIncidents(address: DatabaseAddress): (instance?: string) => Promise<IncidentStore> {
  const link = openLink(address);
  return async (instance = 'one') => (await link.open()).incidents(instance);
}
