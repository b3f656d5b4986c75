import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey, type Finished } from './run-command.ts';

/** The program as it is called from a shell. */
export const program = fileURLToPath(new URL('../../bin/subnetd', import.meta.url));

/**
 * The environment of a program that finds no Chromium. Without one a demo does not visit its frontend, which costs more
 * than all else that it does: for tests to which the check `console` is one of many.
 */
export const NO_BROWSER = { PATH: '/nowhere' } as const;

/** A command that runs, with what it has printed so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly finished: Promise<Finished>;
  /** Waits until what it printed matches, at most 60 s. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `subnetd` as a user would, or `under` another program that starts it, or as another `file`. */
export function startCli(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
  file = program,
): Running {
  const [command = file, ...before] = [...under, file];
  const child = spawn(command, [...before, ...words], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = once(child, 'close').then(([code]): Finished => ({ code, stdout, stderr }));
  return {
    child,
    output: () => stdout + stderr,
    finished,
    waitFor: async (pattern) =>
      eventually(() => {
        const match = pattern.exec(stdout + stderr);
        if (match === null) throw new Error(`nothing matches ${pattern} in: ${stdout}${stderr}`);
        return match;
      }),
  };
}

/** Runs `subnetd` to its end, as a process of its own; `runCommand` is quicker where that is not the point. */
export const runCli = (words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> =>
  startCli(words, env).finished;

/** Starts `subnetd run`, on a free port unless it is given one, and waits until it listens. */
export async function startDaemon(
  config: string,
  env?: Readonly<Record<string, string>>,
  under?: readonly string[],
  listen = '127.0.0.1:0',
) {
  const SUBNETD_DATABASE_URL = `sqlite:${join(dirname(config), 'data', 'subnetd.db')}`;
  const daemon = startCli(['run', '--config', config, '--listen', listen], { SUBNETD_DATABASE_URL, ...env }, under);
  const [, url = ''] = await daemon.waitFor(/"url":"(https?:[^"]+)"/);
  /** Makes an API key with the scope operate, for a reload. */
  const makeKey = () => createApiKey({ SUBNETD_DATABASE_URL, ...env }, 'operate');
  return { ...daemon, url, makeKey };
}

/** The longest that `eventually` waits between two calls. */
const SELDOM_MS = 400;

/**
 * Calls until it does not throw, at most 60 s, and throws the last error then. What takes long is asked for more seldom, as
 * each call costs this process and the one that answers.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, timeoutMs = 60_000, everyMs = 50): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const passed = performance.now() - begun;
      if (passed > timeoutMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, Math.min(SELDOM_MS, passed / 20))));
    }
  }
}

/** A folder that is gone at the end. */
export function temporaryFolder(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-test-'));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}
