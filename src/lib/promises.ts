import { setTimeout as wait } from 'node:timers/promises';

/**
 * Runs `work` with a signal that aborts when the outer one does, or after `timeoutMs`. Unlike `AbortSignal.any`, it
 * leaves nothing on an outer signal that lives as long as the program.
 */
export async function within<T>(
  outer: AbortSignal | undefined,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const abort = () => inner.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer?.addEventListener('abort', abort);
  if (outer?.aborted) abort();
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}

/**
 * The value of `work`, or `late` if there is none after `ms`. Rejects if `work` fails before that; later failures are
 * ignored.
 */
export async function valueWithin<T, const Late>(ms: number, work: Promise<T>, late: Late): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late), Math.max(0, ms));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits at most `ms` for `work` to settle; resolves to whether it has. */
export function settleWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return valueWithin(ms, ended, false);
}

/** A value that is loaded on first use. */
export interface Loaded<T> {
  /**
   * Loads the value at the first call. After a failure, such as a lack of file descriptors, the next call tries again.
   */
  readonly get: () => Promise<T>;
  /** The value, if it is loaded or being loaded. */
  readonly started: () => Promise<T> | undefined;
}

/** Loads once, at the first call of `get`. */
export function loadOnce<T>(load: () => Promise<T>): Loaded<T> {
  let loaded: Promise<T> | undefined;
  return {
    get: () => {
      if (loaded !== undefined) return loaded;
      const loading = load();
      loaded = loading;
      loading.catch(() => {
        if (loaded === loading) loaded = undefined;
      });
      return loading;
    },
    started: () => loaded,
  };
}

/** Saves one after the other. */
export interface Saving<Options> {
  /** Starts to save, unless that is running. Resolves when it has ended, in whichever way; never rejects. */
  save(options: Options): Promise<void>;
  /** Waits until no save is running. */
  idle(): Promise<void>;
}

/**
 * Saves one after the other to a store that may be down. `onFailure` is called at the first failure, and at the first one
 * after a success.
 */
export function oneSaveAtATime<Options>(
  saveNow: (options: Options) => Promise<void>,
  onFailure: (error: unknown) => void,
): Saving<Options> {
  let isFailing = false;
  let saving: Promise<void> | undefined;
  return {
    save: (options) => {
      saving ??= saveNow(options)
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => {
            if (!isFailing) onFailure(error);
            isFailing = true;
          },
        )
        .finally(() => {
          saving = undefined;
        });
      return saving;
    },
    idle: async () => saving,
  };
}

/** As many runs as a restart has events: kill, die, stop, start, restart. */
const MOST = 5;
const WITHIN_MS = 1_000;

/**
 * Limits how often `run` is started: five times within a second, and five at once. Whatever is wanted beyond that is one run,
 * as soon as it may start. So a run always begins after the last call. `run` must not reject.
 */
export function limitRuns(run: () => Promise<unknown>): () => void {
  /** When the last runs began, the oldest first. */
  const begun: number[] = [];
  let running = 0;
  let isWanted = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = async () => {
    isWanted = false;
    running += 1;
    begun.push(performance.now());
    if (begun.length > MOST) begun.shift();
    await run();
    running -= 1;
    if (isWanted) want();
  };
  const want = () => {
    isWanted = true;
    // The end of a run, or the timer, asks again.
    if (running >= MOST || timer !== undefined) return;
    const [oldest = 0] = begun;
    const waitMs = begun.length < MOST ? 0 : oldest + WITHIN_MS - performance.now();
    if (waitMs <= 0) return void begin();
    timer = setTimeout(() => {
      timer = undefined;
      if (isWanted) want();
    }, waitMs).unref();
  };
  return want;
}

/** Waits, or until the signal aborts. Never rejects. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, undefined, { ...(signal && { signal }) }).catch(() => {});

/** Limits how many users do something at once: each holds a slot meanwhile. */
export type Slots = ReturnType<typeof createSlots>;

/** Creates `count` slots; with Infinity nobody waits. */
export function createSlots(count: number) {
  let busy = 0;
  const waiting: (() => void)[] = [];
  const acquire = (): Promise<void> | undefined => {
    if (busy >= count) return new Promise<void>((resolve) => waiting.push(resolve));
    busy += 1;
    return undefined;
  };
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next();
  };
  return {
    busy: () => busy,
    /** Resolves when a slot is free, in the order of the calls; undefined when one is free now. */
    acquire,
    release,
    /** Holds a slot while the work runs. */
    use: async <T>(work: () => Promise<T>): Promise<T> => {
      const free = acquire();
      if (free !== undefined) await free;
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
