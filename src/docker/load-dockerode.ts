import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type Dockerode from 'dockerode';

/**
 * What dockerode requires and subnetd never calls: docker-modem with ssh2, in whose place `transport.ts` stands, and gRPC,
 * which only a build with BuildKit needs. They are most of its memory.
 */
const UNUSED: ReadonlySet<string> = new Set(['docker-modem', './session']);

/** Loads dockerode without what is never called. A client of it needs a modem of its own. */
export function loadDockerode(): typeof Dockerode {
  const path = createRequire(import.meta.url).resolve('dockerode');
  const requireFromIt = createRequire(path);
  const run = compileFunction(readFileSync(path, 'utf8'), ['module', 'require'], { filename: path });
  const module: { exports?: typeof Dockerode } = {};
  run(module, (name: string) => (UNUSED.has(name) ? undefined : requireFromIt(name)));
  if (module.exports === undefined) throw new Error(`${path} exports nothing`);
  return module.exports;
}
