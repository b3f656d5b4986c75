import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Inventory } from '../model/target.ts';

/** What each part of subnetd may keep open at once, in file descriptors. */
export interface DescriptorBudget {
  /** Connections of the HTTP server. */
  readonly connections: number;
  /** Connections to nodes, services and Docker. */
  readonly probes: number;
  /** Log files. */
  readonly logFiles: number;
}

/** The event loop, the listening socket, the log, the database, directory watches, Docker's events, name look-ups. */
const OWN = 32;

/** No part gets less than this, or it could do nothing. */
const LEAST = 4;

const MOST_CONNECTIONS = 4_096;

/** More are never open at once: the files that are quiet are closed. */
const MOST_LOG_FILES = 64;

/** How many descriptors this process may have; undefined where that cannot be known. Node itself raises the soft limit. */
export function readDescriptorLimit(): number | undefined {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many descriptors this process has; undefined where that cannot be known. */
export function countDescriptors(): number | undefined {
  try {
    // The one that lists them is among them.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** Whether one more could be had at this moment. */
export function hasDescriptor(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'EMFILE' && code !== 'ENFILE';
  }
}

/** Shares out what a limit leaves: a quarter each to the server and to log files, half to probes. */
export function planDescriptors(limit: number | undefined): DescriptorBudget {
  if (limit === undefined)
    return {
      connections: MOST_CONNECTIONS,
      probes: Number.POSITIVE_INFINITY,
      logFiles: MOST_LOG_FILES,
    };
  const left = Math.max(0, limit - OWN);
  const quarter = Math.max(LEAST, Math.floor(left / 4));
  return {
    connections: Math.min(MOST_CONNECTIONS, quarter),
    probes: Math.max(LEAST, Math.floor(left / 2)),
    logFiles: Math.min(MOST_LOG_FILES, quarter),
  };
}

/**
 * The limit with which everything in the inventory can stay open: a connection to each address, a stream of each
 * container's log, a file for each entry of `logFiles` as far as they are kept open.
 */
export function descriptorsFor({ subnets }: Inventory): number {
  let probes = 0;
  let logFiles = 0;
  for (const { targets } of subnets)
    for (const target of targets) {
      const addresses = target.component === 'node' ? [target.rpc, target.ipc] : 'url' in target ? [target.url] : [];
      probes += addresses.filter((address) => address !== undefined).length + (target.container === undefined ? 0 : 1);
      logFiles += target.logFiles.length;
    }
  return OWN + Math.max(4 * LEAST, 2 * probes, 4 * Math.min(MOST_LOG_FILES, logFiles));
}
