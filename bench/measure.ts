import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The value in the middle. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The Node.js that subnetd itself is started with. */
export const node = process.execPath;

/** Runs a script of this folder to its end, and reads the JSON that it prints. */
export async function runScript(script: string, words: readonly string[], input = ''): Promise<unknown> {
  const child = spawn(node, [pathOf(script), ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin?.end(input);
  let output = '';
  for await (const chunk of child.stdout ?? []) output += chunk;
  return JSON.parse(output);
}

/**
 * Many nodes in a process of their own, which ends with `stop`; their URLs. Each is connected to so many others of its `group`, or
 * accepts connections and answers nothing.
 */
export async function startFakeNodes(nodes: number, peers: number | 'hanging', group = nodes) {
  const child = spawn(node, [pathOf('./fake-nodes.ts'), String(nodes), String(peers), String(group)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    if (output.endsWith('\n')) break;
  }
  const stop = async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  return { urls: JSON.parse(output) as readonly string[], stop };
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));

/** The CPU time that a running process has taken, in microseconds. */
export function cpuMicrosOf({ pid }: ChildProcess): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND) * 1e6;
}

/** The resident memory of a running process, in megabytes. */
export function residentMegabytesOf({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Ends a process that ends by a signal. */
export async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
