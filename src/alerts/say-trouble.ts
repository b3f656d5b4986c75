/** Why a call did not succeed, as a part of a sentence that begins with the address; says nothing that is secret. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections; start it, or correct alertmanager.urls',
  ENOTFOUND: 'has a host name that nobody knows; correct alertmanager.urls',
  EAI_AGAIN: 'has a host name that cannot be looked up now; check the name server',
  ECONNRESET: 'closed the connection; look at its log',
  EPIPE: 'closed the connection; look at its log',
  UND_ERR_SOCKET: 'closed the connection; look at its log, and check whether it wants https',
  HPE_INVALID_CONSTANT: 'does not speak HTTP; correct alertmanager.urls, perhaps to https',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'refuses the credentials; correct alertmanager.basicAuth or alertmanager.bearerTokenFile',
  403: 'forbids it to these credentials; correct alertmanager.basicAuth or alertmanager.bearerTokenFile',
  404: 'has no API at this path; correct alertmanager.urls, with the prefix under which it is served',
  413: 'or what stands before it takes no body of this size; raise its limit',
};

const TLS = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** A file of the inventory that cannot be used. The message names its setting, its path and what to do. */
export class UnusableFile extends Error {}

/** What a status that is not 2xx means; `said` is the answer's own text, shown where it is about what was sent. */
export function sayStatus(status: number, said: string): string {
  const known = BY_STATUS[status];
  if (known !== undefined) return `${known} (status ${status})`;
  if (status >= 300 && status < 400) return `redirects elsewhere (status ${status}); give the final address`;
  const words = said.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
  return status === 400 || status === 422
    ? `refuses what was sent (status ${status}): ${words}`
    : `answers with status ${status}; look at its log`;
}

/** What an error of the network or of a file means. */
export function sayError(error: unknown, timeoutMs: number): string {
  if (error instanceof UnusableFile) return `cannot be called: ${error.message}`;
  const { code, name, errors } = error as NodeJS.ErrnoException & {
    readonly errors?: readonly NodeJS.ErrnoException[];
  };
  const first = code ?? errors?.[0]?.code ?? '';
  if (name === 'TimeoutError' || name === 'AbortError')
    return `does not answer within ${timeoutMs / 1000}s; look at its log`;
  if (TLS.test(first)) return `has a certificate that does not fit (${first}); correct alertmanager.tls or the address`;
  return BY_CODE[first] ?? `cannot be reached${first === '' ? '' : ` (${first})`}; check the network between`;
}
