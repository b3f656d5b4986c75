/** Number of lines remembered to recognise repeated ones. */
const MAX_REMEMBERED = 2_048;

/** A timestamp as a number, unique within three months. */
export const toKey = (second: number, nanos: number): number => ((second / 1_000) % 8_000_000) * 1e9 + nanos;

/**
 * When it rotates a log, the engine may repeat the last lines in the same stream, in order and with the same
 * timestamps. The returned function decides for each line of a stream whether it is such a duplicate.
 */
export function createDuplicateFilter(): (key: number, text: string) => boolean {
  const keys: number[] = [];
  let next = 0;
  let last = -1;
  let lastText = '';
  /** Index in `keys` of the last duplicate; absent while there are none. */
  let duplicateAt: number | undefined;
  return (key, text) => {
    if (duplicateAt !== undefined) {
      duplicateAt = (duplicateAt + 1) % MAX_REMEMBERED;
      if (duplicateAt !== next && keys[duplicateAt] === key) return true;
      duplicateAt = undefined;
    }
    if (key < last || (key === last && text === lastText)) {
      let found = keys.indexOf(key);
      // The oldest of those with the same timestamp; the others follow it.
      if (found === 0 && keys.length === MAX_REMEMBERED) found = Math.max(keys.indexOf(key, next), found);
      if (found !== -1) {
        duplicateAt = found;
        return true;
      }
    }
    keys[next] = key;
    next = (next + 1) % MAX_REMEMBERED;
    last = key;
    lastText = text;
    return false;
  };
}
