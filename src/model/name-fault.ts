import type { DockerFault, ExecFault, Fault, PageObservation, SocketFault } from './observation.ts';
import type { Finding } from './verdict.ts';

const NOT_JSON: Readonly<Record<Extract<Fault, { kind: 'not-json' }>['looksLike'], string>> = {
  html: 'a web page',
  cut: 'JSON that is cut off or broken',
  empty: 'an empty body',
  other: 'something that is no JSON',
};

const SOCKET: Readonly<Record<SocketFault['state'], string>> = {
  missing: 'there is no such socket',
  denied: 'subnetd may not open the socket',
  stale: 'nothing listens at the socket',
  'no-socket': 'the path is not a socket',
  'too-long': 'the path of the socket is too long',
};

const EXEC: Readonly<Record<ExecFault['why'], string>> = {
  docker: 'Docker did not answer',
  forbidden: 'Docker refused the command',
  'no-container': 'there is no such container',
  'not-running': 'the container does not run',
  'no-program': 'the container has no such program',
  'no-attach': 'XDC attach ended with an error',
  'still-running': 'the command before has not ended yet',
  timeout: 'the command did not end in time',
  'too-large': 'the output is too large',
  'no-sense': 'the output is unreadable',
};

/** A fault in a few words, without an address: what came in place of an answer. */
export function nameFault(fault: Fault): string {
  switch (fault.kind) {
    case 'refused':
      return 'the connection was refused';
    case 'unresolved':
      return 'the host name cannot be resolved';
    case 'unreachable':
      return fault.afterMs === undefined ? 'the address cannot be reached' : `no connection within ${fault.afterMs} ms`;
    case 'closed':
      return 'the connection was closed before the answer was whole';
    case 'tls':
      return 'the TLS connection failed';
    case 'timeout':
      return `${fault.received ? 'an answer that did not end' : 'no answer'} within ${fault.afterMs} ms`;
    case 'too-large':
      return `more than ${fault.maxBytes} bytes`;
    case 'redirect':
    case 'status':
      return `HTTP ${fault.status}`;
    case 'not-http':
      return 'something that is no HTTP';
    case 'encoding':
      return 'a compressed body, which was not requested';
    case 'file':
      return `${fault.setting} ${fault.why}`;
    case 'no-descriptor':
      return 'subnetd could not open a connection: it has no free file descriptor';
    case 'not-json':
      return NOT_JSON[fault.looksLike];
    case 'envelope':
      return `no JSON-RPC: ${fault.what}`;
    case 'rpc-error':
      return `JSON-RPC error ${fault.code}${fault.known === 'other' ? '' : ` (${fault.known})`}`;
    case 'result':
    case 'body':
      return fault.what;
    case 'no-committed':
      return 'no committed block is known yet';
    case 'result-error':
      return 'a result with an error in it';
    case 'socket':
      return SOCKET[fault.state];
    case 'exec':
      return EXEC[fault.why];
  }
}

const OTHER_HOST: Required<Finding> = {
  seen: 'it refuses the host name of the request',
  fix: 'use its IP address in the inventory, or let it accept this host name',
};

/** A limit of the rate, by a status or by an error of JSON-RPC. */
export const TOO_MANY: Required<Finding> = {
  seen: 'it takes no more requests for now',
  fix: 'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check',
};

/** A request without the key or the password that it needs, by a status or by an error of JSON-RPC. */
export const NO_KEY: Required<Finding> = {
  seen: 'it wants a user name and a password, or a key',
  fix: 'correct its address in the inventory, with the key of its provider or as http://USER:PASSWORD@…; a node may have them in basicAuth instead',
};

const NO_WAY: Required<Finding> = {
  seen: 'the proxy before it does not reach it',
  fix: 'start the program behind the proxy',
};

/** Statuses to which a node, or a proxy before it, gives a special meaning (XDC-Subnet rpc/http.go). */
const STATUS: Readonly<Record<number, Required<Finding>>> = {
  400: {
    seen: 'it does not understand the request',
    fix: 'correct the address in the inventory: it may have to begin with https, or name another port',
  },
  401: NO_KEY,
  403: {
    seen: 'it forbids the request',
    fix: 'let the address of subnetd through at the proxy or firewall before it, or correct the address in the inventory',
  },
  404: { seen: 'nothing is at this path', fix: 'correct the path of the address in the inventory' },
  415: {
    seen: 'it refuses the content type application/json',
    fix: 'correct the address in the inventory, because what answers there is not a node',
  },
  429: TOO_MANY,
  502: NO_WAY,
  503: {
    seen: 'it is overloaded or gave up on the call after its own time limit',
    fix: 'check its load and memory, and whether it runs if a proxy stands before it',
  },
};

/** Nothing that is watched answers so by itself. Those from 504 on are of proxies, as of Cloudflare. */
function explainStatus(status: number): Required<Finding> | undefined {
  if (status === 500) return undefined;
  if (status >= 504) return NO_WAY;
  return {
    seen: 'what should be there never answers that',
    fix: 'correct the address in the inventory, or what stands before it',
  };
}

/**
 * Explains a fault that tells by itself how to mend the address or what stands before it, whatever should answer there; undefined for
 * the others.
 */
export function explainAddress(fault: Fault): Required<Finding> | undefined {
  switch (fault.kind) {
    case 'unresolved':
      return {
        seen: `the host name of ${fault.address} cannot be resolved`,
        fix: 'correct it in the inventory or the name server',
      };
    case 'tls':
      return {
        seen: `the TLS connection to ${fault.address} failed`,
        fix: 'check its certificate, for a node also tls in the inventory, or whether it speaks TLS at all',
      };
    case 'redirect':
      return {
        seen: `it redirects elsewhere (HTTP ${fault.status})`,
        fix: 'write the final address into the inventory',
      };
    case 'status': {
      const known = fault.refusesHost ? OTHER_HOST : (STATUS[fault.status] ?? explainStatus(fault.status));
      return known && { seen: `it answered HTTP ${fault.status}: ${known.seen}`, fix: known.fix };
    }
    case 'not-http':
      return {
        seen: `what listens at ${fault.address} does not speak HTTP`,
        fix: 'correct the address or the port in the inventory',
      };
    case 'encoding':
      return { seen: 'its answer is compressed although that was not requested', fix: 'fix the proxy in front of it' };
    case 'not-json':
      return fault.looksLike === 'html'
        ? {
            seen: 'it answered with a web page instead of JSON-RPC',
            fix: 'correct the address in the inventory, or look at the page: it may be that of a proxy',
          }
        : undefined;
    case 'rpc-error': {
      const known = fault.known === 'rate-limit' ? TOO_MANY : fault.known === 'unauthorised' ? NO_KEY : undefined;
      return known && { seen: `it answered with the JSON-RPC error ${fault.code}: ${known.seen}`, fix: known.fix };
    }
    default:
      return undefined;
  }
}

/** The HTTP status that an answer had, as far as its fault shows it. */
export function statusOfFault(fault: Fault): number | undefined {
  switch (fault.kind) {
    case 'redirect':
    case 'status':
      return fault.status;
    // These are found only in the body of an answer with the status 200.
    case 'not-json':
    case 'envelope':
    case 'rpc-error':
    case 'result':
    case 'no-committed':
    case 'result-error':
    case 'body':
      return 200;
    default:
      return undefined;
  }
}

const DOCKER: Readonly<Partial<Record<DockerFault['code'], string>>> = {
  ENOENT: 'there is no such socket',
  EACCES: 'subnetd may not open the socket',
  ECONNREFUSED: 'the connection was refused',
  'no-descriptor': 'subnetd could not open a connection: it has no free file descriptor',
  timeout: 'no answer in time',
  other: 'no answer that makes sense',
};

/** Why Docker did not answer, in a few words. */
export const nameDockerFault = ({ code }: DockerFault): string => DOCKER[code] ?? `no way by ssh (${code})`;

const NO_PAGE: Readonly<Record<Extract<PageObservation, { kind: 'no-page' }>['why'], string>> = {
  unreachable: 'the address cannot be reached',
  status: 'an error',
  timeout: 'no whole page in time',
  redirects: 'too many redirects',
  dialogs: 'too many dialogs or windows',
  'too-large': 'more than a page may have',
  crashed: 'the page crashed',
  'no-html': 'no page',
};

/** Why a browser brought nothing of a page, in a few words. */
export function nameNoPage(seen: Exclude<PageObservation, { kind: 'visited' }>): string {
  if (seen.kind === 'no-browser') return `no browser (${seen.why})`;
  return seen.status === undefined ? NO_PAGE[seen.why] : `HTTP ${seen.status}`;
}
