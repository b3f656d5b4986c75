import { ERROR_CODES } from './error-codes.ts';
import type { Failure } from './outcome.ts';

/** The header that HTTP requires with a status 401. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="subnetd"' };

const JSON_TYPE = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The body of a failure. */
const failureBody = ({ code, message }: Failure): string =>
  JSON.stringify({ status: 'failed', appErrorCode: code, errMessage: message });

/** The envelope of a success, HTTP 200. */
export const answerSuccess = (data: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`{"status":"success","data":${JSON.stringify(data)}}`, { headers: { ...JSON_TYPE, ...headers } });

/** The envelope of a failure, with the status of its code. */
export function answerFailure(failure: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const status: number = ERROR_CODES[failure.code][0];
  return new Response(failureBody(failure), {
    status,
    headers: { ...JSON_TYPE, ...(status === 401 && CHALLENGE), ...headers, ...failure.headers },
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
