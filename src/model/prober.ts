import type { LogFacts } from './facts.ts';
import type { ContainerObservation, NodeObservation, PageObservation, ServiceObservation } from './observation.ts';
import { isAttachOnly, type RoundName, type Target } from './target.ts';

/** The observation of each kind of probe. A kind fills the part of a target's facts with its name. */
export interface Observations {
  readonly node: NodeObservation;
  readonly container: ContainerObservation;
  readonly service: ServiceObservation;
  readonly page: PageObservation;
  readonly logs: LogFacts;
}

export type ProbeKind = keyof Observations;

/** What one probe observed. The rules judge whether that is healthy. */
export type Observation<Kind extends ProbeKind = ProbeKind> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly seen: Observations[Each] };
}[Kind];

/** Probes one target. */
export interface Prober<Kind extends ProbeKind = ProbeKind> {
  /** Never rejects: an unreachable target is an observation too. */
  probe(): Promise<Observation<Kind>>;
  /** Aborts the current probe and closes connections. */
  close(): void | Promise<void>;
}

/** The round of a kind of probe. A probe that starts a program each time belongs to the slow round. */
export const roundOf: Readonly<Record<ProbeKind, (target: Target) => RoundName>> = {
  node: (target) => (isAttachOnly(target) ? 'console' : 'rpc'),
  container: () => 'containers',
  service: () => 'services',
  page: () => 'console',
  logs: () => 'logs',
};

/** All of a target that a kind of probe reads. While it is unchanged, observations stay valid. */
export const inputsOf: Readonly<Record<ProbeKind, (target: Target) => readonly unknown[]>> = {
  node: (target) =>
    target.component === 'node'
      ? [target.rpc, target.login, target.ipc, isAttachOnly(target) ? target.container : undefined]
      : [],
  container: ({ container }) => [container],
  service: (target) => ('url' in target ? [target.url] : []),
  page: (target) => ('url' in target ? [target.url, target.browser] : []),
  logs: ({ container, logFiles, patterns }) => [container, logFiles, patterns],
};
