import { importColumns } from '../../api/import-records.ts';
import type { ApiRecord } from '../../model/resource.ts';
import { answerCsv } from '../csv.ts';
import type { PortalAnswer, Visit } from '../visit.ts';
import { type ListedResource, parseView, toQuery } from './record-list.ts';

const PAGE = 1_000;

async function* readPages({ resource }: ListedResource, { store, query }: Visit): AsyncGenerator<readonly ApiRecord[]> {
  const asked = { ...toQuery(resource, parseView(resource, query)), offset: 0, limit: PAGE, isUncounted: true };
  for (let after: number | undefined; ; ) {
    const { items } = await store.search(resource, { ...asked, after });
    yield items;
    if (items.length < PAGE) return;
    after = Number(items.at(-1)?.[resource.idMember]);
  }
}

/** The records that the filters of a list leave, as a file that can be changed and imported again. */
export async function recordCsv(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { set, told } = importColumns(listed.resource);
  return answerCsv(visit, listed.resource.plural.replaceAll(' ', '-'), [...set, ...told], readPages(listed, visit));
}
