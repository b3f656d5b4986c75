import { durationMs } from '../model/duration.ts';

/** Parses a duration such as 30s or 1h to milliseconds; undefined for 0 and anything else. */
export function parseDuration(text: string): number | undefined {
  const ms = durationMs(text);
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}
