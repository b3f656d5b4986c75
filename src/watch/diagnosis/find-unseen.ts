import { highest } from '../../lib/numbers.ts';
import { listEach } from '../../lib/words.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { askedAt, checkOf, hasLoggedSince, isStopped, type NodeView, namesOf, type SubnetView } from './subnet-view.ts';
import { explainEach, type Found, refsTo, suspect } from './suspect.ts';

/** The faults of what lies between subnetd and a node, in words. A node that hangs times out too. */
const MEETS: Readonly<Record<string, string>> = {
  unreachable: 'connections are not accepted',
  unresolved: 'names do not resolve',
  timeout: 'no answer in time',
};

export const NETWORK_FAULTS: readonly (string | undefined)[] = Object.keys(MEETS);

/** Of these, the faults that a node cannot cause itself. */
const PATH_FAULTS: readonly (string | undefined)[] = ['unreachable', 'unresolved'];

/** A probe that was sent before may end this much later. */
const PROBE_MS = 10_000;

/** What is said of a node that does not answer, but not if none can be seen. */
export const SILENCE: readonly ProblemName[] = ['node_down', 'node_hanging', 'node_without_block', 'rpc_closed'];

/** The checks that fail of all that cannot be seen. */
const SHOWN = ['latest_block', 'peers', 'log_block', 'http', 'console', 'submissions', 'messages'] as const;

const CHECK_LINK = 'check the network link and the name server of the machine of subnetd';

/** Nor is the parent chain, without a network. */
const OF_PARENT = ['parent_unreachable', 'parent_unseen'] as const;

const describeLogs = (nodes: readonly NodeView[]): string =>
  nodes.length === 0 ? '' : `, while the log of ${namesOf(nodes)} goes on`;

/** Everything unreachable at once, from here: subnetd cannot see, which says nothing about the subnet. */
function findOffline(view: SubnetView, asked: readonly NodeView[]): Found {
  const { nodes, targets } = view;
  const faults = asked.length === 1 ? PATH_FAULTS : NETWORK_FAULTS;
  if (!asked.every((node) => !isStopped(node) && faults.includes(node.fault?.kind))) return undefined;
  const lastAnswer = highest(asked.map(({ state }) => state.facts.node?.latest?.lastGoodAt ?? 0));
  // A service that answered before the nodes were last heard proves nothing.
  const isLater = (state: TargetState) => (checkOf(state, 'http')?.lastRun ?? 0) > lastAnswer + PROBE_MS;
  const reached = targets.filter(({ state }) => state.facts.service?.observation.ok === true && isLater(state));
  // If services answer, the way is cut only when every node is known to run and takes no connection.
  const runs = ({ container, isLogAlive, answers, fault }: NodeView) =>
    (container.kind === 'running' || isLogAlive || answers === true) && PATH_FAULTS.includes(fault?.kind);
  if (reached.length > 0 && !asked.every(runs)) return undefined;
  const met = [...new Set(asked.map(({ fault }) => MEETS[String(fault?.kind)]))];
  // Their logs have shown a block since they were asked in vain.
  const rising = nodes.filter(({ rises, state }) => rises && hasLoggedSince(state, askedAt(state)));
  const talking = asked.filter(({ answers }) => answers === true);
  const known =
    talking.length > 0 ? `, while the IPC socket of ${namesOf(talking)} answers` : ', and none is known to be stopped';
  const all = asked.length === 1 ? `${asked[0]?.name}, the only node, became` : `all ${asked.length} nodes became`;
  return suspect('monitor_offline', {
    causes: refsTo(view.relayer.subject, ...OF_PARENT),
    summary: 'subnetd cannot reach any node',
    evidence: `${all} unreachable from here (${met.join(', or ')})${describeLogs(rising) || known}`,
    fix:
      reached.length > 0
        ? `see whether a firewall between here and the RPC ports of the nodes drops packets, as ${listEach(reached, ({ state }) => state.target.name)} ${reached.length === 1 ? 'is' : 'are'} reached; the subnet itself may be well`
        : `${CHECK_LINK}; the subnet itself may be well`,
  });
}

/** No node has answered since subnetd started: then the addresses are more likely wrong than every node down. */
function findNeverReached(view: SubnetView, asked: readonly NodeView[]): Found {
  // One that subnetd itself could not ask proves nothing.
  if (view.nodes.some(({ answers, state }) => answers === undefined && state.facts.node)) return undefined;
  const isUnmet = (node: NodeView) => {
    const { latest, chain, client } = node.state.facts.node ?? {};
    const isMet = (latest ?? chain ?? client) !== undefined;
    return node.answers === false && node.unseen !== 'barred' && !isStopped(node) && !node.isStarting && !isMet;
  };
  if (!asked.every(isUnmet)) return undefined;
  const [first] = asked;
  const why = first && checkOf(first.state, 'latest_block');
  const rising = asked.filter(({ rises }) => rises);
  const all = view.nodes.length === 1 ? 'its node has not' : `none of its ${view.nodes.length} nodes has`;
  // Without a network no container, service or parent chain is seen either.
  const isUnseen = ({ fault, container: { kind } }: NodeView) =>
    NETWORK_FAULTS.includes(fault?.kind) && kind === 'unknown';
  const answers = view.services.some(({ state }) => state.facts.service?.observation.ok);
  const isCut = !answers && !view.facts.parent?.observation.head.ok && rising.length === 0 && asked.every(isUnseen);
  const ofParent = isCut ? refsTo(view.relayer.subject, ...OF_PARENT) : [];
  return suspect('never_reached', {
    // Nor is it known which clients they run, and each has another image.
    causes: [...refsTo({}, 'images_differ'), ...ofParent],
    summary: 'subnetd has not reached any node yet',
    evidence: `${all} answered since subnetd started${describeLogs(rising)}; ${why?.seen ?? ''}`,
    fix: `${isCut ? `${CHECK_LINK}, then ` : 'check '}the addresses under rpc in the inventory; ${rising.length === 0 ? `if they are right, begin with ${first?.name}: ${why?.fix ?? 'see that it runs'}` : 'starting a node does not help'}`,
  });
}

/** Nothing is seen of any node, for reasons that say nothing about the subnet. So nothing can be judged of the nodes. */
export function findUnseen(view: SubnetView): Found {
  // In the first round after a start of subnetd others may still answer.
  const isUnasked = ({ answers, state, target }: NodeView) =>
    answers === undefined && !state.facts.node && (target.rpc ?? target.ipc);
  if (view.nodes.some(isUnasked)) return undefined;
  const asked = view.nodes.filter(({ answers }) => answers !== undefined);
  // The log is read all the time, has shown blocks, and goes on no more: two nodes, or the only one, make no blocks.
  const silent = asked.filter(({ state: { facts }, isLogAlive }) => {
    const { node, sources } = facts.logs ?? {};
    return (sources?.file ?? sources?.container)?.up && node?.advancedAt !== undefined && !isLogAlive;
  });
  if (silent.length >= Math.min(2, asked.length)) return undefined;
  const wasReached = view.before.get({ problem: 'subnet_halted' }) ?? view.before.get({ problem: 'monitor_offline' });
  const found = (wasReached ? undefined : findNeverReached(view, asked)) ?? findOffline(view, asked);
  const causes = view.nodes.flatMap(({ target }) => refsTo(target, 'node_stalled', ...SILENCE));
  return found && { ...found, explains: explainEach(view.targets, ...SHOWN), causes: [...causes, ...found.causes] };
}
