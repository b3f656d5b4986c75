import { readdirSync, readFileSync } from 'node:fs';
import { findProgram } from './engine.ts';

/** Debian's Chromium. Throws, with what to install, when it is not there. */
export const findChromium = (): string => findProgram('chromium', 'chromium');

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
