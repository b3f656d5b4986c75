import type { RoundName, Subnet, Target } from '../model/target.ts';
import { createNodeProbe } from '../probes/node-probe.ts';
import { createServiceProbe } from '../probes/service-probe.ts';
import { foldContainer } from '../rules/fold-container.ts';
import { foldNode } from '../rules/fold-node.ts';
import type { Facts } from '../rules/view.ts';
import type { DockerLink } from './create-docker-link.ts';

/** Looks at one target in one round; the outcome is how to fold what was seen into the target's facts. */
export interface Looker {
  look(): Promise<(facts: Facts) => Facts>;
  close(): void;
}

/** How each round looks at a target; undefined when the inventory gives that round nothing to look at. */
export function createLooker(
  round: RoundName,
  target: Target,
  subnet: Subnet,
  docker: DockerLink,
  now: () => number,
): Looker | undefined {
  const { checks } = subnet;
  if (round === 'rpc' && target.component === 'node' && target.rpc !== undefined && checks.rpc.enabled) {
    const probe = createNodeProbe(target.rpc, subnet.consensus, now);
    const { timeoutMs, stallAfterMs } = checks.rpc;
    const look = async () => {
      const observation = await probe.look(timeoutMs);
      const at = now();
      return (facts: Facts) => ({ ...facts, node: foldNode(facts.node, observation, at, stallAfterMs) });
    };
    return { look, close: probe.close };
  }
  if (round === 'services' && 'url' in target && target.url !== undefined) {
    const probe = createServiceProbe(target.component, target.url);
    const look = async () => {
      const observation = await probe.look(checks.services.timeoutMs);
      return (facts: Facts) => ({ ...facts, service: { observation } });
    };
    return { look, close: probe.close };
  }
  if (round === 'containers' && target.container !== undefined) {
    const { container } = target;
    const look = async () => {
      const observation = await docker.look(container, checks.containers.timeoutMs);
      const at = now();
      return (facts: Facts) => ({ ...facts, container: foldContainer(facts.container, observation, at) });
    };
    return { look, close: () => {} };
  }
  return undefined;
}
