import type { DockerLink } from '../docker/link.ts';
import type { LogFacts } from '../model/facts.ts';
import type { ContainerObservation } from '../model/observation.ts';
import { inputsOf, type Observation, type Probe, type ProbeKind, roundOf } from '../model/probe.ts';
import { type CheckSettings, isAttachOnly, type Subnet, type Target } from '../model/target.ts';
import type { BrowserLink } from './browser-link.ts';
import { createConsoleNodeProbe, createIpcNodeProbe } from './console-node-probe.ts';
import { createExecNodeProbe } from './exec-node-probe.ts';
import { createHttpPeer } from './http-peer.ts';
import { createNodeProbe, type NodeProbe } from './node-probe.ts';
import { createServiceProbe } from './service-probe.ts';

/** What probes share. */
export interface ProbeTools {
  readonly docker: Pick<DockerLink, 'inspect' | 'exec'>;
  readonly browsers: BrowserLink;
  /** The follower of a target's logs. */
  readonly logs: (target: Target, settings: CheckSettings['logs']) => { readonly facts: () => LogFacts };
  /** Whether probes keep their connections from one run to the next. */
  readonly keepsConnections: () => boolean;
  /** Converts Docker's times to watched time. */
  readonly toWatched: (observation: ContainerObservation) => ContainerObservation;
  readonly now: () => number;
}

/** A probe of one kind; the signal ends a run. */
interface Source<Kind extends ProbeKind> {
  readonly see: (signal: AbortSignal) => Promise<Observation<Kind>>;
  readonly close?: () => void | Promise<void>;
}

/** Every address of a subnet that its frontend's page may request. */
const hostsOf = ({ targets }: Subnet): readonly string[] =>
  targets.flatMap((target) =>
    [target.component === 'node' ? target.rpc : undefined, 'url' in target ? target.url : undefined].filter(
      (address) => address !== undefined,
    ),
  );

function createNodeSource(target: Target, { consensus, checks }: Subnet, tools: ProbeTools): NodeProbe | undefined {
  if (target.component !== 'node') return undefined;
  const { rpc, ipc, container } = target;
  const { docker, keepsConnections, now } = tools;
  if (isAttachOnly(target) && container !== undefined)
    return createExecNodeProbe((...asked) => docker.exec(container, ...asked), consensus);
  if (!checks.rpc.enabled) return undefined;
  if (rpc === undefined) return ipc === undefined ? undefined : createIpcNodeProbe(ipc, consensus, now);
  const peer = createHttpPeer(rpc, keepsConnections);
  return ipc === undefined ? createNodeProbe(peer, consensus, now) : createConsoleNodeProbe(peer, ipc, consensus, now);
}

/** How each kind probes a target; undefined when the inventory gives it nothing to probe. */
const sources: {
  readonly [Kind in ProbeKind]: (target: Target, subnet: Subnet, tools: ProbeTools) => Source<Kind> | undefined;
} = {
  node: (target, subnet, tools) => {
    const probe = createNodeSource(target, subnet, tools);
    const { timeoutMs } = isAttachOnly(target) ? subnet.checks.console : subnet.checks.rpc;
    return (
      probe && {
        see: async (signal) => ({ kind: 'node', seen: await probe.look(timeoutMs, signal) }),
        close: probe.close,
      }
    );
  },
  service: (target, { checks }, { keepsConnections }) => {
    if (!('url' in target) || target.url === undefined) return undefined;
    const probe = createServiceProbe(target.component, target.url, keepsConnections);
    const { timeoutMs } = checks.services;
    return {
      see: async (signal) => ({ kind: 'service', seen: await probe.look(timeoutMs, signal) }),
      close: probe.close,
    };
  },
  console: (target, subnet, { browsers }) => {
    if (!('browser' in target) || target.browser === undefined || target.url === undefined) return undefined;
    const { url } = target;
    const { visit, release } = browsers.use(target.browser);
    const hosts = hostsOf(subnet);
    const { timeoutMs } = subnet.checks.console;
    return {
      see: async (signal) => ({ kind: 'console', seen: await visit(url, hosts, timeoutMs, signal) }),
      close: release,
    };
  },
  container: ({ container }, { checks }, { docker, toWatched }) =>
    container && {
      see: async (signal) => ({
        kind: 'container',
        seen: toWatched(await docker.inspect(container, checks.containers.timeoutMs, signal)),
      }),
    },
  logs: (target, { checks }, { logs }) => {
    if (target.container === undefined && target.logFiles.length === 0) return undefined;
    const { facts } = logs(target, checks.logs);
    return { see: async () => ({ kind: 'logs', seen: facts() }) };
  },
};

/** The kinds of probe, in the order of their rounds. */
export const PROBE_KINDS = ['node', 'container', 'service', 'logs', 'console'] as const satisfies readonly ProbeKind[];

/** All of the inventory that a probe depends on: one with the same inputs goes on after a reload. */
export function probeInputs(kind: ProbeKind, target: Target, subnet: Subnet): readonly unknown[] {
  const { schedule: _, ...own } = subnet.checks[roundOf[kind](target)];
  const { stallAfterMs, enabled } = subnet.checks.rpc;
  return [
    inputsOf[kind](target),
    subnet.consensus,
    own,
    stallAfterMs,
    enabled,
    kind === 'console' ? hostsOf(subnet) : [],
  ];
}

/** The probe of one kind for a target; undefined when the inventory gives it nothing to probe. */
export function createProbe(kind: ProbeKind, target: Target, subnet: Subnet, tools: ProbeTools): Probe | undefined {
  const source = sources[kind](target, subnet, tools);
  if (source === undefined) return undefined;
  const life = new AbortController();
  return {
    run: () => source.see(life.signal),
    close: () => {
      life.abort();
      return source.close?.();
    },
  };
}
