import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The header with the id of a request, also on its answer. */
export const REQUEST_ID = 'x-request-id';

// A request that reached no route may have been for the platform API.
/** The API's envelope of a failure, as JSON, for requests that no route answers. */
export const failedEnvelope = (code: number, message: string): string =>
  JSON.stringify({ status: 'failed', appErrorCode: code, errMessage: message });

/** A client's id is kept if it is short and harmless in a header or a log. */
const isSafeId = (id: unknown): id is string => typeof id === 'string' && /^[\w.=-]{1,64}$/.test(id);

/** Puts a safe id on the request, instead of the client's, and on its answer. */
function identify(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[REQUEST_ID];
  const id = isSafeId(sent) ? sent : crypto.randomUUID();
  if (id !== sent) {
    const { rawHeaders } = request;
    if (sent !== undefined)
      for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
        if (rawHeaders[at]?.toLowerCase() === REQUEST_ID) rawHeaders.splice(at, 2);
    rawHeaders.push(REQUEST_ID, id);
    request.headers[REQUEST_ID] = id;
  }
  response.setHeader(REQUEST_ID, id);
}

/** HTTP/1.1 needs exactly one Host header. A proxy and subnetd may read two of them differently. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** Gives each request its id and refuses one with an ambiguous host, before anything else sees it. */
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
