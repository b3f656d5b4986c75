import type { LogFacts } from './facts.ts';
import type { ConsoleObservation, ContainerObservation, NodeObservation, ServiceObservation } from './observation.ts';
import { isAttachOnly, type RoundName, type Target } from './target.ts';

/** What each kind of probe sees. A kind fills the part of a target's facts that has its name. */
export interface Observations {
  readonly node: NodeObservation;
  readonly container: ContainerObservation;
  readonly service: ServiceObservation;
  readonly console: ConsoleObservation;
  readonly logs: LogFacts;
}

export type ProbeKind = keyof Observations;

/** What one run of a probe saw; whether that is well, the rules say. */
export type Observation<Kind extends ProbeKind = ProbeKind> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly seen: Observations[Each] };
}[Kind];

/** Probes one target. */
export interface Probe {
  /** Never rejects: what cannot be reached is an observation too. */
  run(): Promise<Observation>;
  /** Aborts the run under way, and closes connections. */
  close(): void | Promise<void>;
}

/** The round that runs a kind of probe. A probe that starts a program each time belongs to the slow round. */
export const roundOf: Readonly<Record<ProbeKind, (target: Target) => RoundName>> = {
  node: (target) => (isAttachOnly(target) ? 'console' : 'rpc'),
  container: () => 'containers',
  service: () => 'services',
  console: () => 'console',
  logs: () => 'logs',
};

/** All of a target that a kind of probe reads. While that is unchanged, what it saw stays valid. */
export const inputsOf: Readonly<Record<ProbeKind, (target: Target) => readonly unknown[]>> = {
  node: (target) =>
    target.component === 'node' ? [target.rpc, target.ipc, isAttachOnly(target) ? target.container : undefined] : [],
  container: ({ container }) => [container],
  service: (target) => ('url' in target ? [target.url] : []),
  console: (target) => ('url' in target ? [target.url, target.browser] : []),
  logs: ({ container, logFiles, patterns }) => [container, logFiles, patterns],
};
