import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The header that carries the id of a request, on its answer too. */
export const REQUEST_ID = 'x-request-id';

// Of a request that no route has seen, nobody knows that it was not for the platform API.
/** The API's envelope of a failure, as JSON, for what no route answers. */
export const failedEnvelope = (code: number, message: string): string =>
  JSON.stringify({ status: 'failed', appErrorCode: code, errMessage: message });

/** An id from outside is kept when it is short and can do no harm in a header or a log. */
const isSafeId = (id: unknown): id is string => typeof id === 'string' && /^[\w.=-]{1,64}$/.test(id);

/** Puts a safe id on the request, in place of what was sent, and on its answer. */
function identify(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[REQUEST_ID];
  const id = isSafeId(sent) ? sent : crypto.randomUUID();
  if (id !== sent) {
    const { rawHeaders } = request;
    for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
      if (rawHeaders[at]?.toLowerCase() === REQUEST_ID) rawHeaders.splice(at, 2);
    rawHeaders.push(REQUEST_ID, id);
    request.headers[REQUEST_ID] = id;
  }
  response.setHeader(REQUEST_ID, id);
}

/** HTTP/1.1 wants exactly one Host header. Two may mean one thing to a proxy and another to us. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** Gives each request its id, and refuses one whose host is not clear, before anything else sees it. */
export const receiveRequests =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    identify(request, response);
    if (hasOneHost(request)) {
      handle(request, response);
      return;
    }
    response.writeHead(400, { connection: 'close', 'content-type': 'application/json' });
    response.end(failedEnvelope(1001, 'the request needs exactly one Host header; correct it'));
  };
