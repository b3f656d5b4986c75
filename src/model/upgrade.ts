import { formatDuration } from '../lib/duration.ts';
import { listNames } from '../lib/words.ts';

/** A change of the consensus settings at a coming round. */
export interface Upgrade {
  readonly round: number;
  /** About when, as rounds may take longer than their period. */
  readonly inSeconds: number;
  /** What changes, in words. */
  readonly change: string;
  /** The nodes that do not know it, by name. */
  readonly lacking: readonly string[];
}

/** When it comes, as a person says it: nobody knows it by the second. */
export function describeWait({ inSeconds }: Upgrade): string {
  const unit = inSeconds < 3_600 ? 60 : inSeconds < 172_800 ? 3_600 : 86_400;
  return `in about ${formatDuration(Math.max(1, Math.round(inSeconds / unit)) * unit * 1_000)}`;
}

/** A change as the begin of a sentence. */
export function describeUpgrade(upgrade: Upgrade): string {
  const { round, change, lacking } = upgrade;
  const lacks = lacking.length === 0 ? '' : `; ${listNames(lacking)} ${lacking.length === 1 ? 'lacks' : 'lack'} it`;
  return `${change} at round ${round}, ${describeWait(upgrade)}${lacks}`;
}
