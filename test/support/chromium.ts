import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './engine.ts';

/** Debian's Chromium. Throws, with what to install, when it is not there. */
export const findChromium = (): string => findProgram('chromium', 'chromium');

/**
 * The engine of Debian's Chromium without its windows, which the stack of compose has too: the same pages for half of the
 * processor's time. Chromium itself where that is missing.
 */
export function findShell(): string {
  try {
    return findProgram('chromium-headless-shell', 'chromium-headless-shell');
  } catch {
    return findChromium();
  }
}

/** Starts a Chromium in which a test looks at pages, without a GPU process, as no test sees how pixels are made. */
export const launchChromium = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: findShell(),
    args: ['--no-sandbox', '--disable-gpu', ...flags],
    env: { HOME: tmpdir(), PATH: process.env.PATH ?? '' },
  });

/** One process of this machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

/** Every process, by /proc. */
export const listProcesses = (): readonly Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), state, command }];
      } catch {
        return [];
      }
    });

/** The processes below one, near and far, zombies included. */
export function listDescendants(pid: number): readonly Process[] {
  const all = listProcesses();
  const below = (parent: number): readonly Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}
