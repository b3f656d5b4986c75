import type { Stores } from './create-stores.ts';
import type { InstanceState } from './instance-state.ts';

/** State of an instance that is written again to a database that has lost it. */
export interface RestorableState<T> extends InstanceState<T> {
  /** Writes everything again if the database was reopened since the last write. */
  restore(): Promise<void>;
}

/**
 * Remembers what was read and written, because the database may be reopened on another file, which needs the earlier
 * writes too.
 */
export function createRestorableState<T>(
  open: () => Promise<Stores>,
  stateOf: (stores: Stores) => InstanceState<T>,
): RestorableState<T> {
  /** What the database should hold. */
  let expected: ReadonlyMap<string, T> = new Map();
  let writtenTo: Stores | undefined;
  const writeNow: InstanceState<T>['write'] = async (changed, gone) => {
    // A restore before the first use has nothing to write.
    if (writtenTo === undefined && changed.size + gone.length === 0) return;
    const stores = await open();
    const wasReopened = writtenTo !== undefined && writtenTo !== stores;
    const all = new Map([...expected, ...changed]);
    for (const key of gone) all.delete(key);
    if (wasReopened || changed.size + gone.length > 0) await stateOf(stores).write(wasReopened ? all : changed, gone);
    expected = all;
    writtenTo = stores;
  };
  /** One after the other, so that no old value replaces a new one. */
  let lastWrite: Promise<void> = Promise.resolve();
  const write: InstanceState<T>['write'] = (changed, gone) => {
    lastWrite = lastWrite.catch(() => {}).then(() => writeNow(changed, gone));
    return lastWrite;
  };
  return {
    read: async () => {
      const stores = await open();
      const rows = await stateOf(stores).read();
      if (writtenTo === undefined) {
        expected = new Map([...rows, ...expected]);
        writtenTo = stores;
      }
      return rows;
    },
    write,
    restore: () => write(new Map(), []),
  };
}
