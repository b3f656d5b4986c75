/** How the engine rotates the log of a container: it keeps so many files, and begins a new one at so many bytes. */
export interface Rotation {
  readonly fileBytes: number;
  readonly files: number;
}

/** Knows when a stream of a container's log is due to be opened again. */
export interface Reopening {
  /** A stream has begun in the place of the one before; it took so long to open it. */
  begin(tookMs: number): void;
  /** In less time than this the container hardly fills a file; 0 without rotation. */
  fillsMs(): number;
  /** It has brought lines that make so many bytes on the engine's disk and were not read before; 0: only such as were. */
  note(bytes: number, isCaughtUp: boolean): void;
  /** It was not possible to open it again; that is tried again in a while. */
  fail(): void;
  stop(): void;
}

/** What the engine writes of a line beside its text. */
export const BESIDE_TEXT_BYTES = 70;

/**
 * Under its own rotation the engine goes on with an open stream in silence, while a new one would bring what is printed. So a
 * stream is opened again when it is silent for longer than its container has been lately, and less often each time in vain.
 */
const SILENCE_MS = 5_000;
const LONGEST_SILENCE_MS = 300_000;

/** To find where to go on the engine reads a log from its beginning, which takes long for a large one: this is no silence. */
const FIRST_MS = 60_000;

/** A busy node prints so many bytes in a millisecond, and more of them while it catches up. */
const BUSY_RATE = 5;
const MIN_AGE_MS = 500;
const MAX_AGE_MS = 300_000;

/** Openings of a log that is printed faster than it can be read take a part of the time only. */
const SPACING_MS = 50;
const SPACING = 1;

/** A log is read whole so many times before the engine throws away what was there at first. */
const SHARE = 4;

/** What is left of the highest rate after each opening. */
const FADE = 0.7;

/**
 * Calls `onDue` when a stream has been silent for too long, and under rotation also by its age and by what it has brought: the
 * engine leaves out whole files in a stream that is read more slowly than they are filled, which only a new stream shows, as
 * long as those lines are kept. A log without rotation would be read from its beginning each time.
 */
export function createReopening(rotation: Rotation | undefined, onDue: () => void): Reopening {
  // The newest file may just have begun, and the only one may begin again at any time.
  const shareBytes = rotation && (rotation.fileBytes * Math.max(rotation.files - 1, 1)) / SHARE;
  let silenceMs = SILENCE_MS;
  let longestMs = 0;
  let rate = BUSY_RATE;
  let printed = 0;
  let beganAt = performance.now();
  let broughtAt = beganAt;
  let hasBrought = false;
  let hasCaughtUp = false;
  let dueFrom = 0;
  let timer: NodeJS.Timeout | undefined;

  const arm = () => {
    clearTimeout(timer);
    const now = performance.now();
    const silentAt = broughtAt + (hasBrought ? silenceMs : Math.max(silenceMs, FIRST_MS));
    let dueAt = silentAt;
    // What was there before is read in one stream, however long it takes.
    if (shareBytes !== undefined && hasCaughtUp) {
      const ageMs = Math.min(Math.max(shareBytes / rate, MIN_AGE_MS), MAX_AGE_MS);
      dueAt = Math.min(dueAt, beganAt + (printed >= shareBytes ? SPACING_MS : ageMs));
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
    fillsMs: () => (rotation === undefined ? 0 : rotation.fileBytes / 2 / rate),
    begin: (tookMs) => {
      const now = performance.now();
      rate = Math.max(BUSY_RATE, FADE * rate, printed / Math.max(now - beganAt, SPACING_MS));
      printed = 0;
      beganAt = now;
      broughtAt = now;
      hasBrought = false;
      dueFrom = now + SPACING * tookMs;
      arm();
    },
    note: (bytes, isCaughtUp) => {
      const now = performance.now();
      hasBrought = true;
      if (bytes > 0) {
        // What came at once was there before.
        longestMs = Math.max(longestMs * 0.99, now - broughtAt);
        silenceMs = Math.min(Math.max(SILENCE_MS, 2 * longestMs), LONGEST_SILENCE_MS);
      }
      if (bytes > 0 || !isCaughtUp) broughtAt = now;
      if (hasCaughtUp) printed += bytes;
      hasCaughtUp ||= isCaughtUp;
      arm();
    },
    fail: () => {
      dueFrom = performance.now() + SILENCE_MS;
      arm();
    },
    stop: () => clearTimeout(timer),
  };
}
