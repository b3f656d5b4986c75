/** Turns that many calls to a database share. */
export interface Turns {
  /** Resolves when there is a turn, in the order of the calls. Rejects with `late` after the longest wait. */
  take(): Promise<void>;
  give(): void;
  /** Refuses all that wait, and all that come. */
  end(): void;
}

/** How turns are shared. */
export interface TurnOptions {
  readonly atOnce: number;
  readonly withinMs: number;
  /** The error of a call that has waited too long. */
  readonly late: () => Error;
  /** Called for the first call that has waited too long since nothing waited. */
  readonly onLate?: () => void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const ended = () => new Error('the connection to the database was closed');

/** Shares turns in the order of the calls. */
export function createTurns({ atOnce, withinMs, late, onLate }: TurnOptions): Turns {
  const waiting = new Set<Waiting>();
  let free = atOnce;
  let isOver = false;
  let isReported = false;
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(one);
        reject(late());
        if (!isReported) onLate?.();
        isReported = true;
      }, withinMs);
      const one: Waiting = {
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      waiting.add(one);
    });
  return {
    take: async () => {
      if (isOver) throw ended();
      if (free === 0) return wait();
      free -= 1;
    },
    give: () => {
      const [next] = waiting;
      if (next === undefined) {
        free += 1;
        isReported = false;
        return;
      }
      waiting.delete(next);
      next.resolve();
    },
    end: () => {
      isOver = true;
      for (const one of waiting) one.reject(ended());
      waiting.clear();
    },
  };
}
