import type { WallMs } from './clock.ts';

const toUtc = (at: WallMs, digits: number): string =>
  `${new Date(at).toISOString().slice(0, digits).replace('T', ' ')} UTC`;

/** As `2026-12-01 22:00 UTC`. */
export const formatMinute = (at: WallMs): string => toUtc(at, 16);

/** As `2026-12-01 22:00:00 UTC`. */
export const formatSecond = (at: WallMs): string => toUtc(at, 19);
