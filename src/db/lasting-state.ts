import type { OpenStore } from './create-store.ts';
import type { InstanceState } from './instance-state.ts';

/** State of an instance that a database which lost it is given again. */
export interface LastingState<T> extends InstanceState<T> {
  /** Writes all of it again when the database was opened again since the last write. */
  restore(): Promise<void>;
}

/**
 * Remembers what was read and written, as the database may be opened again on another file: what was written to the one
 * before has to be in that too.
 */
export function createLastingState<T>(
  open: () => Promise<OpenStore>,
  stateOf: (store: OpenStore) => InstanceState<T>,
): LastingState<T> {
  let known: ReadonlyMap<string, T> = new Map();
  let holder: OpenStore | undefined;
  const writeNow: InstanceState<T>['write'] = async (changed, gone) => {
    const store = await open();
    const isOther = holder !== undefined && holder !== store;
    const all = new Map([...known, ...changed]);
    for (const key of gone) all.delete(key);
    if (isOther || changed.size + gone.length > 0) await stateOf(store).write(isOther ? all : changed, gone);
    known = all;
    holder = store;
  };
  /** One after the other, so that none puts old values in the place of new ones. */
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
