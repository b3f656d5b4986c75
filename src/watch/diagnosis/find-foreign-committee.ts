import { joinAnd } from '../../lib/words.ts';
import type { Finding } from '../../model/verdict.ts';
import { findChosen } from './find-epoch.ts';
import { requiredVotes } from './quorum.ts';
import { hasPrinted, type SubnetView } from './subnet-view.ts';

const MOST_NAMED = 3;

/** Both ends of an address: those of a genesis often begin alike. */
const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Whether the next block is the first one of an epoch, so that those whose turn comes then must sign. */
function isAtSwitch({ chain: { epochsBy }, nodes, reference = 0 }: SubnetView, round: number, epoch: number): boolean {
  if (epochsBy === 'block') return (reference + 1) % epoch === 0;
  const begin = round - (round % epoch) + epoch;
  return nodes.some(({ chainFacts }) => Math.max(round + 1, chainFacts?.observation.pool?.timeoutRound ?? 0) >= begin);
}

/** A halt at the begin of an epoch whose masternodes nobody runs, as the validator contract was written wrongly or changed. */
export function findForeignCommittee(view: SubnetView): Required<Finding> | undefined {
  const { chain, nodes, now } = view;
  const { masternodes, consensus } = chain;
  if (!masternodes || !consensus || !isAtSwitch(view, masternodes.round, consensus.epoch)) return undefined;
  // As far as the chain says it. Candidates who are penalised have no turn.
  const { block, candidates, penalised } = chain.nextEpoch ?? { candidates: [], penalised: [] };
  const allowed = candidates.filter((address) => !penalised.includes(address));
  const next = block === undefined ? allowed : [...(findChosen(chain, masternodes) ?? [])];
  const known = new Set([...masternodes.active, ...nodes.map(({ address }) => address)]);
  const strangers = next.filter((address) => !known.has(address));
  const isForeign = next.length - strangers.length < requiredVotes(next.length, consensus.certificateThreshold);
  const isRefused = nodes.some((node) => hasPrinted(node, 'foreign_signer', now));
  if (!isForeign && (next.length > 0 || !isRefused)) return undefined;
  const named = joinAnd(strangers.slice(0, MOST_NAMED).map(short));
  const more = strangers.length > MOST_NAMED ? ` and ${strangers.length - MOST_NAMED} more` : '';
  return {
    seen: isForeign
      ? `the next block begins an epoch for which the chain has chosen ${named}${more}, and no node here has such an address`
      : 'the next block begins an epoch whose masternodes are others than those that sign, by the log',
    fix: 'a restart does not help: start nodes with the keys of the next masternodes; on a young chain, make its genesis again, whose validator contract names them, and move only the chain data out of the data folders',
  };
}
