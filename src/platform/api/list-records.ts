import type { PlatformStore } from '../model/platform-store.ts';
import type { ApiRecord, Resource } from '../model/resource.ts';
import { checkDigits } from './check-value.ts';
import { answerStream, answerSuccessText, answerTagged } from './envelope.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { MAX_LIMIT } from './read-page.ts';
import { type AskedRecords, readRecordQuery } from './read-record-query.ts';
import { textTag, weakTag } from './record-tag.ts';
import type { RequestContext } from './request-context.ts';

const PAGE = 500;

/** The most records that a page of a search looks at. SQLite takes some 50 ms for them. */
const LOOK_AT = 50_000;

/** Records, and after which id there may be more that follow: of the last record, or of the last that a search has looked at. */
interface RecordPage {
  readonly items: readonly ApiRecord[];
  readonly next: number | undefined;
}

/** Reads at most `limit` records that follow the one with the id `after`. */
type ReadRecords = (after: number, limit: number) => Promise<RecordPage>;

const createReadRecords = (store: PlatformStore, resource: Resource, query: AskedRecords): ReadRecords => {
  const toPage = (found: readonly ApiRecord[], limit: number, lookedTo?: number): RecordPage => {
    const items = found.slice(0, limit);
    return { items, next: found.length > limit ? Number(items.at(-1)?.[resource.idMember]) : lookedTo };
  };
  // One more shows whether there are more.
  if (query.isPlain) return async (after, limit) => toPage(await store.list(resource, after, limit + 1), limit);
  const isSorted = query.sort !== undefined;
  return async (after, limit) => {
    const { items, lookedTo } = await store.search(resource, {
      ...query,
      // Without an order, `after` may be any number; with one, it is the id of a record.
      after: isSorted && after === 0 ? undefined : after,
      limit: limit + 1,
      offset: 0,
      isUncounted: true,
      lookAt: isSorted ? undefined : LOOK_AT,
    });
    return toPage(items, limit, lookedTo);
  };
};

async function countRecords(store: PlatformStore, resource: Resource, query: AskedRecords) {
  if (!query.total) return {};
  return { total: (await store.search(resource, { ...query, after: undefined, limit: 0, offset: 0 })).total };
}

/** The records after the first page, page by page, so memory does not grow with the table. */
async function* furtherPages(read: ReadRecords, first: RecordPage, end: string) {
  let comma = first.items.length > 0 ? ',' : '';
  yield `{"status":"success","data":{"items":${JSON.stringify(first.items).slice(0, -1)}`;
  for (let after = first.next; after !== undefined; ) {
    const page = await read(after, PAGE);
    if (page.items.length > 0) {
      yield `${comma}${JSON.stringify(page.items).slice(1, -1)}`;
      comma = ',';
    }
    after = page.next;
    // Lets other requests, and the checks, run between two pages.
    await new Promise(setImmediate);
  }
  yield end;
}

async function listAll(
  context: RequestContext,
  store: PlatformStore,
  resource: Resource,
  asked: AskedRecords,
  headers: Readonly<Record<string, string>>,
  keep?: (text: string) => void,
): Promise<Response> {
  const { after = 0, limit } = asked;
  const read = createReadRecords(store, resource, asked);
  const counted = await countRecords(store, resource, asked);
  const first = await read(after, limit ?? PAGE);
  if (limit !== undefined || first.next === undefined) {
    const text = JSON.stringify({ ...first, ...counted });
    keep?.(text);
    return answerSuccessText(text, headers);
  }
  const end = `]${JSON.stringify(counted)
    .slice(1, -1)
    .replace(/^(?=.)/, ',')}}}`;
  const pages = furtherPages(read, first, end);
  return answerStream(pages, headers, context.reportError, context.breakOff);
}

/** One record, with its tag. A compressed answer would need another tag, so it is never compressed. */
function answerRecord(record: ApiRecord, { request, headers }: RequestContext) {
  const text = JSON.stringify(record);
  const untouched = { ...headers, 'cache-control': 'no-store, no-transform' };
  return answerTagged(request, textTag(text), untouched, (tagged) => answerSuccessText(`{"items":[${text}]}`, tagged));
}

const declarations = new WeakMap<Resource, string>();

/** The declaration is a part of each tag, because another release may show other members of the same records. */
function declarationOf(resource: Resource): string {
  const declaration = declarations.get(resource) ?? textTag(JSON.stringify(resource));
  declarations.set(resource, declaration);
  return declaration;
}

const MAX_KEPT = 32;
const MAX_KEPT_LENGTH = 65_536;

/** The texts of the latest short lists of a store by their tags. A tag is never that of another text, so none is outdated. */
const keptLists = new WeakMap<PlatformStore, Map<string, string>>();

function keepList(store: PlatformStore, tag: string, text: string): void {
  if (text.length > MAX_KEPT_LENGTH) return;
  const kept = keptLists.get(store) ?? new Map<string, string>();
  keptLists.set(store, kept.set(tag, text));
  const [oldest = tag] = kept.keys();
  if (kept.size > MAX_KEPT) kept.delete(oldest);
}

/**
 * A list with its tag, which comes of the list's version and not of its records. So one that is unchanged is not read, and one
 * that changes while it is sent has another tag the next time.
 */
async function answerList(
  context: RequestContext,
  store: PlatformStore,
  resource: Resource,
  asked: AskedRecords,
): Promise<Response> {
  const version = await store.listVersion(resource);
  if (version === undefined) return listAll(context, store, resource, asked, context.headers);
  const tag = weakTag(`${declarationOf(resource)} ${JSON.stringify(asked)} ${version}`);
  return answerTagged(context.request, tag, context.headers, (headers) => {
    const kept = keptLists.get(store)?.get(tag);
    if (kept !== undefined) return answerSuccessText(kept, headers);
    return listAll(context, store, resource, asked, headers, (text) => keepList(store, tag, text));
  });
}

/** Answers `ListAll/<segment>`: 0 lists, any other number is the id of one record. */
export async function listRecords(
  context: RequestContext,
  store: PlatformStore,
  resource: Resource,
  segment: string,
  query: URLSearchParams | undefined,
): Promise<Outcome<Response>> {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  const asked = readRecordQuery(query, resource);
  if (!asked.ok) return asked;
  if (id.value !== 0) {
    const record = await store.find(resource, id.value);
    if (record === undefined) return fail(resource.codes.missing, `there is no ${resource.noun} with that id`);
    return succeed(await answerRecord(record, context));
  }
  // An order other than by id has no index: each page of it reads the whole table.
  const { sort, limit = sort && MAX_LIMIT } = asked.value;
  return succeed(await answerList(context, store, resource, { ...asked.value, limit }));
}
