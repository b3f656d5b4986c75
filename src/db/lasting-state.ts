import type { OpenStore } from './create-store.ts';
import type { InstanceState } from './instance-state.ts';

/** State of an instance that is written again to a database that has lost it. */
export interface LastingState<T> extends InstanceState<T> {
  /** Writes everything again if the database was reopened since the last write. */
  restore(): Promise<void>;
}

/**
 * Remembers what was read and written, because the database may be reopened on another file, which needs the earlier
 * writes too.
 */
export function createLastingState<T>(
  open: () => Promise<OpenStore>,
  stateOf: (store: OpenStore) => InstanceState<T>,
): LastingState<T> {
  let known: ReadonlyMap<string, T> = new Map();
  let holder: OpenStore | undefined;
  const writeNow: InstanceState<T>['write'] = async (changed, gone) => {
    // A restore before the first use writes nothing. To open the store would load Kysely for it.
    if (holder === undefined && changed.size + gone.length === 0) return;
    const store = await open();
    const isOther = holder !== undefined && holder !== store;
    const all = new Map([...known, ...changed]);
    for (const key of gone) all.delete(key);
    if (isOther || changed.size + gone.length > 0) await stateOf(store).write(isOther ? all : changed, gone);
    known = all;
    holder = store;
  };
  /** One after the other, so that no old value replaces a new one. */
  let last: Promise<void> = Promise.resolve();
  const write: InstanceState<T>['write'] = (changed, gone) => {
    last = last.catch(() => {}).then(() => writeNow(changed, gone));
    return last;
  };
  return {
    read: async () => {
      const store = await open();
      const rows = await stateOf(store).read();
      if (holder === undefined) {
        known = new Map([...rows, ...known]);
        holder = store;
      }
      return rows;
    },
    write,
    restore: () => write(new Map(), []),
  };
}
