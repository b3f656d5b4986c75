import { highest } from '../../lib/numbers.ts';
import type { Problem } from '../../model/problem.ts';
import { setupOf } from '../../model/setup.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import type { Subnet } from '../../model/target.ts';
import { type ChainView, viewChain } from './chain-view.ts';
import { findHaltEnd, findJoining, findStillOut, findStoodAt } from './find-joining.ts';
import { indexProblems, type ProblemIndex } from './problem-index.ts';
import { findNeverSigned, findQuorum, findReference, findSilentVoters, findStallMs } from './quorum.ts';
import { askedAt, type ExposureMemory, type NodeView, type SubnetView, type TargetView } from './subnet-view.ts';
import { canBeWitness, findFailing, heightOf, viewContainer, viewNode } from './view-node.ts';

/** Nodes are probed one after another: those that stop at one height are seen to do so within this time. */
const SPREAD_MS = 20_000;

/** The nodes of masternodes, by their addresses. Of several with one key it is one that takes part. */
function findMasters(nodes: readonly NodeView[], { masternodes }: ChainView): ReadonlyMap<string, NodeView> {
  const { active = [], penalised = [] } = masternodes ?? {};
  const addresses = new Set([...active, ...penalised]);
  const masters = new Map<string, NodeView>();
  for (const node of nodes) {
    const address = node.isForeign ? undefined : node.chainFacts?.observation.address;
    if (address === undefined || !addresses.has(address)) continue;
    if (masters.get(address)?.isOut !== false) masters.set(address, node);
  }
  return masters;
}

/** Brings together what is known of a subnet. `before`: its problems so far. */
export function viewSubnet(
  subnet: Subnet,
  states: readonly TargetState[],
  now: number,
  facts: SubnetFacts = {},
  exposures: ExposureMemory = new WeakMap(),
  before: ProblemIndex<Problem> = indexProblems<Problem>([]),
): SubnetView {
  const chain = viewChain(states);
  const { stallAfterMs: configured, isStallAuto, maxLag } = subnet.settings.rpc;
  const stallAfterMs = (isStallAuto ? findStallMs(chain) : undefined) ?? configured;
  const ofChain = states.filter((state) => !chain.foreign.has(state));
  const heights = ofChain.flatMap((state) => heightOf(state) ?? []);
  const reference = findReference(heights);
  const against = { reference, maxLag };
  const halt = before.get({ problem: 'subnet_halted' });
  const stoodAt = findStoodAt(ofChain, reference, now - stallAfterMs - SPREAD_MS, now, halt);
  const haltedUntil = findHaltEnd(halt, ofChain, stoodAt, now);
  const rises = heights.filter((height) => height.risen && canBeWitness(height, against));
  const moment = {
    ...against,
    stallAfterMs,
    stoodAt,
    lastRise: highest(rises.map(({ advancedAt }) => advancedAt)),
    lastLine: highest(ofChain.flatMap(({ facts }) => facts.logs?.node?.advancedAt ?? [])),
    stillOut: findStillOut(before),
    haltedUntil,
    now,
  };
  const targets = states.map((state): TargetView | NodeView => {
    const setup = setupOf(facts.setup?.observation, state.target);
    return state.target.component === 'node'
      ? viewNode(state, state.target, setup, chain, moment)
      : { state, container: viewContainer(state), failing: findFailing(state), setup };
  });
  const nodes = targets.filter((one) => 'target' in one);
  const services = targets.filter((one) => !('target' in one));
  const masters = findMasters(nodes, chain);
  const neverSigned = findNeverSigned(nodes);
  const silentVoters = findSilentVoters(nodes, chain, masters, neverSigned, now);
  const voters = { nodes, chain, masters, silentVoters };
  const joining = findJoining(nodes, before, now);
  return {
    subnet,
    facts,
    targets,
    services,
    reference,
    neverSigned,
    ...voters,
    quorum: findQuorum(voters),
    stallAfterMs,
    askedSince: Math.min(...nodes.map(({ state }) => askedAt(state))),
    joining,
    haltedUntil,
    absent: nodes.filter(({ isOut, name }) => isOut || joining.has(name)).length,
    exposures,
    now,
  };
}
