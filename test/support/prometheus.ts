import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from './engine.ts';

/** One element of an instant query's vector. */
export interface Sample {
  /** Without `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus that a test has started. */
export interface Prometheus {
  /** Without a slash at its end. */
  readonly url: string;
  /** The data of an answer of its HTTP API, such as `targets` or `rules`; rejects, in its own words, when it is an error. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** The vector of an instant query. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The value of a query whose vector has one element; undefined when it has none or more. */
  value(expression: string): Promise<number | undefined>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: 'success' | 'error';
  readonly data: unknown;
  readonly error?: string;
}

interface Vector {
  readonly resultType: string;
  readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[];
}

const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 10_000;
const KEPT_LINES = 20;

/**
 * Starts Debian's Prometheus on a free port of the loopback address with this configuration, as YAML or JSON; paths in it
 * are absolute. Rejects with its last log lines when it does not come up.
 */
export async function startPrometheus(configuration: string): Promise<Prometheus> {
  const program = findProgram('prometheus', 'prometheus');
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), configuration);
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const endWithRun = () => void child.kill('SIGKILL');
  process.once('exit', endWithRun);
  const stop = async () => {
    const overtime = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
    clearTimeout(overtime);
    process.off('exit', endWithRun);
    await rm(folder, { recursive: true, force: true });
  };

  const lines: string[] = [];
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  let url: string | undefined;
  let isReady = false;
  const giveUp = (why: string) => reject(new Error(`Prometheus ${why}:\n${lines.join('\n')}`));
  const timer = setTimeout(() => giveUp(`was not ready within ${START_WITHIN_MS} ms`), START_WITHIN_MS);
  ended.then(([code]) => giveUp(`ended with ${code}`));
  // Its log is read to the end, as a full pipe would halt it.
  createInterface(child.stderr).on('line', (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    const address = /msg="Listening on".* address=(\S+)/.exec(line)?.[1];
    if (address !== undefined) url = `http://${address}`;
    // It says these two in either order.
    isReady ||= line.includes('Server is ready');
    if (url !== undefined && isReady) resolve(url);
  });
  try {
    const base = await ready;
    const get: Prometheus['get'] = async (path, query = {}) => {
      const response = await fetch(`${base}/api/v1/${path}?${new URLSearchParams(query)}`);
      const answer = (await response.json()) as Answer;
      if (answer.status !== 'success') throw new Error(`Prometheus refuses ${path}: ${answer.error}`);
      return answer.data;
    };
    const query: Prometheus['query'] = async (expression) => {
      const { resultType, result } = (await get('query', { query: expression })) as Vector;
      if (resultType !== 'vector') throw new Error(`${expression} gives a ${resultType}, no vector`);
      return result.map(({ metric: { __name__: _, ...labels }, value }) => ({ labels, value: Number(value[1]) }));
    };
    return {
      url: base,
      get,
      query,
      value: async (expression) => {
        const samples = await query(expression);
        return samples.length === 1 ? samples[0]?.value : undefined;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
