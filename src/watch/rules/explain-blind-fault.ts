import { MAX_SOCKET_PATH_BYTES } from '../../lib/addresses.ts';
import type { ExecFault, SocketFault } from '../../model/observation.ts';
import type { Target } from '../../model/target.ts';
import type { Finding } from '../../model/verdict.ts';
import { commandToSeeLog, RAISE_DESCRIPTORS } from '../clients/commands-to-type.ts';

function explainSocket({ path, state, owner, mode }: SocketFault, target: Target): Required<Finding> {
  switch (state) {
    case 'missing':
      return {
        seen: `there is no socket ${path}`,
        fix: `correct ipc in the inventory, or start the node: ${commandToSeeLog(target)}`,
      };
    case 'stale':
      return {
        seen: `nothing listens on the socket ${path} any more, as after a kill`,
        fix: `start the node: ${commandToSeeLog(target)}`,
      };
    case 'no-socket':
      return { seen: `${path} is not a socket`, fix: 'correct ipc in the inventory, it usually ends in XDC.ipc' };
    case 'too-long':
      return {
        seen: `the path of the socket has ${Buffer.byteLength(path)} bytes and at most ${MAX_SOCKET_PATH_BYTES} can be used`,
        fix: 'move the folder of the deployment to a shorter path',
      };
    case 'denied': {
      const whose = owner === undefined ? '' : ` (it belongs to ${owner}, mode ${mode})`;
      return {
        seen: `subnetd may not open the socket ${path}${whose}`,
        fix: 'run subnetd as its owner, or take ipc out of the inventory',
      };
    }
  }
}

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

function explainExec({ why }: ExecFault, target: Target): Required<Finding> {
  const { seen, fix = commandToSeeLog(target) } = EXEC[why];
  return { seen, fix };
}

/** Explains a fault of `XDC attach` or of the IPC socket; what was seen is the end of a sentence. */
export const explainBlindFault = (fault: SocketFault | ExecFault, target: Target): Required<Finding> =>
  fault.kind === 'socket' ? explainSocket(fault, target) : explainExec(fault, target);

/** What is wrong with subnetd itself; what was seen is the end of a sentence. */
export const NO_DESCRIPTOR: Required<Finding> = {
  seen: 'subnetd has no file descriptor left',
  fix: `raise its limit ${RAISE_DESCRIPTORS}`,
};
