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
