import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { PARENT_CONNECTIONS } from '../../model/parent-chain.ts';
import type { Inventory } from '../../model/target.ts';

/** How many file descriptors each part of subnetd may keep open at once. */
export interface DescriptorBudget {
  /** Connections of the HTTP server. */
  readonly connections: number;
  /** Connections to nodes, services and Docker. */
  readonly probes: number;
  /** Log files. */
  readonly logFiles: number;
}

/** The event loop, the listening socket, the log, the database and its thread, directory watches, Docker's events, name look-ups. */
const OWN = 40;

/** The minimum for each part, to work at all. */
const MIN_DESCRIPTORS = 4;

const MAX_CONNECTIONS = 4_096;

/** The maximum for log files: quiet files are closed. */
const MAX_LOG_FILES = 64;

/** The descriptor limit of this process; undefined if unknown. Node.js itself raises the soft limit. */
export function readDescriptorLimit(): number | undefined {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many descriptors this process has open; undefined if unknown. */
export function countDescriptors(): number | undefined {
  try {
    // Since Linux 6.2 it is the size of the folder; to list 10,000 of them takes ten milliseconds.
    const { size } = statSync('/proc/self/fd');
    if (size > 0) return size;
    // The listing itself uses one.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** Whether one more is available now. */
export function hasDescriptor(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'EMFILE' && code !== 'ENFILE';
  }
}

/** Shares out what a limit leaves: a quarter each to the server and to log files, up to their maximum, and the rest to probes. */
export function planDescriptors(limit: number | undefined): DescriptorBudget {
  if (limit === undefined)
    return {
      connections: MAX_CONNECTIONS,
      probes: Number.POSITIVE_INFINITY,
      logFiles: MAX_LOG_FILES,
    };
  const remaining = Math.max(0, limit - OWN);
  const quarter = Math.max(MIN_DESCRIPTORS, Math.floor(remaining / 4));
  const connections = Math.min(MAX_CONNECTIONS, quarter);
  const logFiles = Math.min(MAX_LOG_FILES, quarter);
  return { connections, logFiles, probes: Math.max(MIN_DESCRIPTORS, remaining - connections - logFiles) };
}

/** The least that leaves so many to probes: with both others at a quarter, with only the server there, or with both at their maximum. */
const remainingFor = (probes: number): number =>
  Math.min(2 * probes, Math.ceil(((probes + MAX_LOG_FILES) * 4) / 3), probes + MAX_LOG_FILES + MAX_CONNECTIONS);

/**
 * The limit at which everything in the inventory can stay open. That is a connection per address, some per parent
 * chain, a stream per container's log, and a file per entry of `logFiles`, up to their maximum.
 */
export function descriptorsFor({ subnets }: Inventory): number {
  let probes = 0;
  let logFiles = 0;
  for (const { targets, parentChain } of subnets) {
    if (parentChain !== undefined) probes += PARENT_CONNECTIONS;
    for (const target of targets) {
      const addresses = target.component === 'node' ? [target.rpc, target.ipc] : 'url' in target ? [target.url] : [];
      probes += addresses.filter((address) => address !== undefined).length + (target.container === undefined ? 0 : 1);
      logFiles += target.logFiles.length;
    }
  }
  return OWN + Math.max(4 * MIN_DESCRIPTORS, remainingFor(probes), 4 * Math.min(MAX_LOG_FILES, logFiles));
}
