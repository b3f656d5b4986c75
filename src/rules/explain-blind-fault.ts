import { commandToSeeLog } from '../model/commands-to-type.ts';
import type { ExecFault, Fault, SocketFault } from '../model/observation.ts';
import { MAX_SOCKET_PATH_BYTES } from '../model/socket-path.ts';
import type { Target } from '../model/target.ts';
import { degraded, type Judgement, unknown } from '../model/verdict.ts';

function explainSocket({ path, state, owner, mode }: SocketFault, target: Target): string {
  switch (state) {
    case 'missing':
      return `there is no socket ${path}; correct ipc in the inventory, or start the node: ${commandToSeeLog(target)}`;
    case 'stale':
      return `nobody listens on the socket ${path} any more, as after a kill; start the node: ${commandToSeeLog(target)}`;
    case 'no-socket':
      return `${path} is no socket; correct ipc in the inventory, it usually ends in XDC.ipc`;
    case 'too-long':
      return `the path of the socket has ${Buffer.byteLength(path)} bytes and at most ${MAX_SOCKET_PATH_BYTES} can be used; move the folder of the deployment to a shorter path`;
    case 'denied': {
      const whose = owner === undefined ? '' : ` (it belongs to ${owner}, mode ${mode})`;
      return `subnetd may not open the socket ${path}${whose}; run subnetd as its owner, or take ipc out of the inventory`;
    }
  }
}

const EXEC: Readonly<Record<ExecFault['why'], string>> = {
  docker: 'Docker cannot be asked to run its console; the check container says why',
  forbidden:
    'Docker refuses to run its console; let the socket proxy allow POST and exec, or set consoleExec to false in the inventory',
  'no-container': 'its container is not there; the check container says what to do',
  'not-running': 'its container does not run; the check container says what to do',
  'no-program': 'its container has no program XDC; correct container in the inventory, or set consoleExec to false',
  'no-attach': 'its console could not attach to the process of the node, which is not running or hangs',
  'still-running': 'the console of an earlier look still hangs in its container; restart the container if it stays so',
  timeout: 'its console did not end in time; raise checks.console.timeout, or restart the container if it stays so',
  'too-large': 'its console printed more than any healthy one does',
  'no-sense': 'what its console printed makes no sense; see whether what the container runs is a subnet node',
};

/** Explains a fault of `XDC attach` or of the IPC socket, as the end of a sentence. */
export const explainBlindFault = (fault: SocketFault | ExecFault, target: Target): string =>
  fault.kind === 'socket'
    ? explainSocket(fault, target)
    : `${EXEC[fault.why]}${fault.why === 'no-attach' ? `; ${commandToSeeLog(target)}` : ''}`;

/** What is wrong with subnetd itself, as the end of a sentence. */
export const NO_DESCRIPTOR =
  'subnetd has no file descriptor left; raise its limit with LimitNOFILE in its systemd unit or with ulimit -n, and restart it';

/**
 * The verdict when subnetd itself cannot see the node. Degraded without access to a socket; unknown without Docker or a
 * file descriptor. Undefined when the fault is the node's.
 */
export function judgeBlind(fault: Fault, target: Target): Judgement | undefined {
  if (fault.kind === 'socket' && (fault.state === 'denied' || fault.state === 'too-long'))
    return degraded(`nothing is seen of ${target.name}: ${explainSocket(fault, target)}`);
  if (fault.kind === 'exec' && (fault.why === 'docker' || fault.why === 'forbidden'))
    return unknown(`nothing is seen of ${target.name}: ${EXEC[fault.why]}`);
  if (fault.kind === 'no-descriptor') return unknown(`nothing is seen of ${target.name}: ${NO_DESCRIPTOR}`);
  return undefined;
}
