import type { Facts } from '../model/facts.ts';
import type { RoundName, Target } from '../model/target.ts';
import { isConsoleOnly } from './checks.ts';

/** By each part of the facts: all of a target that it is seen through. While that is the same, so is what was seen. */
export const seenThrough: Readonly<Record<keyof Facts, (target: Target) => readonly unknown[]>> = {
  node: (target) =>
    target.component === 'node' ? [target.rpc, target.ipc, isConsoleOnly(target) ? target.container : undefined] : [],
  container: ({ container }) => [container],
  service: (target) => ('url' in target ? [target.url] : []),
  console: (target) => ('url' in target ? [target.url, target.browser] : []),
  logs: ({ container, logFiles, patterns }) => [container, logFiles, patterns],
};

const parts = { rpc: 'node', containers: 'container', services: 'service', logs: 'logs' } as const;

/** The part of a target's facts that a round adds to. */
export function partOf(round: RoundName, { component }: Target): keyof Facts {
  if (round !== 'console') return parts[round];
  return component === 'node' ? 'node' : 'console';
}
