import { formatMoment } from '../../lib/duration.ts';
import { formatCount, listEach, shorten } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { adviceOf, isMissing, type NodeView, type SubnetView } from './subnet-view.ts';
import { refsTo, suspect } from './suspect.ts';

const addressOf = ({ address, isForeign }: NodeView): string | undefined => (isForeign ? undefined : address);

/** The silent masternodes whose key no node has, less one for each node that is out and has never said its address. */
export function findOrphans({ nodes, silentVoters, masters }: SubnetView): readonly string[] {
  if (silentVoters.size === 0) return [];
  const unknown = nodes.filter((node) => isMissing(node) && addressOf(node) === undefined);
  return [...silentVoters.keys()].filter((address) => !masters.has(address)).slice(unknown.length);
}

/** The nodes that run with one key, by its address. Only that of a masternode matters. */
function findShared({ nodes, masters }: SubnetView): readonly (readonly [string, readonly NodeView[]])[] {
  const byAddress = Map.groupBy(nodes, (node) => (node.answers === true && addressOf(node)) || '');
  return [...byAddress].filter(([address, ones]) => ones.length > 1 && masters.has(address));
}

/** Nodes whose key is that of no masternode, although each node of the inventory could be one. */
function findStrangers({ nodes, chain: { masternodes } }: SubnetView): readonly NodeView[] {
  const { active = [], penalised = [], standby = [] } = masternodes ?? {};
  const known = new Set([...active, ...penalised, ...standby]);
  return nodes.filter((node) => {
    const address = addressOf(node);
    return address !== undefined && !known.has(address);
  });
}

/** How it is known that these addresses do not vote. */
function describeLoss(orphans: readonly string[], { nodes, silentVoters, now, toWall }: SubnetView): string {
  for (const { name, chainFacts } of nodes) {
    const { address = '', at = now } = chainFacts?.keyBefore ?? {};
    if (orphans.includes(address))
      return `${name} had it, and was first seen with another one ${formatMoment(at, { now, toWall })}`;
  }
  const signs = 'it has signed none of the newest votes';
  if (orphans.every((one) => silentVoters.get(one) === 0)) return signs;
  return `${signs}, and missed ${listEach(orphans, (one) => String(silentVoters.get(one)))} of its last rounds`;
}

/** Masternodes that nobody runs, and keys that two nodes have. Both cost a vote that each node by itself seems to give. */
export function findKeyProblems(view: SubnetView): readonly Suspicion[] {
  const orphans = findOrphans(view);
  const shared = findShared(view);
  const unvoiced = listEach(orphans, shorten);
  const found = shared.map(([address, nodes]) => {
    const names = listEach(nodes, ({ name }) => name);
    return suspect('key_shared', {
      about: address,
      summary: `${names} run with one key`,
      evidence: `${names} ${nodes.length === 2 ? 'both' : 'all'} sign as ${address}, which is one vote${unvoiced === '' ? '' : `; no node votes as ${unvoiced}, whose key no node has`}`,
      fix: `stop one of them at once, as two signers with one key can sign two blocks in one round; then give the wrong one its own key back: ${nodes.map((node) => adviceOf(node).checkKey(node.target)).join('; ')}`,
      causes: refsTo({}, 'masternode_missing'),
    });
  });
  if (orphans.length === 0) return found;
  const strangers = findStrangers(view);
  const runners = listEach(strangers, ({ name }) => name);
  const total = view.chain.masternodes?.active.length ?? 0;
  return [
    ...found,
    suspect('masternode_missing', {
      about: unvoiced,
      summary: `no node votes as ${unvoiced}`,
      evidence: `no node of the inventory has the key of ${unvoiced}, ${orphans.length} of ${formatCount(total, 'masternode', 'masternodes')}; ${describeLoss(orphans, view)}${strangers.length === 0 ? '' : `; ${runners} ${strangers.length === 1 ? 'runs with the key of' : 'run with keys of'} no masternode`}`,
      fix:
        strangers.length === 0
          ? `if a node of yours should have that key, give it back; else find who runs ${unvoiced}, or add its node to the inventory`
          : `give ${runners} the key of ${unvoiced} back: ${strangers.map((node) => adviceOf(node).checkKey(node.target)).join('; ')}`,
    }),
  ];
}
