import { formatDuration, formatMoment } from '../../../lib/duration.ts';
import { medianOf } from '../../../lib/numbers.ts';
import { collect, findMajority } from '../../../lib/values.ts';
import { listFirst, listNames } from '../../../lib/words.ts';
import { type ConsensusSettings, type RoundSettings, settingsAt } from '../../../model/chain.ts';
import type { Suspicion } from '../../../model/problem.ts';
import { describeWait, type Upgrade } from '../../../model/upgrade.ts';
import { commandToRecreate, commandToSeeLog, serviceOf } from '../../clients/commands-to-type.ts';
import { isOfRunBefore } from '../chain-view.ts';
import { adviceOf, isFromBefore, isStopped, type NodeView, type SubnetView, startedAtOf } from '../subnet-view.ts';
import { type Found, suspect, suspectTarget } from '../suspect.ts';

/** The names of those that have a value. */
interface Group {
  readonly value: string;
  readonly names: readonly string[];
}

/** More values than these are counted, not named. */
const MAX_GROUPS = 4;

/** As `3 nodes run A (n1, n2, n3), 1 runs B (n4)`; the verb in the singular and the plural. */
function describeGroups(groups: readonly Group[], [one, many]: readonly [string, string]): string {
  const described = groups.map(({ value, names: { length }, names }, index) => {
    const unit = index > 0 ? '' : length === 1 ? 'node ' : 'nodes ';
    return `${length} ${unit}${length === 1 ? one : many} ${value} (${listNames(names)})`;
  });
  return listFirst(described, MAX_GROUPS);
}

/** The running nodes that gave a value, grouped by it in words; undefined when all gave the same. */
function groupIfDifferent<Value>(
  { nodes }: SubnetView,
  read: (node: NodeView) => Value | undefined,
  describe: (value: Value) => string,
): readonly [Group, Group, ...Group[]] | undefined {
  const readOf = (node: NodeView) => (isStopped(node) ? undefined : read(node));
  const values = collect(nodes, readOf);
  // What all say alike is one value in memory, and is not put into words each time.
  if (values.every((value) => value === values[0])) return undefined;
  const running = nodes.filter((node) => readOf(node) !== undefined);
  // The most frequent value first; of two as frequent ones the one that came first.
  const [first, second, ...others] = [...Map.groupBy(running, (node) => describe(readOf(node) as Value))]
    .map(([value, ones]) => ({ value, names: ones.map(({ name }) => name) }))
    .sort((one, other) => other.names.length - one.names.length);
  return first && second && [first, second, ...others];
}

/** The nodes that have another value than most, and how to make the first of them again. */
function describeOthers({ nodes }: SubnetView, [, ...others]: readonly Group[]) {
  const names = others.flatMap((group) => group.names);
  const first = nodes.find(({ name }) => name === names[0]);
  const ref = first?.target.container;
  return { names: listNames(names), first, service: serviceOf(ref, names[0] ?? ''), recreate: commandToRecreate(ref) };
}

/**
 * As it last said to a round, also while it does not answer; of a client that is not known, as it was read with its set-up. What is started
 * anew may be of another version.
 */
function versionOf(node: NodeView): string | undefined {
  const { client, latest } = node.state.facts.node ?? {};
  if (latest !== undefined && latest.lastGoodAt < (startedAtOf(node) ?? 0)) return undefined;
  const read = node.setup.client;
  return client?.version ?? (read?.ok && read.value.version.ok ? read.value.version.value : undefined);
}

/** Two clients differ in everything, so only nodes of the same one are compared, and those that have not said yet which one they are. */
function splitByClient(view: SubnetView): readonly SubnetView[] {
  const clientOf = ({ target, state }: NodeView) => target.client ?? state.facts.node?.client?.name;
  return [...Map.groupBy(view.nodes, clientOf).values()].map((nodes) => ({ ...view, nodes }));
}

function findVersions(view: SubnetView): Found {
  const groups = groupIfDifferent(view, versionOf, String);
  if (groups === undefined) return undefined;
  const { names, service, recreate } = describeOthers(view, groups);
  return suspect('client_versions_differ', {
    summary: 'the nodes run different versions of the client',
    evidence: describeGroups(groups, ['runs', 'run']),
    fix: `give ${names} the line \`image:\` of ${groups[0].names[0]} in docker-compose.yml, or the others that of ${service}, and ${recreate}, one node after another`,
  });
}

/** Images with one name and different content, or different names, although the clients are the same. */
function findImages(view: SubnetView): Found {
  const groups = groupIfDifferent(
    view,
    ({ setup: { container } }) => (container?.ok && container.value.imageId ? container.value : undefined),
    ({ image = 'an image', imageId = '' }) => `${image} with the content ${imageId.slice(0, 19)}…`,
  );
  if (groups === undefined || groupIfDifferent(view, versionOf, String) !== undefined) return undefined;
  const { names, recreate } = describeOthers(view, groups);
  return suspect('images_differ', {
    summary: 'the containers of the nodes are made from different images',
    evidence: describeGroups(groups, ['has', 'have']),
    fix: `pull the image of the other nodes for ${names} with \`docker compose pull\`, name it in docker-compose.yml by a tag that does not move, and ${recreate}, one node after another`,
  });
}

/** Nodes on one chain that follow different consensus settings. */
function findConsensus(view: SubnetView): Found {
  const describe = (given: ConsensusSettings) => {
    const settings = settingsAt(given, view.chain.masternodes?.round ?? 0);
    const [mine, timeout] = [formatDuration(settings.minePeriodMs), formatDuration(settings.timeoutPeriodMs)];
    const { certificateThreshold, epoch, gap } = settings;
    return `a mine period of ${mine}, a timeout of ${timeout}, the threshold ${certificateThreshold}, epochs of ${epoch} blocks, a gap of ${gap} blocks`;
  };
  const groups = groupIfDifferent(view, (node) => (isOfRunBefore(node.state) ? undefined : settingsOf(node)), describe);
  if (groups === undefined) return undefined;
  const { names, first, recreate } = describeOthers(view, groups);
  return suspect('consensus_differs', {
    summary: 'the nodes follow different consensus settings',
    evidence: describeGroups(groups, ['has', 'have']),
    fix: `${first && adviceOf(first).compareGenesis(names, groups[0].names[0] ?? '')}, and ${recreate}, one node after another`,
  });
}

/** Nodes that give their blocks, but serve no method of the consensus engine: then that is a namespace of its own. */
const findEnginesOff = ({ nodes, subnet: { consensus } }: SubnetView): readonly Suspicion[] =>
  collect(nodes, (node) => {
    const { name, target, height, answers, chainFacts } = node;
    const why = answers === true && height !== undefined ? chainFacts?.observation.missing.consensus : undefined;
    if (why !== 'module-off' && why !== 'method-not-found') return undefined;
    const open = adviceOf(node).openNamespace('XDPoS', target);
    const isOff = why === 'module-off';
    return suspectTarget('engine_off', node, {
      summary: `${name} does not serve the methods of the consensus engine`,
      evidence: `${name} gives its blocks, but ${isOff ? 'its module for' : 'it does not know'} ${consensus}_networkInformation${isOff ? ' is off' : ''}, so it tells nothing about masternodes, missed rounds and votes`,
      fix: isOff ? open : `${open}, or correct consensus in the inventory`,
    });
  });

/** From this median on a node is slow, whatever the others are. */
const SLOW_MS = 1_000;

/** A node is slow, too, if its median is this many times that of the others, and at least `LEAST_MS`. */
const SLOW_TIMES = 10;
const LEAST_MS = 100;

function findSlowNodes(view: SubnetView): readonly Suspicion[] {
  const { nodes, facts } = view;
  const isQuick = ({ setup: { client } }: NodeView) => !client?.ok || client.value.tookMs.every((ms) => ms < LEAST_MS);
  if (nodes.every(isQuick)) return [];
  const measured = facts.setup === undefined ? '' : `, measured ${formatMoment(facts.setup.at, view)}`;
  const timed = nodes.flatMap((node) => {
    const { client } = node.setup;
    const tookMs = client?.ok && !isStopped(node) ? client.value.tookMs : [];
    const median = medianOf(tookMs);
    return median === undefined ? [] : [{ node, median, tookMs }];
  });
  // Of many nodes the slow ones hardly move the median, and of few the smaller one counts.
  const usual = medianOf(timed.map(({ median }) => median)) ?? 0;
  return timed
    .filter(({ median }) => median >= SLOW_MS || (median >= LEAST_MS && median >= SLOW_TIMES * usual))
    .map(({ node, median, tookMs }) =>
      suspectTarget('node_slow', node, {
        summary: `${node.name} answers slowly`,
        evidence: `of ${tookMs.length} requests in a row the median took ${formatDuration(median)} and the longest ${formatDuration(Math.max(...tookMs))}; the median of all nodes is ${usual < 1 ? 'under 1 ms' : formatDuration(usual)}${measured}`,
        fix: `look at the processor, the disk and the network of its machine, and ${commandToSeeLog(node.target)}`,
      }),
    );
}

export const findNodeDifferences = (view: SubnetView): readonly Found[] => [
  findConsensus(view),
  ...findEnginesOff(view),
  ...splitByClient(view).flatMap((same) => [findVersions(same), findImages(same)]),
  ...findSlowNodes(view),
];

const bootnodesOf = ({ state }: NodeView): readonly string[] | undefined => state.facts.logs?.created?.bootnodes;

/** The public keys of the bootnodes of a node. Their addresses may differ: inside of a machine and from outside. */
const keyOf = (node: NodeView): string | undefined =>
  bootnodesOf(node)
    ?.map((one) => one.split('@')[0]?.toLowerCase())
    .toSorted()
    .join();

const formatBootnodes = (node: NodeView): string =>
  listNames((bootnodesOf(node) ?? []).map((one) => one.replace(/^(.{8})[^@]*/, '$1…')));

/**
 * Nodes that were created with another bootnode than most. Such a node finds its peers only as long as others find it. Whether a
 * node talks to its right bootnode cannot be seen from here; the log of the bootnode shows that.
 */
export function findUnusedBootnode({ nodes }: SubnetView): readonly Suspicion[] {
  const known = nodes.filter((node) => !isStopped(node) && bootnodesOf(node) !== undefined);
  const first = findMajority(known, keyOf);
  if (first === undefined) return [];
  // The peers of the container before say nothing of the one that runs.
  const hasPeers = (node: NodeView) => (node.peers ?? 0) > 0 && !isFromBefore(node, 'peers');
  const others = known.filter((node) => keyOf(node) !== keyOf(first) && hasPeers(node));
  return others.map((node) =>
    suspectTarget('bootnode_unused', node, {
      summary: `${node.name} does not use the bootnode of the other nodes`,
      evidence: `${node.name} was created with the bootnode ${formatBootnodes(node)}, and most nodes with ${formatBootnodes(first)}; it has ${node.peers} peers because the others found it`,
      fix: `correct the bootnode in ${adviceOf(node).envFile(node.target)} and recreate the node; until then it may find no peer after a restart`,
    }),
  );
}

function describeChange(before: RoundSettings, after: RoundSettings): string {
  const change = (what: string, read: (one: RoundSettings) => number | undefined, unit = '') => {
    const [from, to] = [read(before), read(after)];
    return from === undefined || to === undefined || from === to ? [] : [`${what} ${from} → ${to}${unit}`];
  };
  const changes = [
    ...change('period', ({ minePeriodMs }) => minePeriodMs / 1_000, ' s'),
    ...change('timeout', ({ timeoutPeriodMs }) => timeoutPeriodMs / 1_000, ' s'),
    ...change('threshold', ({ certificateThreshold }) => certificateThreshold),
    ...change('masternodes at most', ({ maxMasternodes }) => maxMasternodes),
  ];
  return changes.length === 0 ? 'other rewards or penalties' : changes.join(', ');
}

const settingsOf = ({ isForeign, chainFacts }: NodeView): ConsensusSettings | undefined =>
  isForeign ? undefined : chainFacts?.observation.consensus;

/**
 * The next change of the consensus settings at a coming round, and the nodes that know it and those that do not, or know another one of
 * that round. Only nodes that say from which rounds on their settings hold are compared.
 */
export function findComing({ nodes, chain: { consensus, masternodes } }: SubnetView) {
  if (consensus === undefined || masternodes === undefined) return undefined;
  // Equal settings are the same object (createSharing).
  const rounds = [...new Set(nodes.map(settingsOf))].flatMap((settings) => settings?.byRound ?? []);
  const round = Math.min(...rounds.map((one) => one.round).filter((one) => one > masternodes.round));
  const dated = nodes.flatMap((node) => {
    const settings = settingsOf(node);
    if (settings === undefined || (settings.byRound ?? []).length === 0) return [];
    const own = settingsAt(settings, round);
    // What decides whether a node follows the others. Not all clients give the rest.
    const key = `${own.minePeriodMs} ${own.timeoutPeriodMs} ${own.certificateThreshold}`;
    return [{ node, settings, own, key, isKnown: settings.byRound?.some((one) => one.round === round) }];
  });
  const known = dated.filter(({ isKnown }) => isKnown);
  const groups = [...Map.groupBy(known, ({ key }) => key).values()];
  const [first] = groups.toSorted((one, other) => other.length - one.length)[0] ?? [];
  if (first === undefined) return undefined;
  // One that has the same settings already needs no change.
  const nodesOf = (has: boolean) => dated.filter(({ key }) => (key === first.key) === has).map(({ node }) => node);
  const lacking = nodesOf(false);
  const upgrade: Upgrade = {
    round,
    inSeconds: Math.round(((round - masternodes.round) * consensus.minePeriodMs) / 1_000),
    change: describeChange(settingsAt(first.settings, round - 1), first.own),
    lacking: lacking.map(({ name }) => name),
  };
  return { upgrade, having: nodesOf(true), lacking };
}

/** Nodes that lack what others do from a coming round on. */
export function findUpgradeProblems(view: SubnetView): readonly Suspicion[] {
  const { upgrade, having: [other] = [], having = [], lacking = [] } = findComing(view) ?? {};
  if (upgrade === undefined || other === undefined) return [];
  const { round, change } = upgrade;
  const running = lacking.filter((node) => !isStopped(node));
  return running.map((node) =>
    suspectTarget('upgrade_missing', node, {
      summary: `${node.name} lacks the change of the consensus settings at round ${round}`,
      evidence: `${having.length} of ${having.length + lacking.length} nodes follow "${change}" from round ${round} on, ${describeWait(upgrade)}, and ${node.name} does not`,
      fix: `before that round, ${adviceOf(node).compareGenesis(node.name, other.name)}, and ${commandToRecreate(node.target.container)}`,
    }),
  );
}
