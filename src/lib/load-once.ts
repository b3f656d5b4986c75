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
