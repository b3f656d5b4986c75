import { ERROR_CODES } from './error-codes.ts';
import type { Failure } from './outcome.ts';
import { isKnown } from './record-tag.ts';

/** The header that HTTP requires with a status 401. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="subnetd"' };

const JSON_TYPE = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Where the reference explains a code. */
const linkTo = (code: Failure['code']): string => `/docs#code-${code}`;

/** Does the header `Prefer` (RFC 7240) ask for a link to the reference? */
const prefersLink = (prefer: string | null): boolean =>
  (prefer ?? '').split(',').some((one) => /^link$/i.test(one.split(/[;=]/, 1)[0]?.trim() ?? ''));

/** An answer whose length tells the server whether compression is worth it. */
const answerText = (text: string, status: number, headers: Readonly<Record<string, string>>): Response =>
  new Response(text, {
    status,
    headers: { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(text)), ...headers },
  });

/** The envelope of a success, HTTP 200; `data` is JSON. */
export const answerSuccessText = (data: string, headers: Readonly<Record<string, string>>): Response =>
  answerText(`{"status":"success","data":${data}}`, 200, headers);

/** The envelope of a success, HTTP 200. */
export const answerSuccess = (data: unknown, headers: Readonly<Record<string, string>>): Response =>
  answerSuccessText(JSON.stringify(data), headers);

/** The answer with its tag; no content, HTTP 304, if the client has it already. `cache-control` is the same in both. */
export function answerTagged(
  request: Request,
  tag: string,
  headers: Readonly<Record<string, string>>,
  answer: (headers: Readonly<Record<string, string>>) => Response | Promise<Response>,
): Response | Promise<Response> {
  const tagged = { 'cache-control': JSON_TYPE['cache-control'], ...headers, etag: tag };
  const isHad = isKnown(request.headers.get('if-none-match'), tag);
  return isHad ? new Response(null, { status: 304, headers: tagged }) : answer(tagged);
}

/** What a path takes: no content, HTTP 204. */
export const answerOptions = (allow: string, headers: Readonly<Record<string, string>>): Response =>
  new Response(null, { status: 204, headers: { allow, ...headers } });

/**
 * The envelope of a failure, with the status of its code. It has the three members of the specification, and a `link` to
 * the code in the reference if the request asked for one by `Prefer: link`.
 */
export function answerFailure(
  { code, message, headers: own }: Failure,
  headers: Readonly<Record<string, string>>,
  prefer: string | null,
): Response {
  const status: number = ERROR_CODES[code][0];
  const hasLink = prefersLink(prefer);
  const body = { status: 'failed', appErrorCode: code, errMessage: message, ...(hasLink && { link: linkTo(code) }) };
  return answerText(JSON.stringify(body), status, {
    ...(status === 401 && CHALLENGE),
    ...(hasLink && { 'preference-applied': 'link' }),
    ...headers,
    ...own,
  });
}

/**
 * A success whose text is streamed in pieces. If a piece fails, `breakOff` breaks the connection, so the answer never
 * ends as valid JSON. Without `breakOff` the stream fails, which the server prints.
 */
export function answerStream(
  pieces: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>>,
  onError: (error: unknown) => void,
  breakOff: (() => void) | undefined,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        onError(error);
        if (breakOff === undefined) controller.error(new Error('a list broke off'));
        else breakOff();
      }
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
  return new Response(body, { headers: { ...JSON_TYPE, ...headers } });
}
