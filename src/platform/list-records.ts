import type { PlatformStore } from '../model/platform-store.ts';
import { MAX_INTEGER, type Resource } from '../model/resource.ts';
import { checkDigits } from './check-value.ts';
import { answerFailure, answerStream, answerSuccess } from './envelope.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

const PAGE = 500;
const MAX_LIMIT = 1_000;

type Headers = Readonly<Record<string, string>>;

function readNumber(query: URLSearchParams | undefined, name: string, least: number, most: number) {
  const text = query?.get(name) ?? undefined;
  const none: Outcome<number | undefined> = succeed(undefined);
  return text === undefined ? none : checkDigits(text, name, least, most);
}

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

/** `ListAll/<segment>`: 0 lists, any other number is the id of one record. */
export async function listRecords(
  store: PlatformStore,
  resource: Resource,
  segment: string,
  query: URLSearchParams | undefined,
  headers: Headers,
  onError: (error: unknown) => void,
  breakOff: (() => void) | undefined,
): Promise<Response> {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return answerFailure(id.failure, headers);
  const limit = readNumber(query, 'limit', 1, MAX_LIMIT);
  if (!limit.ok) return answerFailure(limit.failure, headers);
  const after = readNumber(query, 'after', 0, MAX_INTEGER);
  if (!after.ok) return answerFailure(after.failure, headers);

  if (id.value !== 0) {
    const record = await store.find(resource, id.value);
    const missing = fail(resource.codes.missing, `there is no ${resource.noun} with that id`);
    return record === undefined ? answerFailure(missing.failure, headers) : answerSuccess({ items: [record] }, headers);
  }
  if (limit.value !== undefined) {
    const records = await store.list(resource, after.value ?? 0, limit.value + 1);
    if (records.length <= limit.value) return answerSuccess({ items: records }, headers);
    const items = records.slice(0, limit.value);
    return answerSuccess({ items, next: items.at(-1)?.[resource.idMember] }, headers);
  }
  const records = await store.list(resource, after.value ?? 0, PAGE);
  if (records.length < PAGE) return answerSuccess({ items: records }, headers);
  const first = `{"status":"success","data":{"items":${JSON.stringify(records).slice(0, -1)}`;
  return answerStream(
    furtherPages(store, resource, first, Number(records.at(-1)?.[resource.idMember])),
    headers,
    onError,
    breakOff,
  );
}
