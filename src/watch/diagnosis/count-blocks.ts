import type { ConsensusSettings } from '../../model/chain.ts';
import type { Counted } from './chain-view.ts';

/** What decides whose turn a round is. */
interface Rotation {
  /** Its length in rounds. */
  readonly epoch: number;
  /** How many there are. */
  readonly masternodes: number;
}

/** The place of the masternode whose turn a round is. A block of another is refused (XDC-Subnet engine_v2/mining.go, verifyHeader.go). */
const turnOf = (round: number, { epoch, masternodes }: Rotation): number => (round % epoch) % masternodes;

/** How many of the rounds from 0 to below `round` are the turn of the masternode at a place. */
function countTurns(round: number, place: number, { epoch, masternodes }: Rotation): number {
  const ofRounds = (rounds: number) => Math.max(0, Math.ceil((rounds - place) / masternodes));
  return Math.floor(round / epoch) * ofRounds(epoch) + ofRounds(round % epoch);
}

/** What each masternode did with its turns of the epoch, by address. */
export interface Turns {
  readonly made: number;
  readonly missed: number;
}

/**
 * The blocks that each masternode made in the epoch until the block at which its rounds were counted. Each round is the turn of one
 * masternode, and the chain lists those that brought no block: all others brought one. Undefined when the sum is not the number of
 * blocks: then a block came between the two answers, or this chain takes turns by another rule.
 */
export function countBlocks(
  { masternodes: { number, round, active }, missedRounds }: Counted,
  { epoch }: Pick<ConsensusSettings, 'epoch'>,
): ReadonlyMap<string, Turns> | undefined {
  const { epochBlock, epochRound, rounds, byMiner } = missedRounds;
  if (epochBlock > number || epochRound > round || epoch < 1) return undefined;
  const rotation = { epoch, masternodes: active.length };
  const missed = new Map(Object.entries(byMiner));
  for (const one of rounds) {
    if (one.miner !== active[turnOf(one.round, rotation)]) return undefined;
    // Counted after the block at which the masternodes were read.
    if (one.round > round) missed.set(one.miner, (missed.get(one.miner) ?? 0) - 1);
  }
  // Nobody made the genesis.
  const first = epochBlock === 0 ? 1 : epochRound;
  let left = number - epochBlock + (epochBlock === 0 ? 0 : 1);
  const turns = new Map<string, Turns>();
  for (const [place, address] of active.entries()) {
    const all = countTurns(round + 1, place, rotation) - countTurns(first, place, rotation);
    const lost = missed.get(address) ?? 0;
    if (lost < 0 || lost > all) return undefined;
    left -= all - lost;
    turns.set(address, { made: all - lost, missed: lost });
  }
  return left === 0 ? turns : undefined;
}
