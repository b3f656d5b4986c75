import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERY_MS } from '../src/watch/probes/setup/setup-tools.ts';
import { freePort, pathOf, stop } from './measure.ts';

const START_MS = 30_000;

/** How long a start takes: until the set-up of each node has been read once, and what it takes in memory has been collected. */
export const startMillis = (nodes: number): number => START_MS + nodes * EVERY_MS;

/** A daemon that watches nodes, in a folder of its own. */
export interface Daemon {
  readonly child: ChildProcess;
  readonly port: number;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a daemon for these nodes, in subnets of `group`. With `peers` each node must have as many peers. */
export async function startDaemon(urls: readonly string[], group: number, peers?: number): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  const subnets = Array.from({ length: Math.ceil(urls.length / group) }, (_, index) => ({
    name: `s${index}`,
    nodes: urls
      .slice(index * group, (index + 1) * group)
      .map((rpc, place) => ({ name: `n${place}`, rpc, expectedPeers: peers })),
  }));
  // JSON is YAML.
  writeFileSync(join(folder, 'subnetd.yaml'), JSON.stringify({ subnets }, null, 1));
  const port = await freePort();
  const child = spawn(pathOf('../bin/subnetd'), ['run', '--config', 'subnetd.yaml', '--listen', `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SUBNETD_LOG_LEVEL: 'warn' },
  });
  return {
    child,
    port,
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true });
    },
  };
}
