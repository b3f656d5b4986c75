import type { Rotation } from '../../docker/log-container.ts';

/** Bytes that the engine writes per line besides the text. */
export const BESIDE_TEXT_BYTES = 70;

/**
 * When it rotates a log, the engine may keep a stream open that no longer brings anything; a new stream does. So a
 * stream is reopened when it is silent for longer than usual, and less often after each attempt in vain.
 */
const SILENCE_MS = 5_000;
const LONGEST_SILENCE_MS = 300_000;

/**
 * Until its first chunk, a stream counts as silent only after this time. To find the start, the engine reads a log from
 * its beginning, which takes long for a large one.
 */
const FIRST_CHUNK_MS = 60_000;

/** Under rotation, how old a stream may become at least and at most. */
const MIN_AGE_MS = 500;
const MAX_AGE_MS = 300_000;

/** The rate at which a log is expected to grow, in bytes per millisecond: that of a busy node. */
const BUSY_BYTES_PER_MS = 5;

/** A node that catches up prints faster. How much of the highest rate seen is still expected after each reopening. */
const PEAK_RATE_KEPT = 0.7;

/** A stream that has brought its share of bytes is not reopened before this age. */
const MIN_SHARE_AGE_MS = 50;

/**
 * How long a new stream is kept, by the time that opening it took. At 1, a log that grows faster than it can be read
 * spends half of the time on reopening.
 */
const KEPT_PER_OPENING_TIME = 1;

/** A log is reopened this many times before the engine discards its oldest lines. */
const REOPENINGS_PER_LOG = 4;

/**
 * Calls `onDue` when a stream was silent for too long. Under rotation it is also due by age and by bytes: the engine
 * skips whole files in a stream that is read more slowly than they fill. Only a new stream reveals that, while the
 * engine still has the lines. Without rotation, reopening would read the log from its beginning each time.
 */
export function createReopening(rotation: Rotation | undefined, onDue: () => void, shortestSilenceMs = SILENCE_MS) {
  // The newest file may have just been started, and a single file may restart at any time.
  const shareBytes = rotation && (rotation.fileBytes * Math.max(rotation.files - 1, 1)) / REOPENINGS_PER_LOG;
  let silenceMs = shortestSilenceMs;
  let longestMs = 0;
  let rate = BUSY_BYTES_PER_MS;
  let printed = 0;
  let beganAt = performance.now();
  let readAt = beganAt;
  let hasRead = false;
  let hasCaughtUp = false;
  let dueFrom = 0;
  let timer: NodeJS.Timeout | undefined;

  const arm = () => {
    clearTimeout(timer);
    const now = performance.now();
    const silentAt = readAt + (hasRead ? silenceMs : Math.max(silenceMs, FIRST_CHUNK_MS));
    let dueAt = silentAt;
    // What was there before is read in one stream, however long that takes.
    if (shareBytes !== undefined && hasCaughtUp) {
      const ageMs = Math.min(Math.max(shareBytes / rate, MIN_AGE_MS), MAX_AGE_MS);
      dueAt = Math.min(dueAt, beganAt + (printed >= shareBytes ? MIN_SHARE_AGE_MS : ageMs));
    }
    const isSilent = dueAt === silentAt;
    timer = setTimeout(
      () => {
        if (isSilent) silenceMs = Math.min(2 * silenceMs, LONGEST_SILENCE_MS);
        onDue();
      },
      Math.max(dueAt - now, dueFrom - now, 0),
    );
  };
  arm();
  return {
    /** The container cannot fill a file in less time than this; 0 without rotation. */
    minFillMs: () => (rotation === undefined ? 0 : rotation.fileBytes / 2 / rate),
    /** A new stream has replaced the previous one; opening it took this long. */
    restart: (tookMs: number) => {
      const now = performance.now();
      rate = Math.max(BUSY_BYTES_PER_MS, PEAK_RATE_KEPT * rate, printed / Math.max(now - beganAt, MIN_SHARE_AGE_MS));
      printed = 0;
      beganAt = now;
      readAt = now;
      hasRead = false;
      dueFrom = now + KEPT_PER_OPENING_TIME * tookMs;
      arm();
    },
    /** A chunk arrived. `bytes`: size on the engine's disk of its lines that were not read before. */
    observe: (bytes: number, isCaughtUp: boolean) => {
      const now = performance.now();
      hasRead = true;
      if (bytes > 0) {
        // What comes at once was there before.
        longestMs = Math.max(longestMs * 0.99, now - readAt);
        silenceMs = Math.min(Math.max(shortestSilenceMs, 2 * longestMs), LONGEST_SILENCE_MS);
      }
      if (bytes > 0 || !isCaughtUp) readAt = now;
      if (hasCaughtUp) printed += bytes;
      hasCaughtUp ||= isCaughtUp;
      arm();
    },
    /** Reopening failed; it is tried again later. */
    postpone: () => {
      dueFrom = performance.now() + shortestSilenceMs;
      arm();
    },
    stop: () => clearTimeout(timer),
  };
}
