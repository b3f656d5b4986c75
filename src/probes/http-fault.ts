import type { Fault } from '../model/observation.ts';

/** Headers without an end, and contradicting lengths. */
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** Maps the error of an HTTP exchange to its fault. */
export function toHttpFault(error: Error, address: string): Fault {
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') return { kind: 'no-descriptor' };
  if (code === 'ECONNREFUSED') return { kind: 'refused', address };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'unresolved', address };
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return { kind: 'closed', address };
  if (error.name === 'HTTPParserError' || (code !== undefined && NOT_HTTP.has(code)))
    return { kind: 'not-http', address };
  if (code !== undefined && TLS_CODE.test(code)) return { kind: 'tls', address };
  return { kind: 'unreachable', address };
}

/** The code of an error. When several addresses of a name failed, the code of the first. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return code ?? errors?.[0]?.code;
}
