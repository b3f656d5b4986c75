import { DAY_MS } from '../../lib/duration.ts';
import type { KeyUse } from '../model/key-use.ts';

/** For how many days, today included, it is known what a key did. */
export const JOURNAL_DAYS = 7;

/** The first day that is kept, of a time in Unix milliseconds. */
export const firstJournalDay = (now: number): string =>
  new Date(now - (JOURNAL_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);

/** An answer to a request with a key. */
export type NotedUse = Pick<KeyUse, 'keyId' | 'operation' | 'status' | 'code'> & {
  readonly requestId: string | undefined;
};

/** What keys did: counted in memory, and written together. */
export interface KeyJournal {
  /** Counts an answer. Never throws and never waits. */
  note(use: NotedUse): void;
  /** Writes what was counted. Rejects if the database fails; what was counted is then lost, as it is no evidence. */
  flush(): Promise<void>;
}

/** The dependencies of a journal. */
export interface KeyJournalDeps {
  readonly write: (uses: readonly KeyUse[]) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly everyMs?: number;
}

const EVERY_MS = 10_000;
/** So many kinds of answers wait at most; further ones are not counted until these are written. */
const MOST = 1_000;
const MOST_IDS = 5;

/** Creates a journal. It has no timer while nothing waits. */
export function createKeyJournal({ write, now, everyMs = EVERY_MS }: KeyJournalDeps): KeyJournal {
  let waiting = new Map<string, KeyUse>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const uses = [...waiting.values()];
    waiting = new Map();
    if (uses.length > 0) await write(uses);
  };

  return {
    note: ({ keyId, operation, status, code, requestId }) => {
      const lastAt = new Date(now()).toISOString();
      const day = lastAt.slice(0, 10);
      const key = JSON.stringify([keyId, day, operation, status, code]);
      const { count = 0, requestIds = [] } = waiting.get(key) ?? {};
      if (count === 0 && waiting.size >= MOST) return;
      const ids = requestId === undefined ? requestIds : [requestId, ...requestIds].slice(0, MOST_IDS);
      waiting.set(key, { keyId, day, operation, status, code, count: count + 1, lastAt, requestIds: ids });
      timer ??= setTimeout(() => flush().catch(() => {}), everyMs);
      timer.unref();
    },
    flush,
  };
}
