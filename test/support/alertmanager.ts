import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './engine.ts';

/** An alert as Alertmanager shows it. */
export interface ShownAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly generatorURL?: string;
  readonly receivers: readonly { readonly name: string }[];
  readonly status: { readonly state: string; readonly silencedBy: readonly string[] };
}

/** A real Alertmanager that a test has started. */
export interface Alertmanager {
  /** Without a slash at its end. */
  readonly url: string;
  /** The alerts that it shows as not resolved, but not the watchdog. */
  alerts(): Promise<readonly ShownAlert[]>;
  /** Every alert that is not resolved. */
  allAlerts(): Promise<readonly ShownAlert[]>;
  /** The JSON of a path below `/api/v2`. */
  get(path: string): Promise<unknown>;
  /** Ends it, by SIGTERM when nothing else is said; its address and its data stay for `start`. */
  halt(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 10_000;

const QUIET = 'route: { receiver: nobody, group_wait: 1s, group_interval: 1s }\nreceivers: [{ name: nobody }]\n';

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * Starts Debian's Alertmanager on a free port of the loopback address, with this configuration as YAML, and waits until it
 * is ready. Rejects with what it printed when it does not come up. `login` is USER:PASSWORD, where the flags ask for one.
 */
export async function startAlertmanager(
  configuration = QUIET,
  flags: readonly string[] = ['--cluster.listen-address='],
  login?: string,
): Promise<Alertmanager> {
  const program = findProgram('prometheus-alertmanager', 'prometheus-alertmanager');
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
  await writeFile(join(folder, 'alertmanager.yml'), configuration);
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const headers = login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  let end = async (_signal?: NodeJS.Signals) => {};

  const start = async () => {
    let printed = '';
    const child = spawn(
      program,
      [
        `--config.file=${join(folder, 'alertmanager.yml')}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        ...flags,
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-4000);
      });
    const ended = once(child, 'exit');
    const endWithRun = () => void child.kill('SIGKILL');
    process.once('exit', endWithRun);
    end = async (signal = 'SIGTERM') => {
      const overtime = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
      clearTimeout(overtime);
      process.off('exit', endWithRun);
    };
    const deadline = performance.now() + START_WITHIN_MS;
    for (;;) {
      const ready = await fetch(`${url}/-/ready`, { headers }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      if (child.exitCode !== null || performance.now() > deadline) {
        await end();
        throw new Error(`Alertmanager did not come up:\n${printed}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await start();

  const get = async (path: string): Promise<unknown> => (await fetch(`${url}/api/v2${path}`, { headers })).json();
  const allAlerts = async () => (await get('/alerts')) as readonly ShownAlert[];
  return {
    url,
    get,
    allAlerts,
    alerts: async () => (await allAlerts()).filter(({ labels }) => labels.alertname !== 'SubnetdWatchdog'),
    halt: (signal) => end(signal),
    start,
    stop: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
