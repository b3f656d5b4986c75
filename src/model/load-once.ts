/** Something that is loaded when it is needed. */
export interface Loaded<T> {
  /** Loads it with the first call. A load that failed, as for want of a file descriptor, is tried again by the next call. */
  readonly get: () => Promise<T>;
  /** It, if it is loaded or being loaded by now. */
  readonly started: () => Promise<T> | undefined;
}

/** Prepares to load something once. */
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
