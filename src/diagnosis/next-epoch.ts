import type { ConsensusSettings, Masternodes, NextEpoch } from '../model/chain.ts';
import type { Epoch } from '../model/snapshot.ts';
import type { ChainView } from './chain-view.ts';

/** How many masternodes an epoch may have (XDC-Subnet common/constants.go). */
const MAX_MASTERNODES = 108;

/** Where an epoch is. */
export type Place = Required<Pick<Epoch, 'number' | 'firstBlock' | 'choiceBlock' | 'nextFirstBlock'>>;

/**
 * Where the epoch of a block begins and ends; undefined while its length is not known. Epochs begin at multiples of it
 * (XDC-Subnet engine_v2/epochSwitch.go).
 */
export function placeEpoch(block: number, consensus: ConsensusSettings | undefined): Place | undefined {
  if (consensus === undefined || consensus.epoch < 1) return undefined;
  const { epoch, gap } = consensus;
  const number = Math.floor(block / epoch);
  const next = (number + 1) * epoch;
  return { number, firstBlock: number * epoch, choiceBlock: next - gap, nextFirstBlock: next };
}

/**
 * Those whose turn comes in the next epoch; undefined until the chain has chosen them. They are the candidates without the
 * penalised ones, as many as there may be (XDC-Subnet engine_v2/engine.go). Somebody is on standby only when that many are there.
 */
export function findChosen(
  { active, standby }: Masternodes,
  place: Place | undefined,
  next: NextEpoch | undefined,
): ReadonlySet<string> | undefined {
  if (next === undefined || place === undefined || next.block !== place.choiceBlock + 1) return undefined;
  const penalised = new Set(next.penalised);
  const most = standby.length > 0 ? active.length : Math.max(active.length, MAX_MASTERNODES);
  return new Set(next.candidates.filter((address) => !penalised.has(address)).slice(0, most));
}

/** What is known of when a penalised masternode takes part again, as the end of a sentence. */
export function describeReturn({ masternodes, consensus, nextEpoch }: ChainView, address: string): string {
  const place = masternodes && placeEpoch(masternodes.number, consensus);
  if (masternodes === undefined || place === undefined) return 'it may take part again in a later epoch';
  const { number, firstBlock, choiceBlock, nextFirstBlock } = place;
  const chosen = findChosen(masternodes, place, nextEpoch);
  const next = `epoch ${number + 1}`;
  if (chosen === undefined)
    return `keep it running: at block ${choiceBlock} the chain chooses who takes part in ${next}`;
  if (chosen.has(address)) return `keep it running: it takes part again in ${next}, from block ${nextFirstBlock} on`;
  const later = choiceBlock + nextFirstBlock - firstBlock;
  return `keep it running: it has no turn in ${next} either, and the chain chooses again at block ${later}`;
}
