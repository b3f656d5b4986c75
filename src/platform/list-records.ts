import type { PlatformStore } from '../model/platform-store.ts';
import { MAX_INTEGER, type Resource } from '../model/resource.ts';
import { checkDigits } from './check-value.ts';
import { answerStream, answerSuccess } from './envelope.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { MAX_LIMIT, readNumber } from './read-page.ts';
import type { IdentifiedRequest } from './request-context.ts';

const PAGE = 500;

/** The records after the first page, page by page, so memory does not grow with the table. */
async function* furtherPages(store: PlatformStore, resource: Resource, first: string, after: number) {
  yield first;
  for (let last = after; ; ) {
    const page = await store.list(resource, last, PAGE);
    if (page.length > 0) yield `,${JSON.stringify(page).slice(1, -1)}`;
    if (page.length < PAGE) break;
    last = Number(page.at(-1)?.[resource.idMember]);
    // Lets other requests, and the checks, run between two pages.
    await new Promise(setImmediate);
  }
  yield ']}}';
}

/** Answers `ListAll/<segment>`: 0 lists, any other number is the id of one record. */
export async function listRecords(
  { context, store, query }: IdentifiedRequest,
  resource: Resource,
  segment: string,
): Promise<Outcome<Response>> {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  const limit = readNumber(query, 'limit', 1, MAX_LIMIT);
  if (!limit.ok) return limit;
  const after = readNumber(query, 'after', 0, MAX_INTEGER);
  if (!after.ok) return after;
  const answer = (data: unknown) => succeed(answerSuccess(data, context.headers));

  if (id.value !== 0) {
    const record = await store.find(resource, id.value);
    if (record === undefined) return fail(resource.codes.missing, `there is no ${resource.noun} with that id`);
    return answer({ items: [record] });
  }
  if (limit.value !== undefined) {
    const records = await store.list(resource, after.value ?? 0, limit.value + 1);
    if (records.length <= limit.value) return answer({ items: records });
    const items = records.slice(0, limit.value);
    return answer({ items, next: items.at(-1)?.[resource.idMember] });
  }
  const records = await store.list(resource, after.value ?? 0, PAGE);
  if (records.length < PAGE) return answer({ items: records });
  const first = `{"status":"success","data":{"items":${JSON.stringify(records).slice(0, -1)}`;
  const pages = furtherPages(store, resource, first, Number(records.at(-1)?.[resource.idMember]));
  return succeed(answerStream(pages, context.headers, context.reportError, context.breakOff));
}
