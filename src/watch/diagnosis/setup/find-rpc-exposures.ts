import type { RpcExposure } from '../../../model/exposure.ts';
import type { Suspicion } from '../../../model/problem.ts';
import { clientOf } from '../../clients/clients.ts';
import { isMissing, type NodeView, type SubnetView, type UnlockedBy } from '../subnet-view.ts';
import {
  describeAccounts,
  describeNamespaces,
  describeWildcards,
  type Exposed,
  toExposed,
} from './describe-exposed.ts';

function isMasternode(node: NodeView, { chain, masters }: SubnetView): boolean {
  const address = node.chainFacts?.observation.address;
  return address !== undefined && masters.get(address) === node && chain.masternodes?.active.includes(address) === true;
}

/** A masternode that signs nothing is found by its missing votes. */
const isSilent = (node: NodeView, { silentVoters }: SubnetView): boolean =>
  isMissing(node) || silentVoters.has(node.chainFacts?.observation.address ?? '');

/** How it is known that the account of a node is unlocked. `before` is what was known, which stays so while a masternode is out. */
function findUnlocked(
  node: NodeView,
  { wallet }: RpcExposure,
  view: SubnetView,
  before: UnlockedBy | undefined,
): UnlockedBy | undefined {
  if (wallet === 'unlocked') return 'wallet';
  const signsUnlocked = clientOf({ target: node.target, facts: node.state.facts }).unlockFlag !== undefined;
  if (wallet !== undefined || !signsUnlocked || !isMasternode(node, view)) return undefined;
  // A key that is locked signs nothing.
  return isSilent(node, view) ? before : 'signing';
}

/** What a node serves to anyone, if anything. */
function findExposed(node: NodeView, view: SubnetView): Exposed | undefined {
  const { exposure } = node.setup;
  if (!exposure?.ok) return undefined;
  const seen = exposure.value;
  const last = view.exposures.get(node.target);
  const before = last?.seen === seen ? last.unlocked : undefined;
  const unlocked = seen.modules.includes('eth') ? findUnlocked(node, seen, view, before) : undefined;
  view.exposures.set(node.target, { seen, unlocked });
  return toExposed(node.target, clientOf({ target: node.target, facts: node.state.facts }), seen, unlocked);
}

/** A problem of each node: whoever makes another one public is paged for it. */
const ofEach = (
  problem: 'rpc_exposed' | 'account_exposed',
  ones: readonly Exposed[],
  describe: (alike: readonly Exposed[]) => Pick<Suspicion, 'summary' | 'evidence' | 'fix'>,
): readonly Suspicion[] =>
  ones.map((one) => ({ problem, component: 'node', name: one.name, ...describe([one]), explains: [], causes: [] }));

/** One problem of all nodes: on a stock network each of them has it. */
const ofAll = (
  problem: 'rpc_open' | 'account_unlocked' | 'hosts_wildcard' | 'origins_wildcard',
  ones: readonly Exposed[],
  describe: (ones: readonly Exposed[]) => Pick<Suspicion, 'summary' | 'evidence' | 'fix'>,
): readonly Suspicion[] =>
  ones.length === 0
    ? []
    : [{ problem, ...describe(ones), explains: [], causes: [], nodes: ones.map(({ name }) => name) }];

/** What the RPC of the nodes does for anyone, and should not. */
export function findRpcExposures(view: SubnetView): readonly Suspicion[] {
  const exposed = view.nodes.flatMap((node) => findExposed(node, view) ?? []);
  if (exposed.length === 0) return [];
  const at = (reach: string, has: (one: Exposed) => boolean) =>
    exposed.filter((one) => one.where.reach === reach && has(one));
  const isOpen = ({ dangerous }: Exposed) => dangerous.length > 0;
  const isUnlocked = ({ unlocked }: Exposed) => unlocked !== undefined;
  const abusedBy = (has: (seen: RpcExposure) => boolean | undefined) =>
    exposed.filter(({ abused, seen }) => abused.length > 0 && has(seen));
  return [
    ...ofEach('rpc_exposed', at('public', isOpen), describeNamespaces),
    ...ofAll('rpc_open', at('private', isOpen), describeNamespaces),
    ...ofEach('account_exposed', at('public', isUnlocked), describeAccounts),
    ...ofAll('account_unlocked', at('private', isUnlocked), describeAccounts),
    ...ofAll(
      'hosts_wildcard',
      abusedBy(({ anyHost }) => anyHost),
      describeWildcards.hosts,
    ),
    ...ofAll(
      'origins_wildcard',
      abusedBy(({ anyOrigin }) => anyOrigin),
      describeWildcards.origins,
    ),
  ];
}
