import { formatAgo, formatDuration } from '../../lib/duration.ts';
import { listNames } from '../../lib/words.ts';
import { isAsked } from '../../model/is-judged.ts';
import { COVERED_BY_HALT } from '../../model/problem.ts';
import { isQuorumLost } from '../../model/snapshot.ts';
import { adviseOnHalt, findVoters } from './advise-on-halt.ts';
import { describeVotes } from './find-headline.ts';
import { findSeen, findStand } from './find-last-block.ts';
import { NETWORK_FAULTS } from './find-unseen.ts';
import { describeOrphans } from './quorum.ts';
import {
  hasEndedWithDocker,
  hasLostNetwork,
  isStopped,
  type NodeView,
  namesOf,
  type SubnetView,
  startedAtOf,
} from './subnet-view.ts';
import { explain, explainEach, type Found, suspect } from './suspect.ts';

function describeOut(node: NodeView, now: number): string {
  const { name, container, peers } = node;
  if (isStopped(node)) return `${name} (${container.kind === 'missing' ? 'no container' : container.kind})`;
  if (node.isForeign) return `${name} (on another chain)`;
  if (hasLostNetwork(node)) return `${name} (no network)`;
  if (peers === 0) return `${name} (no peers)`;
  if (!node.answers) return `${name} (does not answer)`;
  return `${name} (restarted ${formatAgo(startedAtOf(node) ?? now, now)} after a crash)`;
}

const isBehind = ({ height }: NodeView, { reference = 0, subnet }: SubnetView): boolean =>
  height !== undefined && reference - height.number > subnet.settings.rpc.maxLag;

/** The checks that fail because no block comes: not of who does not answer, nor of who is behind the others. */
export const explainHalt = (view: SubnetView) => [
  ...view.nodes.flatMap((node) =>
    node.answers === false || isBehind(node, view) ? [] : explain(node, 'latest_block'),
  ),
  ...explainEach(view.targets, 'log_block', 'block_data'),
  ...view.relayer.explained.bySubnet,
];

/** Whether a node is known to be out. A broken connection or one late answer proves nothing: the next probe shows more. */
function isGone(node: NodeView, { stallAfterMs, now }: SubnetView): boolean {
  if (!node.isOut || isStopped(node)) return node.isOut;
  const { kind = '' } = node.fault ?? {};
  const answeredAt = node.state.facts.node?.latest?.lastGoodAt ?? Number.NEGATIVE_INFINITY;
  return ['refused', ...NETWORK_FAULTS].includes(kind) && (kind !== 'timeout' || now - answeredAt >= stallAfterMs);
}

/** No node has made or received a block for the stall limit. Once open, a halt lasts until there is a new block, not until the nodes are back. */
export function findHalt(view: SubnetView): Found {
  const { nodes, before, now, stallAfterMs, quorum = { total: 0, required: 0, voting: 0 } } = view;
  if (nodes.some(({ rises }) => rises)) return undefined;
  const halt = before.get({ problem: 'subnet_halted' });
  if (halt?.state === 'open' && view.haltedUntil === now) return undefined;
  const { open, from, last } = findStand(view);
  const voters = findVoters(view);
  const { out, starting, joining, toJoin } = voters;
  // Without any height only nodes that are known to be out prove a halt, if the others are too few.
  const isFound =
    from === undefined ? isQuorumLost(quorum) && nodes.every((node) => isGone(node, view)) : now - from >= stallAfterMs;
  if (!isFound && !(open && starting.length + joining.length > 0)) return undefined;
  const stands = last && `no block after ${last.number} for ${formatDuration(now - last.since)}`;
  const known = open?.about && `no block after ${open.about} for ${formatDuration(now - open.since)}`;
  const isHigher = last !== undefined && last.number > Number(open?.about);
  const seen =
    isFound || isHigher ? (stands ?? 'no node runs and answers') : known || 'no node has shown a new block yet';
  const missing = [...out.map((node) => describeOut(node, now)), ...describeOrphans(view)];
  const advice = adviseOnHalt(view, voters, quorum, last, open);
  const newest = last ?? findSeen(view);
  const areSome = toJoin.length === quorum.starting && toJoin.length < quorum.total;
  const areOfDocker = toJoin.every((node) => hasEndedWithDocker(node, view));
  const withDocker = toJoin.length > 1 && areOfDocker ? ' with Docker itself' : '';
  const begun = `${withDocker}${areSome && starting.length < toJoin.length ? ` (${namesOf(toJoin)})` : ''}`;
  const areAsked = nodes.every(({ state }) => isAsked(state));
  const votes = areAsked
    ? `${describeVotes({ ...quorum, together: advice.together })}${begun}`
    : 'how many can vote is not known yet';
  const silent =
    starting.length === 0 ? '' : `; ${namesOf(starting)} ${starting.length === 1 ? 'does' : 'do'} not answer yet`;
  return suspect('subnet_halted', {
    // A block ends a halt, whoever comes back or goes meanwhile.
    about: open ? open.about : newest && String(newest.number),
    begunAt: newest?.since,
    summary: 'the subnet is halted',
    evidence: `${seen}; ${votes}${missing.length === 0 ? '' : `${quorum.starting ? ';' : ','} without ${listNames(missing)}`}${silent}${advice.seen === undefined ? '' : `; ${advice.seen}`}`,
    fix: advice.fix,
    together: advice.together,
    restartAt: { restartAt: open?.restartAt, ...advice }.restartAt,
    explains: explainHalt(view),
    causes: COVERED_BY_HALT,
  });
}
