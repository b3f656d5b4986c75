import { commandToSeeLog } from '../model/commands-to-type.ts';
import { formatDuration } from '../model/duration.ts';
import type { Fault } from '../model/observation.ts';
import type { Target } from '../model/target.ts';
import { explainBlindFault, NO_DESCRIPTOR } from './explain-blind-fault.ts';

const NOT_JSON: Readonly<Record<(Fault & { kind: 'not-json' })['looksLike'], string>> = {
  html: 'it answered with a web page instead of JSON-RPC',
  cut: 'its answer is JSON that is cut off or broken',
  empty: 'it answered with an empty body',
  other: 'its answer is no JSON',
};

/** Statuses to which a node, or a proxy before it, gives a special meaning (XDC-Subnet rpc/http.go). */
const STATUS: Readonly<Record<number, string>> = {
  401: 'it wants a user name and a password; write them into the address in the inventory as http://USER:PASSWORD@…',
  403: 'it refuses the host name of the request; start the node with --rpcvhosts "*", or use its IP address in the inventory',
  404: 'nothing is at this path; correct the path of the address in the inventory',
  415: 'it refuses the content type application/json; what answers is no node, so correct the address in the inventory',
  429: 'it takes no more requests for now; raise its limit, or the interval of the check',
  502: 'the proxy before it does not reach it; start the program behind the proxy',
  503: 'it is overloaded or gave up on the call after its own time limit; check its load and memory',
};

const RPC_ERROR: Readonly<Record<(Fault & { kind: 'rpc-error' })['known'], (namespace: string) => string>> = {
  'method-not-found': (namespace) =>
    `it does not serve the method; add ${namespace} to RPC_API in its env file and recreate it, or correct consensus in the inventory`,
  crashed: () => 'the method crashed inside the node; its log has the stack, and a restart repairs a lost state',
  'not-started': () => 'the node is just starting or stopping; wait, and read its log if it lasts',
  other: () => 'the node could not carry out the call; its log has a line "Served" that names the cause',
};

/**
 * Explains a fault and what to do, as the end of a sentence that starts with the target. `namespace` is that of the RPC
 * method.
 */
export function explainFault(fault: Fault, target: Target, namespace = ''): string {
  switch (fault.kind) {
    case 'refused':
      return `nothing listens at ${fault.address}; start it or correct the address in the inventory, and ${commandToSeeLog(target)}`;
    case 'unresolved':
      return `the host name of ${fault.address} cannot be resolved; correct it in the inventory or the name server`;
    case 'unreachable':
      return `${fault.address} cannot be reached; check the route and the firewall between it and subnetd`;
    case 'closed':
      return `${fault.address} closed the connection before its answer was whole; ${commandToSeeLog(target)}`;
    case 'tls':
      return `the TLS connection to ${fault.address} failed; check its certificate, or whether it speaks TLS at all`;
    case 'timeout':
      return fault.received
        ? `${fault.address} began an answer and did not end it within ${formatDuration(fault.afterMs)}; check its load, and ${commandToSeeLog(target)}`
        : `${fault.address} did not answer within ${formatDuration(fault.afterMs)}; it may hang, so ${commandToSeeLog(target)}`;
    case 'too-large':
      return `its answer is larger than ${fault.maxBytes / 1024 / 1024} MiB; what answers is no healthy ${target.component}, so correct the address in the inventory`;
    case 'redirect':
      return `it redirects elsewhere (HTTP ${fault.status}); write the final address into the inventory`;
    case 'status':
      return `it answered HTTP ${fault.status}: ${STATUS[fault.status] ?? commandToSeeLog(target)}`;
    case 'not-http':
      return `what listens at ${fault.address} does not speak HTTP; correct the address or the port in the inventory`;
    case 'encoding':
      return 'its answer is compressed although nobody asked for that; fix the proxy in front of it';
    case 'no-descriptor':
      return NO_DESCRIPTOR;
    case 'not-json':
      return `${NOT_JSON[fault.looksLike]}; correct the address in the inventory, or ${commandToSeeLog(target)}`;
    case 'envelope':
      return `its answer is no JSON-RPC: ${fault.what}; check what listens at this address`;
    case 'rpc-error':
      return `it answered with the JSON-RPC error ${fault.code}: ${RPC_ERROR[fault.known](namespace)}`;
    case 'result':
      return `its answer makes no sense: ${fault.what}; check what listens at this address and its version`;
    case 'no-committed':
      return 'it knows no committed block yet, as after a start; it should within a minute, else check that two thirds of the nodes run';
    case 'result-error':
      return 'its answer hides an error inside a successful result';
    case 'body':
      return `its answer is not that of a healthy ${target.component}: ${fault.what}; ${commandToSeeLog(target)}`;
    case 'socket':
    case 'exec':
      return explainBlindFault(fault, target);
  }
}
