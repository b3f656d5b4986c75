import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Engine, findProgram } from './engine.ts';
import { importBaseImage } from './node-image.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A command that has ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Docker's command line for the engine of the tests alone, whatever this machine's is set to use. It keeps its settings in `folder`. */
export function createDockerCli(engine: Engine, folder: string) {
  const program = findProgram('docker', 'docker.io');
  const { DOCKER_CONTEXT: _, ...environment } = process.env;
  const host = `unix://${engine.socketPath}`;
  const PATH = `${dirname(process.execPath)}:${dirname(program)}:${environment.PATH}`;
  const env = { ...environment, PATH, DOCKER_HOST: host, DOCKER_CONFIG: folder, DOCKER_BUILDKIT: '0' };
  const maxBuffer = 2 ** 30;

  /** Imports stand-ins for the images that the Dockerfile starts from, as a test pulls none. */
  const importBases = async (): Promise<void> => {
    const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => String(base));
    expect(bases).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim$/), 'debian:bookworm-slim']);
    for (const base of bases) await importBaseImage(program, env, base);
  };

  const settle = (command: string, words: readonly string[]): Promise<Outcome> =>
    run(command, words, { env, maxBuffer }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
    );

  return {
    docker: (...words: readonly string[]) => settle(program, words),
    importBases,
    /** `npm run image` with these words for `docker build`. The engine has no network but the host's. */
    build: async (...words: readonly string[]): Promise<void> => {
      const all = [join(root, 'scripts/image.ts'), '--network', 'host', ...words];
      const { code, stdout, stderr } = await settle(process.execPath, all);
      if (code !== 0) throw new Error(`the build ended with ${code}:\n${stdout.slice(-4_000)}\n${stderr}`);
    },
  };
}
