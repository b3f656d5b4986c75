import { type DiskFacts, type DiskObservation, isNearlyFull } from '../../model/disk.ts';
import { type Fill, findPace, foldFill } from '../../model/fill.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When a level begins, and when it is over: an estimate moves a little all the time. */
const LEVELS = [
  { level: 'full', below: HOUR, until: 2 * HOUR },
  { level: 'filling', below: 7 * DAY, until: 8 * DAY },
] as const;

function findLevel(fill: Fill, before: DiskFacts['level']): DiskFacts['level'] {
  if (isNearlyFull(fill, before === 'full')) return 'full';
  const leftMs = findPace(fill)?.leftMs;
  if (leftMs === undefined) return undefined;
  const wasAtLeast = (level: 'filling' | 'full') => before === level || before === 'full';
  return LEVELS.find(({ level, below, until }) => leftMs < (wasAtLeast(level) ? until : below))?.level;
}

/** Adds what was read of disks. One that is seen no more is forgotten. */
export const foldDisks = (
  before: readonly DiskFacts[] | undefined,
  { disks }: DiskObservation,
  at: number,
): readonly DiskFacts[] =>
  disks.map(({ folder, targets, free, total }) => {
    const known = before?.find((one) => one.folder === folder);
    const fill = foldFill(known?.fill, { used: total - free, free, total }, at);
    const level = findLevel(fill, known?.level);
    return { folder, targets, fill, ...(level && { level }) };
  });
