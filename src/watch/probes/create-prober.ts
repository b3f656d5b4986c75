import type { LogFacts } from '../../model/facts.ts';
import type { ContainerObservation } from '../../model/observation.ts';
import { inputsOf, type Observation, type ProbeKind, type Prober, roundOf } from '../../model/prober.ts';
import { type CheckSettings, isAttachOnly, type Subnet, type Target, targetKey } from '../../model/target.ts';
import type { DockerLinks } from '../docker/links.ts';
import { createAttachProber } from './attach-prober.ts';
import type { BrowserLink } from './browser-link.ts';
import { createChainTiming, toPhaseMs, toTurns } from './chain-question.ts';
import { createHttpAndIpcProber } from './http-and-ipc-prober.ts';
import { createHttpTransport } from './http-transport.ts';
import { createIpcTransport } from './ipc-transport.ts';
import { createNodeProber, type NodeProber } from './node-prober.ts';
import { createServiceProber } from './service-prober.ts';

/** Dependencies that probes share. */
export interface ProberTools {
  readonly docker: Pick<DockerLinks, 'inspect' | 'exec'>;
  readonly browsers: BrowserLink;
  /** The follower of a target's logs. */
  readonly logs: (target: Target, settings: CheckSettings['logs']) => { readonly facts: () => LogFacts };
  /** Whether probes keep their connections from one run to the next. */
  readonly keepsConnections: () => boolean;
  /** Converts Docker's times to watched time. */
  readonly toWatched: (observation: ContainerObservation) => ContainerObservation;
  readonly now: () => number;
}

/** Makes a probe that a signal ends. */
function endBySignal<Kind extends ProbeKind>(
  probe: (signal: AbortSignal) => Promise<Observation<Kind>>,
  close?: () => void | Promise<void>,
): Prober<Kind> {
  const controller = new AbortController();
  return {
    probe: () => probe(controller.signal),
    close: () => {
      controller.abort();
      return close?.();
    },
  };
}

/** Addresses of a subnet that its frontend's page may request. */
const hostsOf = ({ targets }: Subnet): readonly string[] =>
  targets.flatMap((target) =>
    [target.component === 'node' ? target.rpc : undefined, 'url' in target ? target.url : undefined].filter(
      (address) => address !== undefined,
    ),
  );

function createNodeProberFor(
  target: Target,
  { consensus, settings, targets }: Subnet,
  tools: ProberTools,
): NodeProber | undefined {
  if (target.component !== 'node') return undefined;
  const { rpc, login, ipc, container } = target;
  const { docker, keepsConnections, now } = tools;
  if (isAttachOnly(target) && container !== undefined)
    return createAttachProber((...asked) => docker.exec(container, ...asked), consensus);
  if (!settings.rpc.enabled) return undefined;
  const chainTiming = createChainTiming(toPhaseMs(targetKey(target)), toTurns(targets));
  const shared = [consensus, now, chainTiming, target.client] as const;
  if (rpc !== undefined && ipc !== undefined)
    return createHttpAndIpcProber(createHttpTransport(rpc, keepsConnections, login), ipc, ...shared);
  if (rpc !== undefined) return createNodeProber(createHttpTransport(rpc, keepsConnections, login), ...shared);
  // The socket alone serves every namespace.
  return ipc === undefined ? undefined : createNodeProber(createIpcTransport(ipc), ...shared);
}

/** The probe of each kind; undefined when the inventory gives it nothing to probe. */
const sources: {
  readonly [Kind in ProbeKind]: (target: Target, subnet: Subnet, tools: ProberTools) => Prober<Kind> | undefined;
} = {
  node: (target, subnet, tools) => {
    const probe = createNodeProberFor(target, subnet, tools);
    const { timeoutMs } = isAttachOnly(target) ? subnet.settings.console : subnet.settings.rpc;
    if (probe === undefined) return undefined;
    const look = async (signal?: AbortSignal): Promise<Observation<'node'>> => ({
      kind: 'node',
      seen: await probe.probe(timeoutMs, signal),
    });
    // What goes over HTTP alone ends with its connection; a signal for each of ten thousand nodes takes megabytes.
    const isHttpAlone = target.component === 'node' && !isAttachOnly(target) && target.ipc === undefined;
    return isHttpAlone ? { probe: () => look(), close: probe.close } : endBySignal(look, probe.close);
  },
  service: (target, { settings }, { keepsConnections }) => {
    if (!('url' in target) || target.url === undefined) return undefined;
    const probe = createServiceProber(target.component, target.url, keepsConnections);
    const { timeoutMs } = settings.services;
    return endBySignal(
      async (signal) => ({ kind: 'service', seen: await probe.probe(timeoutMs, signal) }),
      probe.close,
    );
  },
  page: (target, subnet, { browsers }) => {
    if (!('browser' in target) || target.browser === undefined || target.url === undefined) return undefined;
    const { url } = target;
    const { visit, release } = browsers.use(target.browser);
    const hosts = hostsOf(subnet);
    const { timeoutMs } = subnet.settings.console;
    return endBySignal(async (signal) => ({ kind: 'page', seen: await visit(url, hosts, timeoutMs, signal) }), release);
  },
  container: ({ container }, { settings }, { docker, toWatched }) =>
    container &&
    endBySignal(async (signal) => ({
      kind: 'container',
      seen: toWatched(await docker.inspect(container, settings.containers.timeoutMs, signal)),
    })),
  logs: (target, { settings }, { logs }) => {
    if (target.container === undefined && target.logFiles.length === 0) return undefined;
    const { facts } = logs(target, settings.logs);
    return { probe: async () => ({ kind: 'logs', seen: facts() }), close: () => {} };
  },
};

/** The kinds of probe, in the order of their rounds. */
export const PROBE_KINDS = ['node', 'container', 'service', 'logs', 'page'] as const satisfies readonly ProbeKind[];

/** All of the inventory that a probe depends on. After a reload, a probe with the same inputs keeps running. */
export function proberInputs(kind: ProbeKind, target: Target, subnet: Subnet): readonly unknown[] {
  const { schedule: _, ...own } = subnet.settings[roundOf[kind](target)];
  const { stallAfterMs, enabled } = subnet.settings.rpc;
  // Only one target of a subnet has a page. Asked for each of 10,000, the addresses of all are a hundred million.
  const hosts = kind === 'page' && 'browser' in target && target.browser !== undefined ? hostsOf(subnet) : [];
  return [inputsOf[kind](target), subnet.consensus, own, stallAfterMs, enabled, hosts];
}

/** The probe of one kind for a target; undefined when the inventory gives it nothing to probe. */
export const createProber = (kind: ProbeKind, target: Target, subnet: Subnet, tools: ProberTools): Prober | undefined =>
  sources[kind](target, subnet, tools);
