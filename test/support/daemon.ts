import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The daemon as a process of its own. */
export interface Daemon {
  readonly url: string;
  /** All that it has printed, on both streams. */
  readonly printed: () => string;
  /** Ends it, by SIGTERM when nothing else is said. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const PROGRAM = fileURLToPath(new URL('../../bin/subnetd', import.meta.url));
const INVENTORY = `
subnets:
  - name: devnet
    consensus: XDPoS
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }]
`;

type Environment = Readonly<Record<string, string>>;

/** Runs a command to its end, and gives what it printed on stdout. Throws when it does not exit 0. */
export const runCommand = (words: readonly string[], environment: Environment): string =>
  execFileSync(PROGRAM, words, { encoding: 'utf8', env: { ...process.env, ...environment }, stdio: 'pipe' });

/** Starts `subnetd run` on a free port, with a node that is not there, and waits until it says that it listens. */
export function startDaemon(environment: Environment): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'daemon-'));
  const config = join(folder, 'subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const child: ChildProcess = spawn(PROGRAM, ['run', '--config', config, '--listen', '127.0.0.1:0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve(code);
    }),
  );
  return new Promise((resolve, reject) => {
    const take = (chunk: string) => {
      printed += chunk;
      const url = /"url":"([^"]+)"[^\n]*"msg":"listening"/.exec(printed)?.[1];
      if (url === undefined) return;
      resolve({
        url,
        printed: () => printed,
        end: (signal = 'SIGTERM') => {
          child.kill(signal);
          return ended;
        },
      });
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    void ended.then((code) => reject(new Error(`subnetd ended with ${code}:\n${printed}`)));
  });
}
