import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
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
 * Starts a process that plays many nodes, and gives their URLs; `stop` ends it. Each node is connected to `peers` others of its
 * `group`, or accepts connections and never answers.
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

/** The CPU time that this process has taken since a reading of `process.cpuUsage`, in milliseconds. */
export function cpuMillisSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The CPU time that this process takes for work, in milliseconds. */
export async function cpuMillisOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuMillisSince(before);
}

/** The CPU time that the threads of a running process have taken, in microseconds. The kernel counts it in nanoseconds. */
export function cpuMicrosOf({ pid }: ChildProcess): number {
  const nanos = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanos.reduce((sum, one) => sum + one, 0) / 1000;
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

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** What a local server answers, as it is sent. Without an answer, the status is 0 and the body the error. */
export const get = (port: number, path: string, headers: http.OutgoingHttpHeaders = {}, agent?: http.Agent) =>
  new Promise<{ readonly status: number; readonly body: Buffer }>((resolve) => {
    const options = { host: '127.0.0.1', port, path, headers, agent: agent ?? false };
    const request = http.get(options, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
    });
    request.on('error', (error) => resolve({ status: 0, body: Buffer.from(error.message) }));
  });
