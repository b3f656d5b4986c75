import { spawn } from 'node:child_process';
import type { Logger } from 'pino';
import type { Environment } from '../watch/inventory/substitute.ts';

/** What the daemon says to the service manager that started it. */
export interface ServiceManager {
  /** Call it often while the probes run as scheduled: the first call reports that the service is ready, later ones that it is alive. */
  readonly running: () => void;
  readonly stopping: () => void;
}

/** systemd recommends two. A third leaves room for a busy machine. */
const KICKS_PER_PERIOD = 3;

/**
 * Speaks the protocol of sd_notify(3). Node.js has no datagram sockets in the file system, so systemd's own command sends each message:
 * 8 ms of processor time. Undefined when no service manager listens.
 */
export function createServiceManager(environment: Environment, log: Logger): ServiceManager | undefined {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, PATH } = environment;
  if (NOTIFY_SOCKET === undefined) return undefined;
  const kickEveryMs = WATCHDOG_USEC === undefined ? Infinity : Number(WATCHDOG_USEC) / 1_000 / KICKS_PER_PERIOD;
  let lastAt: number | undefined;
  const say = (message: string) => {
    spawn('systemd-notify', [message], { stdio: 'ignore', env: { NOTIFY_SOCKET, PATH } }).once('error', (error) =>
      log.error(
        { cause: error.message },
        'systemd cannot be told how subnetd is, and will restart it; install systemd-notify, or set Type=exec and WatchdogSec=0 in the unit',
      ),
    );
  };
  return {
    running: () => {
      const now = performance.now();
      if (lastAt !== undefined && now - lastAt < kickEveryMs) return;
      say(lastAt === undefined ? 'READY=1' : 'WATCHDOG=1');
      lastAt = now;
    },
    stopping: () => say('STOPPING=1'),
  };
}
