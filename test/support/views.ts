import type { ContainerFacts, Facts, KnownTarget } from '../../src/model/facts.ts';
import { DEFAULT_SETTINGS, type NodeTarget, type ServiceTarget, type Target } from '../../src/model/target.ts';
import { formatReason, type Judgement } from '../../src/model/verdict.ts';
import type { View } from '../../src/watch/rules/view.ts';

/** The inventory's default settings. */
export const settings = DEFAULT_SETTINGS;

/** A node of the subnet `d`. */
export const nodeTarget = (name: string, more: Partial<NodeTarget> = {}): NodeTarget => ({
  subnet: 'd',
  component: 'node',
  name,
  rpc: 'http://127.0.0.1:8545',
  consoleExec: false,
  expectedPeers: 3,
  logFiles: [],
  patterns: [],
  ...more,
});

/** A service of the subnet `d`. */
export const serviceTarget = (component: ServiceTarget['component'], url = 'http://127.0.0.1:5213'): ServiceTarget => ({
  subnet: 'd',
  component,
  name: component,
  url,
  logFiles: [],
  patterns: [],
});

/** What a rule sees of a target, among others when they are given. */
export const aView = <T extends Target>(
  target: T,
  facts: Facts,
  more: { readonly now?: number; readonly others?: readonly KnownTarget[] } = {},
): View<T> => {
  const subnet = [{ target, facts }, ...(more.others ?? [])];
  const heights = subnet
    .flatMap(({ facts: { node } }) => (node?.observation.latest.ok && node.latest ? [node.latest.number] : []))
    .sort((one, other) => other - one);
  return {
    target,
    facts,
    subnet,
    reference: heights[Math.floor((heights.length - 1) / 2)],
    settings,
    consensus: 'XDPoS',
    now: more.now ?? 1_000_000,
    toWall: (at) => at,
  };
};

/** What is known of a container that was started then, as by its first inspection. */
export const runningSince = (startedAt: number): ContainerFacts => ({
  restarts: 0,
  oomKills: 0,
  inspected: true,
  observation: {
    kind: 'found',
    container: { id: 'c1', name: 'c1', status: 'running', running: true, restartCount: 0, oomKilled: false, startedAt },
  },
});

/** A judgement as people read it. */
export const asRead = (judgement: Judgement & { readonly cause?: string }) => ({
  verdict: judgement.verdict,
  reason: formatReason(judgement),
});
