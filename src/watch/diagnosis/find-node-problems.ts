import { formatDuration } from '../../lib/duration.ts';
import { collect } from '../../lib/values.ts';
import { toShellWord } from '../../lib/words.ts';
import { describeHealth, healthOf } from '../../model/chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import { problemCatalog } from '../../model/problem-catalog.ts';
import { findStart, isLooping } from '../../model/restart-cause.ts';
import { commandToReplace, commandToSeeLog } from '../clients/commands-to-type.ts';
import {
  adviceOf,
  askedAt,
  awaitsPeers,
  checkOf,
  countMissing,
  hasLostNetwork,
  isDockerSilent,
  isFromBefore,
  isLossNew,
  isPastStart,
  isStopped,
  losesPeers,
  type NodeView,
  namesOf,
  type SubnetView,
  stalledMs,
  WAKE_DOCKER,
} from './subnet-view.ts';
import { explain, explainEach, type Found, findEach, READ_FROM_NODE, suspectTarget } from './suspect.ts';

/** The command that restarts a node, as far as the inventory says where it runs. */
export const commandToRestart = ({ container, name }: NodeView): string =>
  'container' in container
    ? `restart it with \`docker restart ${toShellWord(container.container.name)}\``
    : `restart ${name}`;

const explainAnswers = (node: NodeView) => explain(node, 'latest_block', 'peers', 'log_block');

/** The faults of a way to the RPC of a node that does not lead there. */
const CLOSED_FAULTS: readonly (string | undefined)[] = ['refused', 'unreachable', 'unresolved', 'timeout', 'closed'];

/** Nodes are probed one after another, so a line may have been printed this long before the probe that failed has ended. */
export const LINE_BEFORE_MS = 2_000;

/** How it shows that a node runs whose RPC cannot be reached, if it does by now. */
function findLife({ answers, fault, isLogAlive, unseen, state }: NodeView): string | undefined {
  if (answers === true) return 'its IPC socket answers';
  // A node that is waited for would have answered at the begin of the probe.
  const waitedMs = (fault !== undefined && 'afterMs' in fault && fault.afterMs) || 0;
  const failsSince = (checkOf(state, 'latest_block')?.since ?? Number.POSITIVE_INFINITY) - waitedMs;
  const { advancedAt: printedAt = Number.NEGATIVE_INFINITY, startedAt = 0 } = state.facts.logs?.node ?? {};
  if (isLogAlive && askedAt(state) >= startedAt && printedAt - failsSince >= LINE_BEFORE_MS) return 'its log goes on';
  return unseen === 'votes' ? 'its masternode misses no turn' : undefined;
}

/** The RPC of a node cannot be reached, but the node runs, or did until it was asked. */
function findClosedRpc(node: NodeView, view: SubnetView): Found {
  const { name, state, fault, isStarting, answers, unseen, setup } = node;
  // One whose socket answers has started, and opens its RPC some seconds later.
  const opens = findStart(state.facts.container, view.now) !== undefined;
  if (opens || (isStarting && answers !== true) || isFromBefore(node, 'latest_block')) return undefined;
  if (!CLOSED_FAULTS.includes(fault?.kind)) return undefined;
  const { seen = '', fix = '', since = view.now, lastRun = since } = checkOf(state, 'latest_block') ?? {};
  // What just ends closes its RPC before its socket.
  if (fault?.kind === 'closed' && answers === true && lastRun <= since) return undefined;
  const isSilent = isDockerSilent(node, view);
  const wakeDocker = `${WAKE_DOCKER}: the ports of its containers may have ended with it`;
  // What its log says does not hang on it.
  const explains = explain(node, 'latest_block', 'peers');
  const life = findLife(node);
  if (life === undefined && unseen === 'voted')
    return suspectTarget('rpc_closed', node, {
      summary: `subnetd cannot reach the RPC of ${name}`,
      evidence: `${seen}; whether its masternode has missed a turn since then is not known yet`,
      fix: isSilent ? wakeDocker : fix,
      explains,
    });
  if (life === undefined) return undefined;
  const port = setup.container?.ok ? setup.container.value.ports.rpc : undefined;
  const where =
    port === undefined
      ? `see on which address and port ${name} serves RPC, if at all`
      : `see that port ${port}, at which its container is set to serve RPC, is published`;
  // Where it has always answered, that is known since its RPC has not.
  const { at: answersSince = since } = state.facts.node?.returned ?? {};
  const silentMs = view.now - Math.max(since, answersSince);
  // One or two answers may only be late.
  if (!isSilent && fault?.kind === 'timeout' && silentMs < problemCatalog.rpc_closed.confirmMs)
    return suspectTarget('rpc_closed', node, {
      lastedMs: answers === true ? silentMs : 0,
      summary: `the RPC of ${name} did not answer within ${formatDuration(fault.afterMs)}`,
      evidence: `${seen}; ${life}`,
      fix: `see with \`top\` on its machine whether ${name} gets enough processor time: it runs, and may only answer late`,
      explains,
    });
  return suspectTarget('rpc_closed', node, {
    // The time in which it was waited for counts: its socket has answered meanwhile.
    lastedMs: answers === true ? silentMs : 0,
    summary: `subnetd cannot reach the RPC of ${name}, which runs`,
    evidence: `${seen}; ${life}`,
    fix: isSilent
      ? `${wakeDocker}, and ${name} itself runs`
      : fault?.kind === 'refused' || fault?.kind === 'closed'
        ? `${where}, and correct rpc in the inventory or the flags of its start; starting it does not help, as ${life}`
        : fault?.kind === 'timeout'
          ? `see whether a firewall between here and ${name} drops packets; if not, its RPC hangs although it runs, and a restart helps: ask \`subnetd safe-to-restart ${toShellWord(name)}\` first`
          : fix,
    explains,
  });
}

/** Its container has lost its network, so nobody can reach it, though it may still answer on its socket. */
function findWithoutNetwork(node: NodeView, now: number): Found {
  const { name, container, target, state } = node;
  if (!hasLostNetwork(node) || container.kind !== 'running') return undefined;
  const { lostNetwork = '', name: containerName } = container.container;
  return suspectTarget('node_down', node, {
    about: lostNetwork,
    lastedMs: now - (checkOf(state, 'latest_block')?.since ?? now),
    summary: `${name} is connected to no network`,
    evidence: `the container of ${name} is running, but is no longer in any Docker network; it was made for ${lostNetwork}`,
    // Compose gives it back the address under which others know it.
    fix:
      target.container !== undefined && 'service' in target.container
        ? commandToReplace(target.container)
        : `connect it again with \`docker network connect ${toShellWord(lostNetwork)} ${toShellWord(containerName)}\``,
    explains: explainAnswers(node),
  });
}

/** No call is answered, although Docker does not say that the container is stopped. Other nodes may be silent too. */
function findSilent(node: NodeView, view: SubnetView): Found {
  // A node takes some seconds until it answers.
  if (node.answers !== false || node.isStarting || isFromBefore(node, 'latest_block')) return undefined;
  const { name, state, container, fault, unseen } = node;
  const check = checkOf(state, 'latest_block');
  const explains = explainAnswers(node);
  const isBarred = unseen === 'barred';
  const waitsForDocker = isDockerSilent(node, view);
  // Without a container, its machine may be down as well.
  if (!isBarred && fault?.kind === 'timeout' && (container.kind === 'running' || waitsForDocker)) {
    const silent = `${name} has not answered within ${formatDuration(fault.afterMs)}`;
    return suspectTarget('node_hanging', node, {
      summary: `${name} hangs`,
      readAt: check?.lastRun,
      evidence: waitsForDocker
        ? `${silent}, and its Docker Engine does not answer either`
        : `the container of ${name} is running, but ${silent}`,
      fix: waitsForDocker
        ? `${WAKE_DOCKER}: a node waits for Docker to take its output, and goes on then`
        : `${commandToRestart(node)}; if it hangs again, check the disk and the processor of its machine`,
      explains,
    });
  }
  // Nothing listens, or not long enough: what the fault itself advises is no more than that.
  const isGone = !isBarred && (fault === undefined || fault.kind === 'refused' || fault.kind === 'closed');
  // Docker may not have said yet that its container ends again and again.
  const isUnsaid = !isBarred && node.target.container !== undefined && container.kind === 'unknown';
  return suspectTarget('node_down', node, {
    summary: isBarred ? `subnetd cannot see ${name}` : `${name} does not answer`,
    evidence: check?.seen ?? '',
    readAt: check?.lastRun,
    fix:
      (waitsForDocker ? WAKE_DOCKER : isGone || isUnsaid ? undefined : check?.fix) ??
      (isUnsaid || (container.kind === 'running' && (checkOf(state, 'container')?.lastRun ?? 0) <= (check?.since ?? 0))
        ? `wait until Docker says whether the container of ${name} still runs`
        : 'container' in container
          ? `read why with \`docker logs --tail 100 ${toShellWord(container.container.name)}\``
          : `see that ${name} runs and that its RPC port is reachable from here, and ${commandToSeeLog(node.target)}`),
    explains,
  });
}

const networkOf = ({ state }: NodeView): number | undefined => state.facts.logs?.created?.networkId;

/** The network id that all others were created with, two at least, where this node alone has another: then they refuse it. */
function findOtherNetwork(node: NodeView, { nodes }: SubnetView): number | undefined {
  const own = networkOf(node);
  const others = nodes.flatMap((one) => (one === node ? [] : (networkOf(one) ?? [])));
  const [id, ...more] = new Set(others);
  return own !== undefined && own !== id && more.length === 0 && others.length > 1 ? id : undefined;
}

/** A node without peers while others have some: it runs, so a restart does not help. */
function findPartitioned(node: NodeView, view: SubnetView): Found {
  const { name, target, peers, isStarting } = node;
  if (peers !== 0 || target.expectedPeers === 0) return undefined;
  const connected = view.nodes.filter((one) => (one.peers ?? 0) > 0);
  if (connected.length === 0) return undefined;
  const { setNetworkId } = adviceOf(node);
  const network = setNetworkId && findOtherNetwork(node, view);
  // One that has just started or is back may find its peers yet, but not in another network. Where all have ended at once, it has too.
  const mayFind = isStarting || awaitsPeers(node.state, view.now) || isLossNew(node.state, view.heardFrom, view.now);
  if (mayFind && network === undefined) return undefined;
  const seen = `${name} answers and has 0 of ${target.expectedPeers} peers, while others are connected: ${namesOf(connected)}`;
  // One whose height was left behind, or that was seen to lose its peers, was cut off before it had lost the last one.
  const lost = view.before.get({ problem: 'peers_missing', component: 'node', name });
  const lostMs = lost && lost.state !== 'clearing' ? view.now - lost.since : 0;
  const lasted = { lastedMs: Math.max(stalledMs(node, view) ?? 0, lostMs), ...(lostMs > 0 && { confirmMs: 10_000 }) };
  const told = { summary: `${name} is cut off from the other nodes`, explains: explainAnswers(node), ...lasted };
  const suspectCut = (more: string, fix: string) =>
    suspectTarget('node_partitioned', node, { ...told, evidence: `${seen}${more}`, fix });
  const id = node.chainFacts?.observation.nodeId;
  // A node with the key of another one is refused as that one, which is connected already.
  const twin = connected.find((one) => one.chainFacts?.observation.nodeId === id);
  if (twin !== undefined && id !== undefined)
    return suspectCut(
      `; it gives the same enode id as ${twin.name}, so the others refuse it`,
      `${adviceOf(node).replaceNodeKey(target)}, and ${commandToRestart(node)}`,
    );
  if (setNetworkId !== undefined && network !== undefined)
    return suspectCut(
      `; it was created with NETWORK_ID=${networkOf(node)}, and the others with NETWORK_ID=${network}`,
      `${setNetworkId(network, target)}; nodes of another network id refuse it`,
    );
  return suspectCut(
    '',
    `open the p2p port of ${name} to the other nodes (TCP and UDP), and check its bootnode address and the firewall; a restart does not help`,
  );
}

function findStalled(node: NodeView, witness: NodeView | undefined, view: SubnetView): Found {
  const { name, height, isStalled, peers, isStarting, chainFacts } = node;
  if (height === undefined || !isStalled || isStarting || witness === undefined) return undefined;
  return suspectTarget('node_stalled', node, {
    summary: `${name} is stalled at block ${height.number}`,
    evidence: `${name} has been at block ${height.number} for ${formatDuration(view.now - height.riseDueSince)}${peers === undefined ? '' : ` with ${peers} peers`}, while ${witness.name} rises${describeHealth(healthOf(chainFacts, view.now))}`,
    fix: `${commandToRestart(node)}; if it stalls again, check its disk and memory, and ${commandToSeeLog(node.target)}`,
    explains: explain(node, 'latest_block', 'log_block'),
    lastedMs: stalledMs(node, view),
  });
}

/** That a method is refused does not pass by itself. */
const REFUSED_MS = 15_000;

/** What else fails the check of the latest block. */
function findHeightProblem(node: NodeView, view: SubnetView): Found {
  const { name, state, height, fault } = node;
  const check = checkOf(state, 'latest_block');
  /** No time helps: it was started without this method. */
  const isRefused = fault?.kind === 'rpc-error' && (fault.known === 'method-not-found' || fault.known === 'module-off');
  // One that has just started takes the blocks that it has missed.
  if (check?.verdict !== 'fail' || (node.isStarting && !isRefused) || node.answers === false) return undefined;
  const told = { evidence: check.seen, readAt: check.lastRun, fix: check.fix, explains: explain(node, 'latest_block') };
  if (height === undefined) {
    const summary = `${name} does not return its latest block`;
    return suspectTarget('node_without_block', node, { ...told, summary, ...(isRefused && { confirmMs: REFUSED_MS }) });
  }
  // Until another node has had time to rise, the whole subnet may be halted.
  if (view.now - height.riseDueSince >= view.stallAfterMs) return undefined;
  if (height.number <= (view.reference ?? height.number))
    return suspectTarget('node_behind', node, { ...told, summary: `${name} is behind the other nodes` });
  return suspectTarget('height_not_credible', node, {
    ...told,
    summary: `${name} claims a height that no other node has`,
    fix: `see what answers at the address of ${name}; if it is the node, ${adviceOf(node).resync(name)} from the others`,
  });
}

function findFillingDisk(node: NodeView, { now }: SubnetView): Found {
  const { name, answers, chainFacts } = node;
  const disk = answers === true ? healthOf(chainFacts, now).find((fault) => fault.of === 'disk') : undefined;
  if (disk === undefined) return undefined;
  const summary = `the disk of ${name} is filling up`;
  return suspectTarget('disk_filling', node, { summary, evidence: `${name} says that ${disk.seen}`, fix: disk.fix });
}

/** The bootnodes with the nodes that they have not heard, as long as all of these are absent. */
const findDeaf = ({ nodes, targets }: SubnetView, absent: ReadonlyMap<string, NodeView>) =>
  collect(targets, (one) => {
    const { heardNodes } = one.state;
    // Only a bootnode has them: for each node, this would be slow with many.
    if (heardNodes === undefined) return undefined;
    const unheard = new Set(nodes.map(({ name }) => name)).difference(new Set(heardNodes));
    return unheard.isSubsetOf(absent) ? { one, unheard } : undefined;
  });

export function findNodeProblems(view: SubnetView): readonly Suspicion[] {
  // The node whose height shows that others rise. A stalled node is never its own witness.
  const witness = view.nodes.find(({ rises, isStarting }) => rises && !isStarting);
  // Why its container ends again and again is a problem of the container.
  const loops = (node: NodeView) => isLooping(node.state.facts.container, view.now) && !isPastStart(node, view.now);
  const judged = view.nodes.filter((node) => !isStopped(node) && !node.isForeign && !loops(node));
  const findGravest = (node: NodeView) =>
    findWithoutNetwork(node, view.now) ??
    findClosedRpc(node, view) ??
    findSilent(node, view) ??
    findPartitioned(node, view) ??
    findStalled(node, witness, view) ??
    findHeightProblem(node, view);
  return findEach(judged, view, findGravest, findFillingDisk);
}

/**
 * Adds to the problems of nodes that are out the checks of other targets that fail because of them. Which peers a node misses is not
 * known, so the problem of the node that has been silent for longest explains all that are missed. That of a node also explains the
 * bootnode that has not heard it, and the service that reads from it.
 */
export function explainOtherTargets(found: readonly Suspicion[], view: SubnetView): readonly Suspicion[] {
  /** Why others miss it is known. One that has just started has not found them yet, whatever else its log shows. */
  const isGone = ({ isOut, isStarting, state }: NodeView) => isOut || (!isStarting && losesPeers(state));
  const out = view.nodes.filter((node) => node.isStarting || isGone(node));
  const byName = new Map(out.map((node) => [node.name, node]));
  const ofOut = collect(found, (one) => {
    const node = one.component === 'node' ? byName.get(one.name ?? '') : undefined;
    if (node === undefined || !isGone(node)) return undefined;
    // A crash is reported for minutes, and is not why a node that has run since is out.
    const isOldCrash = one.problem === 'container_restarting' && isPastStart(node, view.now);
    const { verdict, since } = checkOf(node.state, 'latest_block') ?? {};
    return { one, isOldCrash, since: (verdict === 'fail' ? since : undefined) ?? view.now };
  });
  const [first = ofOut[0]] = ofOut.filter(({ isOldCrash }) => !isOldCrash).toSorted((a, b) => a.since - b.since);
  const ofNodes = new Set(ofOut.map(({ one }) => one));
  // Nodes that miss no more peers than nodes are out, or have just come.
  const few = view.nodes.filter(({ state }) => countMissing(state) > 0 && countMissing(state) <= view.absent.size);
  const missed = explainEach(few, 'peers');
  /** The services that read the subnet through a node, by its name. */
  const readers = Map.groupBy(view.services, ({ state: { target } }) => 'readsFrom' in target && target.readsFrom);
  // No node explains that the relayer does not reach the parent chain, or its contract.
  const areOfNode = READ_FROM_NODE.filter((check) => check !== 'submissions' || view.relayer.cause === undefined);
  const deaf = findDeaf(view, byName);
  // A node that runs again after a failure of its own misses the others too: its peers are explained by those that are out.
  const ofOthers = new Set(first ? missed.filter(({ name }) => !byName.has(name)) : []);
  return found.map((one) => {
    const { name = '', explains } = one;
    if (!ofNodes.has(one)) return { ...one, explains: explains.filter((each) => !ofOthers.has(each)) };
    const unheard = deaf.flatMap((each) => (each.unheard.has(name) ? each.one : []));
    const also = [...explainEach(readers.get(name) ?? [], ...areOfNode), ...explainEach(unheard, 'messages')];
    return { ...one, explains: [...explains, ...(one === first?.one ? missed : []), ...also] };
  });
}
