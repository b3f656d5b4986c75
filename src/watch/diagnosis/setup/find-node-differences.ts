import { formatDuration } from '../../../lib/duration.ts';
import { listNames } from '../../../lib/words.ts';
import { type ConsensusSettings, settingsAt } from '../../../model/chain.ts';
import type { Suspicion } from '../../../model/problem.ts';
import { clientOf } from '../../clients/clients.ts';
import { commandToRecreate, serviceOf } from '../../clients/commands-to-type.ts';
import { adviceOf, isStopped, type NodeView, type SubnetView } from '../subnet-view.ts';
import { describeGroups, type Group, groupByValue } from './groups.ts';

/**
 * The running nodes that gave a value, grouped by it; undefined when all gave the same. Mostly that is so, so values become text only
 * when they differ.
 */
function groupIfDifferent<Value>(
  { nodes }: SubnetView,
  read: (node: NodeView) => Value | undefined,
  describe: (value: Value) => string,
  isSame: (one: Value, other: Value) => boolean = Object.is,
): readonly [Group, Group, ...Group[]] | undefined {
  let any: Value | undefined;
  const differs = (node: NodeView): boolean => {
    const value = isStopped(node) ? undefined : read(node);
    if (value === undefined) return false;
    any ??= value;
    return !isSame(any, value);
  };
  if (!nodes.some(differs)) return undefined;
  const given = nodes.flatMap((node) => {
    const value = isStopped(node) ? undefined : read(node);
    return value === undefined ? [] : [[node.name, describe(value)] as const];
  });
  const [first, second, ...others] = groupByValue(given);
  return first && second && [first, second, ...others];
}

/** The nodes that have another value than most, and how to make the first of them again. */
function describeOthers({ nodes }: SubnetView, [, ...others]: readonly Group[]) {
  const names = others.flatMap((group) => group.names);
  const first = nodes.find(({ name }) => name === names[0]);
  const ref = first?.target.container;
  return { names: listNames(names), first, service: serviceOf(ref, names[0] ?? ''), recreate: commandToRecreate(ref) };
}

const versionOf = ({ setup: { client } }: NodeView): string | undefined =>
  client?.ok && client.value.version.ok ? client.value.version.value : undefined;

const containerOf = ({ setup: { container } }: NodeView) =>
  container?.ok && container.value.imageId !== undefined ? container.value : undefined;

/** Two clients differ in everything, so only nodes of the same one are compared. */
const splitByClient = (view: SubnetView): readonly SubnetView[] =>
  [...Map.groupBy(view.nodes, ({ target, state }) => clientOf({ target, facts: state.facts })).values()].map(
    (nodes) => ({
      ...view,
      nodes,
    }),
  );

function findVersions(view: SubnetView): Suspicion | undefined {
  const groups = groupIfDifferent(view, versionOf, String);
  if (groups === undefined) return undefined;
  const { names, service, recreate } = describeOthers(view, groups);
  return {
    problem: 'client_versions_differ',
    summary: 'the nodes run different versions of the client',
    evidence: describeGroups(groups, ['runs', 'run']),
    fix: `give ${names} the line \`image:\` of ${groups[0].names[0]} in docker-compose.yml, or the others that of ${service}, and ${recreate}, one node after another`,
    explains: [],
    causes: [],
  };
}

/** Images with one name and different content, or different names, although the clients are the same. */
function findImages(view: SubnetView): Suspicion | undefined {
  const groups = groupIfDifferent(
    view,
    containerOf,
    ({ image = 'an image', imageId = '' }) => `${image} with the content ${imageId.slice(0, 19)}…`,
    (one, other) => one.imageId === other.imageId,
  );
  if (groups === undefined || groupIfDifferent(view, versionOf, String) !== undefined) return undefined;
  const { names, recreate } = describeOthers(view, groups);
  return {
    problem: 'images_differ',
    summary: 'the containers of the nodes are made from different images',
    evidence: describeGroups(groups, ['has', 'have']),
    fix: `pull the image of the other nodes for ${names} with \`docker compose pull\`, name it in docker-compose.yml by a tag that does not move, and ${recreate}, one node after another`,
    explains: [],
    causes: [],
  };
}

const describeConsensus = (settings: ConsensusSettings): string =>
  [
    `a mine period of ${formatDuration(settings.minePeriodMs)}`,
    `a timeout of ${formatDuration(settings.timeoutPeriodMs)}`,
    `the threshold ${settings.certificateThreshold}`,
    `epochs of ${settings.epoch} blocks`,
    `a gap of ${settings.gap} blocks`,
  ].join(', ');

const isSameConsensus = (one: ConsensusSettings, other: ConsensusSettings): boolean =>
  one.minePeriodMs === other.minePeriodMs &&
  one.timeoutPeriodMs === other.timeoutPeriodMs &&
  one.certificateThreshold === other.certificateThreshold &&
  one.epoch === other.epoch &&
  one.gap === other.gap;

/** Nodes on one chain that follow different consensus settings. */
function findConsensus(view: SubnetView): Suspicion | undefined {
  const groups = groupIfDifferent(
    view,
    ({ isForeign, chainFacts }) => {
      const settings = isForeign ? undefined : chainFacts?.observation.consensus;
      return settings && settingsAt(settings, view.chain.masternodes?.round ?? 0);
    },
    describeConsensus,
    isSameConsensus,
  );
  if (groups === undefined) return undefined;
  const { names, first, recreate } = describeOthers(view, groups);
  const [{ names: most }] = groups;
  return {
    problem: 'consensus_differs',
    summary: 'the nodes follow different consensus settings',
    evidence: describeGroups(groups, ['has', 'have']),
    fix: `${first && adviceOf(first).compareGenesis(names, most[0] ?? '')}, and ${recreate}, one node after another`,
    explains: [],
    causes: [],
  };
}

/** Nodes that give their blocks, but serve no method of the consensus engine: then that is a namespace of its own. */
const findEnginesOff = ({ nodes, subnet: { consensus } }: SubnetView): readonly Suspicion[] =>
  nodes.flatMap((node) => {
    const { name, target, height, answers, chainFacts } = node;
    const why = answers === true && height !== undefined ? chainFacts?.observation.missing.consensus : undefined;
    if (why !== 'module-off' && why !== 'method-not-found') return [];
    const open = adviceOf(node).openNamespace('XDPoS', target);
    return [
      {
        problem: 'engine_off' as const,
        component: 'node' as const,
        name,
        summary: `${name} does not serve the methods of the consensus engine`,
        evidence: `${name} gives its blocks, but ${why === 'module-off' ? 'its module for' : 'it does not know'} ${consensus}_networkInformation${why === 'module-off' ? ' is off' : ''}, so it tells nothing about masternodes, missed rounds and votes`,
        fix: why === 'module-off' ? open : `${open}, or correct consensus in the inventory`,
        explains: [],
        causes: [],
      },
    ];
  });

/** In what the nodes of a subnet differ, and what they lack. */
export const findNodeDifferences = (view: SubnetView): readonly Suspicion[] =>
  [
    findConsensus(view),
    ...findEnginesOff(view),
    ...splitByClient(view).flatMap((same) => [findVersions(same), findImages(same)]),
  ].filter((one) => one !== undefined);
