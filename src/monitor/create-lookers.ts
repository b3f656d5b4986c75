import type { Facts } from '../model/facts.ts';
import type { ContainerObservation } from '../model/observation.ts';
import type { NodeTarget, RoundName, Subnet, Target } from '../model/target.ts';
import { createConsoleNodeProbe, createIpcNodeProbe } from '../probes/console-node-probe.ts';
import { createExecNodeProbe } from '../probes/exec-node-probe.ts';
import { createHttpPeer } from '../probes/http-peer.ts';
import { createNodeProbe, type NodeProbe } from '../probes/node-probe.ts';
import { createServiceProbe } from '../probes/service-probe.ts';
import { isConsoleOnly } from '../rules/checks.ts';
import { foldConsole } from '../rules/fold-console.ts';
import { foldContainer } from '../rules/fold-container.ts';
import { foldNode } from '../rules/fold-node.ts';
import { partOf, seenThrough } from '../rules/seen-through.ts';
import type { BrowserLink } from './create-browser-link.ts';
import type { DockerLink } from './create-docker-link.ts';
import type { LogWatchPlan } from './create-log-watches.ts';

/** Looks at one target in one round; the outcome is how to fold what was seen into the target's facts. */
export interface Looker {
  look(): Promise<(facts: Facts) => Facts>;
  /** Aborts the look under way, and lets go of connections. */
  close(): void | Promise<void>;
}

/** What lookers share. */
export interface LookerTools {
  readonly docker: DockerLink;
  readonly browsers: BrowserLink;
  readonly logs: LogWatchPlan;
  /** Whether probes keep their connections from one look to the next. */
  readonly keeps: () => boolean;
  /** Docker's times in watched time. */
  readonly toWatched: (observation: ContainerObservation) => ContainerObservation;
}

function createProbe(
  round: RoundName,
  target: NodeTarget,
  { consensus, checks }: Subnet,
  { docker, keeps }: LookerTools,
  now: () => number,
): NodeProbe | undefined {
  const { rpc, ipc, container } = target;
  if (round === 'console' && isConsoleOnly(target) && container !== undefined)
    return createExecNodeProbe((...asked) => docker.exec(container, ...asked), consensus);
  if (round !== 'rpc' || !checks.rpc.enabled) return undefined;
  if (rpc !== undefined) {
    const peer = createHttpPeer(rpc, keeps);
    return ipc === undefined
      ? createNodeProbe(peer, consensus, now)
      : createConsoleNodeProbe(peer, ipc, consensus, now);
  }
  return ipc === undefined ? undefined : createIpcNodeProbe(ipc, consensus, now);
}

/** Every address of a subnet that its frontend's page may ask. */
const hostsOf = ({ targets }: Subnet): readonly string[] =>
  targets.flatMap((target) =>
    [target.component === 'node' ? target.rpc : undefined, 'url' in target ? target.url : undefined].filter(
      (address) => address !== undefined,
    ),
  );

/** All of the inventory that a looker is made of: one made of the same goes on after a reload. */
export const lookerInputs = (round: RoundName, target: Target, subnet: Subnet): readonly unknown[] => {
  const { [round]: settings, rpc } = subnet.checks;
  const hosts = round === 'console' && target.component === 'frontend' ? hostsOf(subnet) : [];
  const { schedule: _, ...own } = settings;
  return [seenThrough[partOf(round, target)](target), subnet.consensus, own, rpc.stallAfterMs, rpc.enabled, hosts];
};

/** How each round looks at a target; undefined when the inventory gives that round nothing to look at. */
export function createLooker(
  round: RoundName,
  target: Target,
  subnet: Subnet,
  tools: LookerTools,
  now: () => number,
): Looker | undefined {
  const { checks } = subnet;
  const life = new AbortController();
  /** After it, no look begins or goes on. */
  const ending = (close: () => void | Promise<void>) => () => {
    life.abort();
    return close();
  };
  const { docker, browsers, logs, toWatched } = tools;
  if (round === 'logs' && (target.container !== undefined || target.logFiles.length > 0)) {
    const watch = logs.use(target, checks.logs);
    return { look: async () => (facts: Facts) => ({ ...facts, logs: watch.facts() }), close: () => {} };
  }
  const probe = target.component === 'node' ? createProbe(round, target, subnet, tools, now) : undefined;
  if (probe) {
    const { stallAfterMs } = checks.rpc;
    const { timeoutMs } = round === 'console' ? checks.console : checks.rpc;
    const look = async () => {
      const observation = await probe.look(timeoutMs, life.signal);
      const at = now();
      return (facts: Facts) => ({ ...facts, node: foldNode(facts.node, observation, at, stallAfterMs) });
    };
    return { look, close: ending(probe.close) };
  }
  if (round === 'services' && 'url' in target && target.url !== undefined) {
    const probe = createServiceProbe(target.component, target.url, tools.keeps);
    const look = async () => {
      const observation = await probe.look(checks.services.timeoutMs, life.signal);
      return (facts: Facts) => ({ ...facts, service: { observation } });
    };
    return { look, close: ending(probe.close) };
  }
  if (round === 'console' && 'browser' in target && target.browser !== undefined && target.url !== undefined) {
    const browser = browsers.use(target.browser);
    const { url } = target;
    const hosts = hostsOf(subnet);
    const look = async () => {
      const observation = await browser.visit(url, hosts, checks.console.timeoutMs, life.signal);
      return (facts: Facts) => ({ ...facts, console: foldConsole(facts.console, observation) });
    };
    return { look, close: ending(browser.release) };
  }
  if (round === 'containers' && target.container !== undefined) {
    const { container } = target;
    const look = async () => {
      const observation = toWatched(await docker.look(container, checks.containers.timeoutMs, life.signal));
      const at = now();
      return (facts: Facts) => ({ ...facts, container: foldContainer(facts.container, observation, at) });
    };
    return { look, close: ending(() => {}) };
  }
  return undefined;
}
