import { formatMoment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount, joinAnd, listEach, shorten } from '../../lib/words.ts';
import type { BlockMark } from '../../model/chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import { START_MS } from '../../model/restart-cause.ts';
import { MOST_BY_KILL } from '../rules/known-failures.ts';
import { describeShared, findDoubleVoters, findDoubleVotes, findWrong, SAID_MS } from './find-double-votes.ts';
import { describeReturn, findUntold } from './find-epoch.ts';
import { findMeshProblems } from './find-mesh-problems.ts';
import { findStrangers } from './quorum.ts';
import { findUpgradeProblems } from './setup/find-node-differences.ts';
import { adviceOf, checkOf, hasPrinted, isStopped, type NodeView, namesOf, type SubnetView } from './subnet-view.ts';
import { explain, explainEach, type Found, refsTo, suspect, suspectTarget } from './suspect.ts';

/** Whether a node that had the key of another one has just lost its container: it may come back with a key of its own. */
const isRemade = (node: NodeView, { masters, now }: SubnetView): boolean =>
  node.container.kind === 'missing' &&
  masters.get(node.address ?? '') !== node &&
  now - (checkOf(node.state, 'container')?.since ?? 0) < START_MS;

/** How it is known that nobody votes with the keys that no node has. */
function describeLoss(view: SubnetView): string {
  const { orphans, silentVoters } = view;
  const left = view.nodes.find(({ chainFacts }) => orphans.includes(chainFacts?.keyBefore?.address ?? ''));
  const { at = view.now } = left?.chainFacts?.keyBefore ?? {};
  if (left) return `${left.name} had it, and was first seen with another one ${formatMoment(at, view)}`;
  const signs = 'it has signed none of the newest votes';
  if (orphans.every((one) => silentVoters.get(one) === 0)) return signs;
  return `${signs}, and missed ${listEach(orphans, (one) => String(silentVoters.get(one)))} of its last rounds`;
}

/** Masternodes that nobody runs, keys that two nodes have, and keys that sign twice. Each node by itself seems to give its vote. */
function findKeyProblems(view: SubnetView): readonly Suspicion[] {
  const { orphans, sharedKeys } = view;
  const { ofShared, ofOthers } = findDoubleVotes(view);
  const unvoiced = listEach(orphans, shorten);
  const { about: told } = view.before.get({ problem: 'double_vote' }) ?? {};
  const found = [...sharedKeys].map(([address, nodes]) => {
    const names = joinAnd(nodes.map(({ name }) => name));
    const wrong = findWrong(nodes, view);
    const whose = wrong || orphans.length !== 1 ? '' : `, which is that of ${unvoiced}`;
    const advice = (wrong ? [wrong] : nodes).map((node) => adviceOf(node).checkKey(node.target)).join('; ');
    // A double vote that was found before a restart of subnetd may be of another key, too.
    const areOwn = ofOthers.length === 0 && (told ?? address).includes(address);
    return suspect('key_shared', {
      about: address,
      nodes: nodes.map(({ name }) => name),
      summary: `${names} run with one key`,
      evidence: `${names} ${nodes.length === 2 ? 'both' : 'all'} sign as ${address}, which is one vote${unvoiced === '' ? '' : `; no node votes as ${unvoiced}, whose key no node has`}${describeShared(address, ofShared, view)}`,
      fix: `stop ${wrong?.name ?? 'one of them'} at once, as two signers with one key can sign two blocks in one round; then give ${wrong ? 'it' : 'the wrong one'} its own key back${whose}: ${advice}`,
      causes: refsTo({}, 'masternode_missing', ...(areOwn ? (['double_vote'] as const) : [])),
    });
  });
  found.push(...findDoubleVoters(ofOthers, view));
  if (orphans.length === 0 || view.nodes.some((node) => isRemade(node, view))) return found;
  const { active = [] } = view.chain.masternodes ?? {};
  const strangers = findStrangers(view);
  const runners = namesOf(strangers);
  return [
    ...found,
    suspect('masternode_missing', {
      about: unvoiced,
      nodes: strangers.map(({ name }) => name),
      summary: `no node votes as ${unvoiced}`,
      evidence: `no node of the inventory has the key of ${unvoiced}, ${orphans.length} of ${formatCount(active.length, 'masternode', 'masternodes')}; ${describeLoss(view)}${strangers.length === 0 ? '' : `; ${runners} ${strangers.length === 1 ? 'runs with the key of' : 'run with keys of'} no masternode`}`,
      fix:
        strangers.length === 0
          ? `if a node of yours should have that key, give it back; else find who runs ${unvoiced}, or add its node to the inventory`
          : `give ${runners} the key of ${unvoiced} back: ${strangers.map((node) => adviceOf(node).checkKey(node.target)).join('; ')}`,
    }),
  ];
}

/** Whether a node has said lately that it is on another chain than before, be it silent since. */
const isOnNew = ({ isForeign, chainFacts }: NodeView, now: number): boolean =>
  !isForeign && now - (chainFacts?.replaced?.at ?? Number.NEGATIVE_INFINITY) < SAID_MS;

/** How the chain of these nodes, two thirds of all, differs from that of before: in its genesis block or its id. */
function describeOther(known: readonly NodeView[], { chain: { chain }, nodes, now }: SubnetView) {
  const before = known[0]?.chainFacts?.replaced;
  if (chain === undefined || before === undefined || !known.every((node) => isOnNew(node, now))) return undefined;
  if (known.length * 3 <= nodes.length * 2) return undefined;
  const change = (what: string, from: unknown, to: unknown, format: (one: unknown) => string = String) =>
    from === undefined || from === to ? [] : [`${what} ${format(to)} instead of ${format(from)}`];
  const changes = [
    ...change('the genesis block', before.genesis, chain.genesis, (hash) => shorten(String(hash))),
    ...change('the chain id', before.chainId, chain.chainId),
  ];
  const who = nodes.length === 1 ? 'its only node has' : `${known.length} of ${nodes.length} nodes have`;
  return { evidence: `${who} ${changes.join(' and ')}`, begunAt: before.at };
}

/** That two thirds of the nodes begin the same chain again: one fell by more than a kill costs, and none is near that height. */
function describeBegun(known: readonly NodeView[], { nodes, now }: SubnetView) {
  const heights = known.flatMap(({ height }) => height ?? []);
  const fall = heights.find((one) => one.fall !== undefined && one.fall.from - one.fall.to > MOST_BY_KILL)?.fall;
  if (fall === undefined || now - fall.at >= SAID_MS || heights.length * 3 <= nodes.length * 2) return undefined;
  if (heights.some((one) => one.number >= fall.from - MOST_BY_KILL || one.lastGoodAt < fall.at)) return undefined;
  const who = heights.length === 1 ? 'its only node that answers' : `all ${heights.length} nodes that answer`;
  const evidence = `${who} began again from the first block: the chain is at block ${highest(heights.map(({ number }) => number))}, and was at ${fall.from}, with the same genesis block`;
  return { evidence, begunAt: fall.at };
}

/** By their last answers all nodes are on another chain than before, or at the begin of the same: the network was replaced by a new one. */
function findReplacedChain(view: SubnetView): Found {
  const { nodes, now } = view;
  const known = nodes.filter((node) => (node.answers ? node.chainFacts !== undefined : isOnNew(node, now)));
  const change = describeOther(known, view) ?? describeBegun(known, view);
  if (change === undefined) return undefined;
  const hasContract = view.subnet.parentChain !== undefined || view.relayer.service !== undefined;
  const todo = hasContract
    ? 'deploy the checkpoint contract for the new chain and name it in the inventory'
    : 'there is nothing to do';
  return suspect('chain_replaced', {
    ...change,
    summary: 'the network was replaced by a new one',
    fix: `if that was done on purpose, ${todo}; if not, find out who removed the data of the nodes, and restore it`,
    causes: nodes.flatMap(({ target }) => refsTo(target, 'head_regression')),
  });
}

/** Nodes of another chain: other than that of most nodes, by chain id or by genesis block. */
export function findForeign({ nodes, chain: { chain } }: SubnetView): readonly Suspicion[] {
  return nodes.flatMap((node) => {
    const own = node.chainFacts?.observation;
    if (!node.isForeign || isStopped(node) || own === undefined || chain === undefined) return [];
    const { name, target } = node;
    const isId = own.chainId !== chain.chainId;
    const { giveGenesis, resync } = adviceOf(node);
    return suspectTarget('other_chain', node, {
      summary: `${name} is on another chain`,
      evidence: isId
        ? `${name} has the chain id ${own.chainId}, the other nodes have ${chain.chainId}`
        : `${name} has the genesis block ${shorten(own.genesis ?? '')}, the other nodes have ${shorten(chain.genesis ?? '')}`,
      fix: isId
        ? `correct the address of ${name} in the inventory if another network answers there; else ${giveGenesis(target)}, then ${resync(name)}`
        : `${giveGenesis(target)}, then ${resync(name)}; if the subnet was reset on purpose, reset the others too`,
      explains: explain(node, 'latest_block', 'peers', 'log_block'),
      // The other chain begins at its own block 0.
      causes: refsTo(target, 'head_regression'),
    });
  });
}

/** Nodes that have another block at one height than most. Heights that nodes are asked for are long committed. */
function findFork({ nodes }: SubnetView): Found {
  const marked = nodes.filter((node) => !node.isForeign && !isStopped(node));
  const marksOf = ({ chainFacts }: NodeView) => chainFacts?.marks ?? [];
  const hashes = new Map<number, string>();
  for (const node of marked) for (const { number, hash } of marksOf(node)) hashes.set(number, hash);
  if (marked.every((node) => marksOf(node).every(({ number, hash }) => hashes.get(number) === hash))) return undefined;
  const all = marked.flatMap((node) => marksOf(node).map((mark) => ({ ...mark, node })));
  const differ = (one: BlockMark, other: BlockMark) => one.number === other.number && one.hash !== other.hash;
  // Two nodes that have the same block above are on one chain now, and one was asked before it changed over.
  const meet = (one: BlockMark & { node: NodeView }, { node }: { node: NodeView }) =>
    marksOf(one.node).some(
      ({ number, hash }) =>
        number > one.number && marksOf(node).some((mark) => mark.number === number && mark.hash === hash),
    );
  const marks = all.filter((one) => !all.some((other) => differ(one, other) && meet(one, other)));
  const height = Math.min(
    ...marks.filter((one) => marks.some((other) => differ(one, other))).map(({ number }) => number),
  );
  if (!Number.isFinite(height)) return undefined;
  const lowest = marks.filter(({ number }) => number === height);
  const byHash = Map.groupBy(lowest, ({ hash }) => hash);
  const sides = [...byHash].toSorted(([, one], [, other]) => other.length - one.length);
  const [most, ...others] = sides.map(([, side]) => side);
  const minority = others.flat().map(({ node }) => node);
  const isEven = most !== undefined && others.some((side) => side.length === most.length);
  const names = namesOf(minority);
  const written = sides.map(([hash, side]) => `${listEach(side, ({ node }) => node.name)} ${shorten(hash)}`).join(', ');
  return suspect('chain_forked', {
    summary: isEven
      ? 'the nodes are on different chains'
      : `${names} follow${minority.length > 1 ? '' : 's'} another chain`,
    evidence: `at block ${height} the nodes have different blocks: ${written}`,
    fix: isEven
      ? 'find out which side the relayer submits from, keep that one, and let the others sync again from it'
      : `${minority.map((node) => adviceOf(node).resync(node.name)).join('; ')}; keep what you take out for later, and restart no other node`,
    nodes: minority.map(({ name }) => name),
    explains: explainEach(minority, 'latest_block', 'peers'),
    causes: [...refsTo({}, 'quorum_at_risk'), ...minority.flatMap(({ target }) => refsTo(target, 'node_not_voting'))],
  });
}

/** Nodes that run and whose votes nobody has, while their own rounds pass without a block. */
const findNotVoting = ({ masters, silentVoters, now }: SubnetView): readonly Suspicion[] =>
  [...silentVoters].flatMap(([address, missed]) => {
    const node = masters.get(address);
    if (node === undefined) return [];
    const { name } = node;
    const lacksSnapshot = hasPrinted(node, 'snapshot_missing', now);
    return suspectTarget('node_not_voting', node, {
      summary: `${name} runs but does not vote`,
      evidence: `${name} (${address}) has signed no vote that the other nodes hold, and missed ${missed} of its last rounds${lacksSnapshot ? '; its log says that it lacks the snapshot of a gap block' : ''}`,
      fix: lacksSnapshot
        ? `${adviceOf(node).resync(name)}: a restart does not bring that snapshot back`
        : `check that ${name} has the key of ${address}, that it mines, and that its clock is right; then restart it`,
      explains: explain(node, 'log_block'),
    });
  });

function findPenalised(view: SubnetView): readonly Suspicion[] {
  const { chain, masters, nodes } = view;
  if (chain.masternodes === undefined) return [];
  const { penalised, number } = chain.masternodes;
  const untold = findUntold(nodes, chain.masternodes);
  return penalised.flatMap((address) => {
    const node = masters.get(address) ?? (address === untold?.address ? untold.node : undefined);
    if (node === undefined) return [];
    const { name } = node;
    const whose = masters.has(address) ? ` of ${name}` : ', which no other node has,';
    return suspectTarget('masternode_penalised', node, {
      summary: `${name} is penalised and does not vote`,
      evidence: `the chain lists ${address}${whose} among the penalised masternodes at block ${number}`,
      fix: `find out why ${name} missed its rounds: its log, its clock and its peers; ${describeReturn(view, address, node.isOut)}`,
    });
  });
}

export const findChainProblems = (view: SubnetView): readonly Found[] => [
  findReplacedChain(view),
  findFork(view),
  ...findUpgradeProblems(view),
  ...findNotVoting(view),
  ...findKeyProblems(view),
  ...findPenalised(view),
  ...findMeshProblems(view),
];
