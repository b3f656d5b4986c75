import type { PlatformStore } from '../model/platform-store.ts';
import { type ApiRecord, MAX_INTEGER, type Resource } from '../model/resource.ts';
import { checkDigits } from './check-value.ts';
import { answerStream, answerSuccess, answerSuccessText, answerTagged } from './envelope.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { MAX_LIMIT, readNumber } from './read-page.ts';
import type { ReadQuery, ReadRecordQuery } from './read-record-query.ts';
import { textTag, weakTag } from './record-tag.ts';
import type { IdentifiedRequest } from './request-context.ts';

const PAGE = 500;

/** Reads at most `limit` records that follow the one with the id `after`. */
type ReadRecords = (after: number, limit: number) => Promise<readonly ApiRecord[]>;

const createReadRecords = (store: PlatformStore, resource: Resource, query: ReadQuery): ReadRecords =>
  query.isPlain
    ? (after, limit) => store.list(resource, after, limit)
    : async (after, limit) => {
        // Without an order, `after` may be any number; with one, it is the id of a record.
        const from = query.sort === undefined || after > 0 ? after : undefined;
        return (await store.search(resource, { ...query, after: from, limit, offset: 0, isUncounted: true })).items;
      };

async function countRecords(store: PlatformStore, resource: Resource, query: ReadQuery) {
  if (!query.isCounted) return {};
  return { total: (await store.search(resource, { ...query, limit: 0, offset: 0 })).total };
}

/** The records after the first page, page by page, so memory does not grow with the table. */
async function* furtherPages(read: ReadRecords, idMember: string, first: string, after: number, end: string) {
  yield first;
  for (let last = after; ; ) {
    const page = await read(last, PAGE);
    if (page.length > 0) yield `,${JSON.stringify(page).slice(1, -1)}`;
    if (page.length < PAGE) break;
    last = Number(page.at(-1)?.[idMember]);
    // Lets other requests, and the checks, run between two pages.
    await new Promise(setImmediate);
  }
  yield end;
}

/** Which records a request asks for. */
interface Asked {
  readonly query: ReadQuery;
  readonly after: number;
  readonly limit: number | undefined;
}

async function listAll(
  { context, store }: IdentifiedRequest,
  resource: Resource,
  { query, after, limit }: Asked,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { idMember } = resource;
  const read = createReadRecords(store, resource, query);
  const counted = await countRecords(store, resource, query);
  const lastId = (records: readonly ApiRecord[]) => records.at(-1)?.[idMember];
  if (limit !== undefined) {
    const records = await read(after, limit + 1);
    if (records.length <= limit) return answerSuccess({ items: records, ...counted }, headers);
    const items = records.slice(0, limit);
    return answerSuccess({ items, next: lastId(items), ...counted }, headers);
  }
  const records = await read(after, PAGE);
  if (records.length < PAGE) return answerSuccess({ items: records, ...counted }, headers);
  const first = `{"status":"success","data":{"items":${JSON.stringify(records).slice(0, -1)}`;
  const end = `]${JSON.stringify(counted)
    .slice(1, -1)
    .replace(/^(?=.)/, ',')}}}`;
  const pages = furtherPages(read, idMember, first, Number(lastId(records)), end);
  return answerStream(pages, headers, context.reportError, context.breakOff);
}

/** One record, with its tag. A compressed answer would need another tag, so it is never compressed. */
function answerRecord(record: ApiRecord, { request, headers }: IdentifiedRequest['context']) {
  const text = JSON.stringify(record);
  const untouched = { ...headers, 'cache-control': 'no-store, no-transform' };
  return answerTagged(request, textTag(text), untouched, (tagged) => answerSuccessText(`{"items":[${text}]}`, tagged));
}

/**
 * A list with its tag, which comes of the list's version and not of its records. So one that is unchanged is not read, and one
 * that changes while it is sent has another tag the next time.
 */
async function answerList(request: IdentifiedRequest, resource: Resource, asked: Asked): Promise<Response> {
  const { context, store } = request;
  const answer = (headers: Readonly<Record<string, string>>) => listAll(request, resource, asked, headers);
  const version = await store.listVersion(resource);
  if (version === undefined) return answer(context.headers);
  // With the declaration, because another release may show other members of the same records.
  const tag = weakTag(JSON.stringify([resource, asked, version]));
  return answerTagged(context.request, tag, context.headers, answer);
}

/** Answers `ListAll/<segment>`: 0 lists, any other number is the id of one record. */
export async function listRecords(
  request: IdentifiedRequest,
  resource: Resource,
  segment: string,
  readQuery: ReadRecordQuery,
): Promise<Outcome<Response>> {
  const { context, store, query: sent } = request;
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  const limit = readNumber(sent, 'limit', 1, MAX_LIMIT);
  if (!limit.ok) return limit;
  const after = readNumber(sent, 'after', 0, MAX_INTEGER);
  if (!after.ok) return after;
  const query = readQuery(sent, resource);
  if (!query.ok) return query;
  if (id.value !== 0) {
    const record = await store.find(resource, id.value);
    if (record === undefined) return fail(resource.codes.missing, `there is no ${resource.noun} with that id`);
    return succeed(await answerRecord(record, context));
  }
  // An order other than by id has no index: each page of it reads the whole table.
  const most = query.value.sort === undefined ? limit.value : (limit.value ?? MAX_LIMIT);
  return succeed(await answerList(request, resource, { query: query.value, after: after.value ?? 0, limit: most }));
}
