import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathOf } from '../measure.ts';
import { SHARDS } from './fleet.ts';
import type { MoodChange } from './nodes.ts';

const START_WITHIN_MS = 60_000;
const ASK_WITHIN_MS = 10_000;

/**
 * Linux shares processors out between sessions, and `nice` counts only within one. So the session of a process takes the
 * priority of this process; what is returned gives back the one that it had. Not every kernel has priorities of sessions, and
 * not everyone may raise one.
 */
export function raiseSession({ pid }: { readonly pid?: number | undefined }): () => void {
  const file = `/proc/${pid}/autogroup`;
  try {
    const [, before = '0'] = /nice (-?\d+)/.exec(readFileSync(file, 'utf8')) ?? [];
    writeFileSync(file, String(getPriority()));
    return () => writeFileSync(file, before);
  } catch {
    return () => {};
  }
}

/** One daemon of the fleet. */
export interface Daemon {
  readonly url: string;
  child(): ChildProcess | undefined;
  /** Starts it and resolves when it has ended its first round. */
  start(): Promise<void>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** What a daemon needs. */
export interface DaemonOptions {
  readonly shard: number;
  readonly port: number;
  readonly config: string;
  readonly database: string;
  /** Where it writes its log. */
  readonly log: string;
}

/** A daemon that is not started yet. */
export function createDaemon({ shard, port, config, database, log }: DaemonOptions): Daemon {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  // A run that is cut short must not leave a daemon behind.
  process.once('exit', () => child?.kill('SIGKILL'));
  const isReady = () =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ASK_WITHIN_MS) }).then(
      async (response) => {
        await response.text();
        return response.ok;
      },
      () => false,
    );
  return {
    url,
    child: () => child,
    start: async () => {
      const file = openSync(log, 'a');
      child = spawn(
        pathOf('../bin/subnetd'),
        ['run', '--config', config, '--listen', `127.0.0.1:${port}`, '--shard', `${shard}/${SHARDS}`],
        {
          stdio: ['ignore', file, file],
          detached: true,
          env: { ...process.env, SUBNETD_DATABASE_URL: database, SUBNETD_INSTANCE: `subnetd-${shard}` },
        },
      );
      closeSync(file);
      raiseSession(child);
      const deadline = performance.now() + START_WITHIN_MS;
      while (!(await isReady())) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`shard ${shard} did not become ready; see ${log}`);
        await sleep(100);
      }
    },
    kill: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

/** Starts the process that plays all nodes, and waits until they listen. */
export async function startNodes() {
  const child = spawn(process.execPath, [pathOf('./soak/nodes.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  raiseSession(child);
  await once(child, 'message');
  return {
    child,
    set: (change: MoodChange) => void child.send(change),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
