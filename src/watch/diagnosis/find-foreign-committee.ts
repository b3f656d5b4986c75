import { joinAnd } from '../../lib/words.ts';
import { findChosen, placeEpoch } from './find-epoch.ts';
import { requiredVotes } from './quorum.ts';
import { hasPrinted, type SubnetView } from './subnet-view.ts';

/** A node that waits prints a line about each message that it refuses: one each timeout. */
const PRINTED_WITHIN_MS = 60_000;

const MOST_NAMED = 3;

/** Both ends of an address: those of a genesis often begin alike. */
const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Whether the next block is the first one of an epoch, so that those whose turn comes then must sign. */
function isAtSwitch({ chain, nodes, reference = 0 }: SubnetView): boolean {
  const { masternodes, consensus, epochsBy } = chain;
  if (masternodes === undefined || consensus === undefined || consensus.epoch < 1) return false;
  const { epoch } = consensus;
  if (epochsBy === 'block') return (reference + 1) % epoch === 0;
  const begin = masternodes.round - (masternodes.round % epoch) + epoch;
  return (
    masternodes.round + 1 >= begin ||
    nodes.some(({ chainFacts }) => (chainFacts?.observation.pool?.timeoutRound ?? 0) >= begin)
  );
}

/** Those of the next epoch, as far as the chain says it. Candidates who are penalised have no turn. */
function findNext({ chain }: SubnetView): readonly string[] {
  const { masternodes, nextEpoch } = chain;
  if (masternodes === undefined || nextEpoch === undefined) return [];
  if (nextEpoch.block !== undefined) return [...(findChosen(chain, masternodes, placeEpoch(chain, masternodes)) ?? [])];
  return nextEpoch.candidates.filter((address) => !nextEpoch.penalised.includes(address));
}

/**
 * A halt at the begin of an epoch whose masternodes nobody runs: they are no nodes here, and have not signed before. The validator
 * contract names them, so it was written wrongly with the genesis, or changed since.
 */
export function findForeignCommittee(view: SubnetView): { readonly seen: string; readonly fix: string } | undefined {
  const { chain, nodes, now } = view;
  if (!isAtSwitch(view)) return undefined;
  const next = findNext(view);
  const known = new Set(chain.masternodes?.active);
  for (const { chainFacts } of nodes) known.add(chainFacts?.observation.address ?? '');
  const strangers = next.filter((address) => !known.has(address));
  const isForeign =
    next.length > 0 &&
    next.length - strangers.length < requiredVotes(next.length, chain.consensus?.certificateThreshold);
  const isRefused = nodes.some((node) => hasPrinted(node, 'foreign_signer', PRINTED_WITHIN_MS, now));
  if (!isForeign && (next.length > 0 || !isRefused)) return undefined;
  const fix =
    'a restart does not help: start nodes with the keys of the next masternodes; on a young chain, make its genesis again, whose validator contract names them, and begin with empty data folders';
  if (!isForeign)
    return {
      seen: 'the next block begins an epoch whose masternodes are others than those that sign, by the log',
      fix,
    };
  const named = joinAnd(strangers.slice(0, MOST_NAMED).map(short));
  const more = strangers.length > MOST_NAMED ? ` and ${strangers.length - MOST_NAMED} more` : '';
  return {
    seen: `the next block begins an epoch for which the chain has chosen ${named}${more}, and no node here has such an address`,
    fix,
  };
}
