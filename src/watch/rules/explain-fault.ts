import { MAX_SOCKET_PATH_BYTES } from '../../lib/addresses.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Client, ClientAdvice } from '../../model/client.ts';
import { explainAddress, TOO_MANY } from '../../model/name-fault.ts';
import {
  type ExecFault,
  type Fault,
  isOwnFault,
  type KnownRpcError,
  type SocketFault,
} from '../../model/observation.ts';
import type { Target } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, unknown } from '../../model/verdict.ts';
import { CLIENTS } from '../clients/clients.ts';
import { commandToCall, commandToSeeLog, RAISE_DESCRIPTORS } from '../clients/commands-to-type.ts';

/** Why an IPC socket cannot be used. `seeLog` is the command that shows the log of its node. */
const SOCKETS: Readonly<Record<SocketFault['state'], (fault: SocketFault, seeLog: string) => Required<Finding>>> = {
  missing: ({ path }, seeLog) => ({
    seen: `there is no socket ${path}`,
    fix: `correct ipc in the inventory, or start the node: ${seeLog}`,
  }),
  stale: ({ path }, seeLog) => ({
    seen: `nothing listens on the socket ${path} any more, as after a kill`,
    fix: `start the node: ${seeLog}`,
  }),
  'no-socket': ({ path }) => ({
    seen: `${path} is not a socket`,
    fix: 'correct ipc in the inventory, it usually ends in XDC.ipc',
  }),
  'too-long': ({ path }) => ({
    seen: `the path of the socket has ${Buffer.byteLength(path)} bytes and at most ${MAX_SOCKET_PATH_BYTES} can be used`,
    fix: 'move the folder of the deployment to a shorter path',
  }),
  denied: ({ path, owner, mode }) => ({
    seen: `subnetd may not open the socket ${path}${owner === undefined ? '' : ` (it belongs to ${owner}, mode ${mode})`}`,
    fix: 'run subnetd as its owner, or take ipc out of the inventory',
  }),
};

/** Without a fix, the log of the node shows more. */
const EXEC: Readonly<Record<ExecFault['why'], Finding>> = {
  docker: { seen: 'Docker cannot be asked to run `XDC attach`', fix: 'see the check container, which says why' },
  forbidden: {
    seen: 'Docker refuses to run `XDC attach`',
    fix: 'let the socket proxy allow POST and exec, or set consoleExec to false in the inventory',
  },
  'no-container': { seen: 'its container is not there', fix: 'see the check container, which says what to do' },
  'not-running': { seen: 'its container does not run', fix: 'see the check container, which says what to do' },
  'no-program': {
    seen: 'its container has no program XDC',
    fix: 'correct container in the inventory, or set consoleExec to false',
  },
  'no-attach': { seen: '`XDC attach` could not reach the process of the node, which is not running or hangs' },
  'still-running': {
    seen: 'the `XDC attach` of an earlier probe still hangs in its container',
    fix: 'restart the container if it stays so',
  },
  timeout: {
    seen: '`XDC attach` did not end in time',
    fix: 'raise checks.console.timeout, or restart the container if it stays so',
  },
  'too-large': { seen: '`XDC attach` printed more than it does in a healthy node' },
  'no-sense': {
    seen: 'what `XDC attach` printed makes no sense',
    fix: 'see whether what the container runs is a subnet node',
  },
};

/** What is wrong with subnetd itself; what was seen is the end of a sentence. */
export const NO_DESCRIPTOR: Required<Finding> = {
  seen: 'subnetd has run out of file descriptors',
  fix: `raise its limit ${RAISE_DESCRIPTORS}`,
};

const NOT_JSON: Readonly<Record<Exclude<(Fault & { kind: 'not-json' })['looksLike'], 'html'>, string>> = {
  cut: 'its answer is JSON that is cut off or broken',
  empty: 'it answered with an empty body',
  other: 'its answer is not JSON',
};

/** What an error of JSON-RPC means, of a node or of what answers in its place, and how to open the namespace of the method. */
const RPC_ERRORS: Readonly<Record<KnownRpcError, (open: string, advice: ClientAdvice) => Required<Finding>>> = {
  'method-not-found': (open) => ({
    seen: 'it does not serve the method',
    fix: `${open}, or correct consensus in the inventory`,
  }),
  'module-off': (open) => ({ seen: 'it does not serve the namespace of the method', fix: open }),
  'rate-limit': () => TOO_MANY,
  crashed: () => ({
    seen: 'the method crashed inside the node',
    fix: 'read the stack in its log, and restart it if it has lost its state',
  }),
  'not-started': () => ({ seen: 'the node is just starting or stopping', fix: 'wait, and read its log if it lasts' }),
  'v1-block': () => ({
    seen: 'its chain is still before the switch to the second version of the consensus',
    fix: 'wait until it has passed the block of the switch',
  }),
  other: (_, advice) => ({ seen: 'the node could not carry out the call', fix: advice.findCallError }),
};

/** Explains a fault; what was seen ends a sentence about the target. `namespace` is that of the RPC method. */
export function explainFault(
  fault: Fault,
  target: Target,
  namespace = '',
  client: Client = CLIENTS['xdc-subnet'],
): Required<Finding> {
  const own = explainAddress(fault);
  switch (fault.kind) {
    case 'refused':
      return {
        seen: `nothing listens at ${fault.address}`,
        fix: `start it or correct the address in the inventory, and ${commandToSeeLog(target)}`,
      };
    case 'unreachable':
      return {
        seen:
          fault.afterMs === undefined
            ? `${fault.address} cannot be reached`
            : `${fault.address} has taken no connection within ${formatDuration(fault.afterMs)}`,
        fix: 'check the route and the firewall between it and subnetd',
      };
    case 'closed':
      return {
        seen: `${fault.address} closed the connection before its answer was whole`,
        fix: commandToSeeLog(target),
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
        fix: `correct the address in the inventory, because what answers there is not a healthy ${target.component}`,
      };
    case 'status':
      return {
        ...(own ?? { seen: `it answered HTTP ${fault.status}`, fix: commandToSeeLog(target) }),
        ...(fault.refusesHost && { fix: client.advice.acceptHosts }),
      };
    case 'unresolved':
    case 'tls':
    case 'redirect':
    case 'not-http':
    case 'encoding':
      return own as Required<Finding>;
    case 'no-descriptor':
      return NO_DESCRIPTOR;
    case 'not-json':
      return fault.looksLike === 'html'
        ? (own as Required<Finding>)
        : {
            seen: NOT_JSON[fault.looksLike],
            fix: `correct the address in the inventory, or ${commandToSeeLog(target)}`,
          };
    case 'envelope':
      return { seen: `its answer is not JSON-RPC: ${fault.what}`, fix: 'check what listens at this address' };
    case 'rpc-error': {
      const open = client.advice.openNamespace(namespace, target);
      const { seen, fix } = RPC_ERRORS[fault.known](open, client.advice);
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
    case 'result-error': {
      const { method, params } = client.calls(namespace).latest;
      return {
        seen: 'its answer hides an error inside a successful result',
        fix: `run \`${commandToCall('RPC_ADDRESS', method, JSON.stringify(params))}\` to see it`,
      };
    }
    case 'body':
      return {
        seen: `its answer is not that of a healthy ${target.component}: ${fault.what}`,
        fix: commandToSeeLog(target),
      };
    case 'socket':
      return SOCKETS[fault.state](fault, commandToSeeLog(target));
    case 'exec':
      return { fix: commandToSeeLog(target), ...EXEC[fault.why] };
  }
}

/** Fails a target for a fault, after words such as "n1 did not return its peers", unless subnetd itself cannot see it. */
export function judgeFault(what: string, fault: Fault, target: Target, namespace?: string, client?: Client): Judgement {
  const { seen, fix } = explainFault(fault, target, namespace, client);
  if (!isOwnFault(fault)) return fail(`${what}: ${seen}`, fix);
  const blind = fault.kind === 'socket' ? degraded : unknown;
  return blind(`nothing is seen of ${target.name}: ${seen}`, fix);
}
