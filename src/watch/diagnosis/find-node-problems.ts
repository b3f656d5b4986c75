import { formatDuration } from '../../lib/duration.ts';
import { listNames, toShellWord } from '../../lib/words.ts';
import { describeHealth, healthOf } from '../../model/chain.ts';
import type { ExplainedCheck, Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { isLooping } from '../../model/restart-cause.ts';
import { commandToReplace, commandToSeeLog } from '../clients/commands-to-type.ts';
import { findClosedRpc } from './find-closed-rpc.ts';
import {
  adviceOf,
  checkOf,
  fails,
  isSettled,
  isStopped,
  type NodeView,
  type SubnetView,
  stalledMs,
  type TargetView,
} from './subnet-view.ts';
import { explain, explainEach, READ_FROM_NODE } from './suspect.ts';

/** The command that restarts a node, as far as the inventory says where it runs. */
export const commandToRestart = ({ container, name }: NodeView): string =>
  'container' in container
    ? `restart it with \`docker restart ${toShellWord(container.container.name)}\``
    : `restart ${name}`;

type Words = Pick<Suspicion, 'summary' | 'evidence' | 'fix'>;

/** A problem of one node. Made as one object without copies, as each of thousands of nodes may have one. */
const toSuspicion = (
  problem: ProblemName,
  { name }: NodeView,
  explains: readonly ExplainedCheck[],
  { summary, evidence, fix }: Words,
  lastedMs?: number,
): Suspicion => ({ problem, component: 'node', name, explains, causes: [], summary, evidence, fix, lastedMs });

const explainAnswers = (node: NodeView) => explain(node, 'latest_block', 'peers', 'log_block');

/** Whether the Docker Engine of a node has been asked and does not answer. */
const isDockerSilent = ({ state: { facts } }: NodeView): boolean =>
  facts.container?.observation?.kind === 'docker-unreachable';

const isInLoop = (node: NodeView, { now }: SubnetView): boolean => {
  const { container } = node.state.facts;
  return container !== undefined && isLooping(container, now) && !isSettled(node, now);
};

/**
 * No call is answered, although Docker does not say that the container is stopped. How long that has lasted confirms nothing:
 * the other nodes may not have been probed since, and may be silent too.
 */
function findSilent(node: NodeView): Suspicion | undefined {
  // A node takes some seconds until it answers.
  if (node.answers !== false || node.isStarting) return undefined;
  const { name, state, container, fault, unseen } = node;
  const check = checkOf(state, 'latest_block');
  // A container that was unpaused has not been asked since.
  const resumed = container.kind === 'running' ? checkOf(state, 'container') : undefined;
  if (resumed?.verdict === 'pass' && (check?.lastRun ?? 0) < resumed.since) return undefined;
  if (unseen === 'barred')
    return toSuspicion('node_down', node, explainAnswers(node), {
      summary: `subnetd cannot see ${name}`,
      evidence: check?.seen ?? '',
      fix: check?.fix ?? '',
    });
  if (container.kind === 'running' && container.container.lostNetwork !== undefined) {
    const { lostNetwork, name: containerName } = container.container;
    const { container: ref } = node.target;
    return toSuspicion('node_down', node, explainAnswers(node), {
      summary: `${name} is connected to no network`,
      evidence: `the container of ${name} is running, but is no longer in any Docker network; it was made for ${lostNetwork}`,
      // Compose gives it back the address under which others know it.
      fix:
        ref !== undefined && 'service' in ref
          ? commandToReplace(ref)
          : `connect it again with \`docker network connect ${toShellWord(lostNetwork)} ${toShellWord(containerName)}\``,
    });
  }
  // Without a container, its machine may be down as well.
  if (fault?.kind === 'timeout' && (container.kind === 'running' || isDockerSilent(node))) {
    const summary = `${name} hangs`;
    return toSuspicion(
      'node_hanging',
      node,
      explainAnswers(node),
      isDockerSilent(node)
        ? {
            summary,
            evidence: `${name} has not answered within ${formatDuration(fault.afterMs)}, and its Docker Engine does not answer either`,
            fix: `make Docker answer first, as with \`systemctl restart docker\` on its machine: a node waits for Docker to take its output, and goes on then`,
          }
        : {
            summary,
            evidence: `the container of ${name} is running, but ${name} has not answered within ${formatDuration(fault.afterMs)}`,
            fix: `${commandToRestart(node)}; if it hangs again, check the disk and the processor of its machine`,
          },
    );
  }
  // Nothing listens, or not long enough: what the fault itself advises is no more than that.
  const isGone = fault === undefined || fault.kind === 'refused' || fault.kind === 'closed';
  return toSuspicion('node_down', node, explainAnswers(node), {
    summary: `${name} does not answer`,
    evidence: check?.seen ?? '',
    fix:
      (isGone ? undefined : check?.fix) ??
      ('container' in container
        ? `read why with \`docker logs --tail 100 ${toShellWord(container.container.name)}\``
        : `see that ${name} runs and that its RPC port is reachable from here, and ${commandToSeeLog(node.target)}`),
  });
}

const networkOf = ({ state }: NodeView): number | undefined => state.facts.logs?.created?.networkId;

/** How many nodes were created with each network id. */
function countNetworks(nodes: readonly NodeView[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const node of nodes) {
    const id = networkOf(node);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The network id that all others were created with, two at least, where this node alone has another: then they refuse it. */
function findOtherNetwork(node: NodeView, networks: ReadonlyMap<number, number>): number | undefined {
  const own = networkOf(node);
  if (own === undefined || networks.get(own) !== 1 || networks.size !== 2) return undefined;
  for (const [id, count] of networks) if (id !== own && count > 1) return id;
  return undefined;
}

const idOf = ({ chainFacts }: NodeView): string | undefined => chainFacts?.observation.nodeId;

/** A node without peers while others have some: it runs, so a restart does not help. */
function findPartitioned(
  node: NodeView,
  connected: string,
  networks: ReadonlyMap<number, number>,
  { nodes }: SubnetView,
): Suspicion | undefined {
  const { name, target, peers, isStarting } = node;
  if (peers !== 0 || target.expectedPeers === 0 || isStarting || connected === '') return undefined;
  const seen = `${name} answers and has 0 of ${target.expectedPeers} peers, while others are connected: ${connected}`;
  const summary = `${name} is cut off from the other nodes`;
  const id = idOf(node);
  // A node with the key of another one is refused as that one, which is connected already.
  const twin =
    id === undefined ? undefined : nodes.find((one) => one !== node && (one.peers ?? 0) > 0 && idOf(one) === id);
  if (twin !== undefined)
    return toSuspicion('node_partitioned', node, explainAnswers(node), {
      summary,
      evidence: `${seen}; it gives the same enode id as ${twin.name}, so the others refuse it`,
      fix: `${adviceOf(node).replaceNodeKey(target)}, and ${commandToRestart(node)}`,
    });
  const { setNetworkId } = adviceOf(node);
  const network = setNetworkId && findOtherNetwork(node, networks);
  return toSuspicion('node_partitioned', node, explainAnswers(node), {
    summary,
    evidence:
      network === undefined
        ? seen
        : `${seen}; it was created with NETWORK_ID=${networkOf(node)}, and the others with NETWORK_ID=${network}`,
    fix:
      setNetworkId === undefined || network === undefined
        ? `open the p2p port of ${name} to the other nodes (TCP and UDP), and check its bootnode address and the firewall; a restart does not help`
        : `${setNetworkId(network, target)}; nodes of another network id refuse it`,
  });
}

/** A height that is stalled while others rise. */
function findStalled(node: NodeView, witness: NodeView | undefined, { now }: SubnetView): Suspicion | undefined {
  const { name, height, isStalled, peers, isStarting, chainFacts } = node;
  if (height === undefined || !isStalled || isStarting || witness === undefined) return undefined;
  const seen = `${name} has been at block ${height.number} for ${formatDuration(now - height.riseDueSince)}${peers === undefined ? '' : ` with ${peers} peers`}`;
  const words = {
    summary: `${name} is stalled at block ${height.number}`,
    evidence: `${seen}, while ${witness.name} rises${describeHealth(healthOf(chainFacts, now))}`,
    fix: `${commandToRestart(node)}; if it stalls again, check its disk and memory, and ${commandToSeeLog(node.target)}`,
  };
  return toSuspicion('node_stalled', node, explain(node, 'latest_block', 'log_block'), words, stalledMs(node, { now }));
}

/** What else fails the check of the latest block. */
function findHeightProblem(node: NodeView, view: SubnetView): Suspicion | undefined {
  const { now, stallAfterMs } = view;
  const { name, state, height } = node;
  const check = fails(node, 'latest_block') ? checkOf(state, 'latest_block') : undefined;
  // One that has just started takes the blocks that it has missed.
  if (check?.verdict !== 'fail' || node.isStarting || node.answers === false) return undefined;
  const { seen: evidence, fix } = check;
  const explains = explain(node, 'latest_block');
  if (height === undefined) {
    const summary = `${name} answers, but does not return its latest block`;
    return toSuspicion('node_without_block', node, explains, { summary, evidence, fix });
  }
  // Until another node has had time to rise, the whole subnet may be halted.
  if (now - height.riseDueSince >= stallAfterMs) return undefined;
  const ahead = height.number - (view.reference ?? height.number);
  if (ahead > 0)
    return toSuspicion('height_not_credible', node, explains, {
      summary: `${name} claims a height that no other node has`,
      evidence,
      fix: `see what answers at the address of ${name}; if it is the node, remove its data and let it sync again from the others`,
    });
  const summary = `${name} is behind the other nodes`;
  return toSuspicion('node_behind', node, explains, { summary, evidence, fix });
}

/** A node that says itself that its disk fills. */
function findFillingDisk(node: NodeView, now: number): Suspicion | undefined {
  const { name, answers, chainFacts } = node;
  const disk = answers === true ? healthOf(chainFacts, now).find((fault) => fault.of === 'disk') : undefined;
  if (disk === undefined) return undefined;
  const summary = `the disk of ${name} is filling up`;
  return toSuspicion('disk_filling', node, [], { summary, evidence: `${name} says that ${disk.seen}`, fix: disk.fix });
}

/** The failing checks of nodes and bootnodes that miss no more nodes than are out. */
function explainMissed(out: readonly NodeView[], { nodes, targets }: SubnetView) {
  const few = nodes.filter(
    ({ target, peers = target.expectedPeers }) =>
      peers < target.expectedPeers && target.expectedPeers - peers <= out.length,
  );
  const deaf = targets.filter(
    ({ state: { heardNodes } }) => heardNodes !== undefined && nodes.length - heardNodes <= out.length,
  );
  return [...explainEach(few, 'peers'), ...explainEach(deaf, 'messages')];
}

/** The services that read the subnet through a node, by the name of the node. */
function findReaders({ services }: SubnetView): ReadonlyMap<string, readonly TargetView[]> {
  const reading = services.filter(({ state: { target } }) => 'readsFrom' in target && target.readsFrom !== undefined);
  return Map.groupBy(reading, ({ state: { target } }) => ('readsFrom' in target && target.readsFrom) || '');
}

/** Problems of single nodes. */
export function findNodeProblems(view: SubnetView): readonly Suspicion[] {
  const connected = listNames(view.nodes.filter(({ peers = 0 }) => peers > 0).map(({ name }) => name));
  // The node whose height shows that others rise. A stalled node is never its own witness.
  const witness = view.nodes.find(({ rises, isStarting }) => rises && !isStarting);
  const networks = countNetworks(view.nodes.some(({ peers }) => peers === 0) ? view.nodes : []);
  const found: Suspicion[] = [];
  for (const node of view.nodes) {
    // Why its container ends again and again is a problem of the container.
    if (isStopped(node) || node.isForeign || isInLoop(node, view)) continue;
    const one =
      findClosedRpc(node) ??
      findSilent(node) ??
      findPartitioned(node, connected, networks, view) ??
      findStalled(node, witness, view) ??
      findHeightProblem(node, view);
    const disk = findFillingDisk(node, view.now);
    if (one !== undefined) found.push(one);
    if (disk !== undefined) found.push(disk);
  }
  return found;
}

/**
 * Adds to the problems of nodes that are out the checks of other targets that fail for that reason. Which peers are missing is not
 * known, so the first problem explains all of those. A service that reads from a node is explained by the problem of that node.
 */
export function explainOtherTargets(found: readonly Suspicion[], view: SubnetView): readonly Suspicion[] {
  const out = view.nodes.filter(({ isOut, isStarting }) => isOut || isStarting);
  let missed = out.length === 0 ? [] : explainMissed(out, view);
  const names = new Set(out.filter(({ isOut }) => isOut).map(({ name }) => name));
  const isOfOut = ({ component, name }: Suspicion) => component === 'node' && name !== undefined && names.has(name);
  const readers = findReaders(view);
  // A node that runs again after a failure of its own misses the others too: its peers are explained by those that are out.
  const outOrStarting = new Set(out.map(({ name }) => name));
  const ofOthers = new Set(
    found.some(isOfOut) ? missed.filter((each) => each.component === 'node' && !outOrStarting.has(each.name)) : [],
  );
  return found.map((one) => {
    const { name = '', explains } = one;
    if (!isOfOut(one))
      return explains.some((each) => ofOthers.has(each))
        ? { ...one, explains: explains.filter((each) => !ofOthers.has(each)) }
        : one;
    const reading = readers.get(name);
    if (reading === undefined && missed.length === 0) return one;
    const also = [...missed, ...explainEach(reading ?? [], ...READ_FROM_NODE)];
    missed = [];
    return also.length === 0 ? one : { ...one, explains: [...explains, ...also] };
  });
}
