import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { eventually } from './cli.ts';

/** A process whose flushes to the disk take long: strace holds each one back. */
export interface SlowDisk {
  /** How many flushes have ended. */
  flushed(): number;
  /** Does one run now? */
  isFlushing(): boolean;
  /** Makes the disk as quick as before. */
  stop(): Promise<void>;
}

/** Holds back each flush of the process, in all of its threads, for `ms`. What strace sees goes to the file `trace`. */
export async function slowDisk(pid: number | undefined, ms: number, trace: string): Promise<SlowDisk> {
  const child = spawn(
    'strace',
    [
      ...['-f', '-p', String(pid), '-o', trace, '-e', 'trace=fsync,fdatasync'],
      ...['-e', `inject=fsync,fdatasync:delay_enter=${ms * 1_000}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await eventually(() => {
    if (!said.includes(' attached')) throw new Error(`strace is not attached: ${said}`);
  });
  const read = () => readFileSync(trace, 'utf8');
  return {
    flushed: () => read().match(/ = 0 \(DELAYED\)/g)?.length ?? 0,
    isFlushing: () => (read().match(/sync\(\d+/g)?.length ?? 0) > (read().match(/ = 0 \(DELAYED\)/g)?.length ?? 0),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}
