import { durationMs } from '../model/duration.ts';

/** A duration of the command line, such as 30s or 1h, in milliseconds; undefined when it is none, or 0. */
export function parseDuration(text: string): number | undefined {
  const ms = durationMs(text);
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}
