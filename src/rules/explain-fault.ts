import { CLIENTS } from '../clients/clients.ts';
import type { Client } from '../model/client.ts';
import { commandToCall, commandToSeeLog } from '../model/commands-to-type.ts';
import { formatDuration } from '../model/duration.ts';
import { type Fault, isOwnFault, type KnownRpcError } from '../model/observation.ts';
import type { Target } from '../model/target.ts';
import { degraded, type Finding, fail, type Judgement, unknown } from '../model/verdict.ts';
import { explainBlindFault, NO_DESCRIPTOR } from './explain-blind-fault.ts';

const NOT_JSON: Readonly<Record<(Fault & { kind: 'not-json' })['looksLike'], string>> = {
  html: 'it answered with a web page instead of JSON-RPC',
  cut: 'its answer is JSON that is cut off or broken',
  empty: 'it answered with an empty body',
  other: 'its answer is no JSON',
};

const TOO_MANY: Required<Finding> = {
  seen: 'it takes no more requests for now',
  fix: 'raise its limit, or the interval of the check',
};

/** Statuses to which a node, or a proxy before it, gives a special meaning (XDC-Subnet rpc/http.go). */
const STATUS: Readonly<Record<number, Required<Finding>>> = {
  401: {
    seen: 'it wants a user name and a password',
    fix: 'write them into the address in the inventory as http://USER:PASSWORD@…',
  },
  404: { seen: 'nothing is at this path', fix: 'correct the path of the address in the inventory' },
  415: {
    seen: 'it refuses the content type application/json',
    fix: 'correct the address in the inventory, as what answers is no node',
  },
  429: TOO_MANY,
  502: { seen: 'the proxy before it does not reach it', fix: 'start the program behind the proxy' },
  503: { seen: 'it is overloaded or gave up on the call after its own time limit', fix: 'check its load and memory' },
};

/** Explains an error of JSON-RPC, of a node or of what answers in its place. */
function explainRpcError(known: KnownRpcError, namespace: string, name: string, client: Client): Required<Finding> {
  const { advice } = client;
  switch (known) {
    case 'method-not-found':
      return {
        seen: 'it does not serve the method',
        fix: `${advice.openNamespace(namespace, name)}, or correct consensus in the inventory`,
      };
    case 'module-off':
      return { seen: 'it does not serve the namespace of the method', fix: advice.openNamespace(namespace, name) };
    case 'rate-limit':
      return TOO_MANY;
    case 'crashed':
      return {
        seen: 'the method crashed inside the node',
        fix: 'read the stack in its log, and restart it if it has lost its state',
      };
    case 'not-started':
      return { seen: 'the node is just starting or stopping', fix: 'wait, and read its log if it lasts' };
    case 'v1-block':
      return {
        seen: 'its chain is still before the switch to the second version of the consensus',
        fix: 'wait until it has passed the block of the switch',
      };
    case 'other':
      return { seen: 'the node could not carry out the call', fix: advice.findCallError };
  }
}

function explainStatus(status: number, target: Target, client: Client): Required<Finding> {
  const known =
    status === 403 && target.component === 'node'
      ? { seen: 'it refuses the host name of the request', fix: client.advice.acceptHosts }
      : STATUS[status];
  if (known === undefined) return { seen: `it answered HTTP ${status}`, fix: commandToSeeLog(target) };
  return { seen: `it answered HTTP ${status}: ${known.seen}`, fix: known.fix };
}

/**
 * Explains a fault and what to do; what was seen is the end of a sentence that starts with the target. `namespace` is that
 * of the RPC method; `client` what the node runs.
 */
export function explainFault(
  fault: Fault,
  target: Target,
  namespace = '',
  client: Client = CLIENTS['xdc-subnet'],
): Required<Finding> {
  switch (fault.kind) {
    case 'refused':
      return {
        seen: `nothing listens at ${fault.address}`,
        fix: `start it or correct the address in the inventory, and ${commandToSeeLog(target)}`,
      };
    case 'unresolved':
      return {
        seen: `the host name of ${fault.address} cannot be resolved`,
        fix: 'correct it in the inventory or the name server',
      };
    case 'unreachable':
      return {
        seen: `${fault.address} cannot be reached`,
        fix: 'check the route and the firewall between it and subnetd',
      };
    case 'closed':
      return {
        seen: `${fault.address} closed the connection before its answer was whole`,
        fix: commandToSeeLog(target),
      };
    case 'tls':
      return {
        seen: `the TLS connection to ${fault.address} failed`,
        fix: 'check its certificate, or whether it speaks TLS at all',
      };
    case 'timeout':
      return fault.received
        ? {
            seen: `${fault.address} began an answer and did not end it within ${formatDuration(fault.afterMs)}`,
            fix: `check its load, and ${commandToSeeLog(target)}`,
          }
        : {
            seen: `${fault.address} did not answer within ${formatDuration(fault.afterMs)}`,
            fix: `check whether it hangs, and ${commandToSeeLog(target)}`,
          };
    case 'too-large':
      return {
        seen: `its answer is larger than ${fault.maxBytes / 1024 / 1024} MiB`,
        fix: `correct the address in the inventory, as what answers is no healthy ${target.component}`,
      };
    case 'redirect':
      return {
        seen: `it redirects elsewhere (HTTP ${fault.status})`,
        fix: 'write the final address into the inventory',
      };
    case 'status':
      return explainStatus(fault.status, target, client);
    case 'not-http':
      return {
        seen: `what listens at ${fault.address} does not speak HTTP`,
        fix: 'correct the address or the port in the inventory',
      };
    case 'encoding':
      return { seen: 'its answer is compressed although nobody asked for that', fix: 'fix the proxy in front of it' };
    case 'no-descriptor':
      return NO_DESCRIPTOR;
    case 'not-json':
      return {
        seen: NOT_JSON[fault.looksLike],
        fix: `correct the address in the inventory, or ${commandToSeeLog(target)}`,
      };
    case 'envelope':
      return { seen: `its answer is no JSON-RPC: ${fault.what}`, fix: 'check what listens at this address' };
    case 'rpc-error': {
      const { seen, fix } = explainRpcError(fault.known, namespace, target.name, client);
      return { seen: `it answered with the JSON-RPC error ${fault.code}: ${seen}`, fix };
    }
    case 'result':
      return {
        seen: `its answer makes no sense: ${fault.what}`,
        fix: 'check what listens at this address and its version',
      };
    case 'no-committed':
      return {
        seen: 'it knows no committed block yet, as after a start',
        fix: 'wait a minute, then check that two thirds of the nodes run',
      };
    case 'result-error':
      return {
        seen: 'its answer hides an error inside a successful result',
        fix: `run \`${commandToCall('RPC_ADDRESS', `${namespace}_getV2BlockByNumber`, '["latest"]')}\` to see it`,
      };
    case 'body':
      return {
        seen: `its answer is not that of a healthy ${target.component}: ${fault.what}`,
        fix: commandToSeeLog(target),
      };
    case 'socket':
    case 'exec':
      return explainBlindFault(fault, target);
  }
}

/**
 * Fails a target for a fault, after words such as "n1 did not return its peers". When subnetd itself cannot see the target,
 * the check is degraded if access to a socket is missing, else unknown.
 */
export function judgeFault(what: string, fault: Fault, target: Target, namespace?: string, client?: Client): Judgement {
  const { seen, fix } = explainFault(fault, target, namespace, client);
  if (!isOwnFault(fault)) return fail(`${what}: ${seen}`, fix);
  const blind = fault.kind === 'socket' ? degraded : unknown;
  return blind(`nothing is seen of ${target.name}: ${seen}`, fix);
}
