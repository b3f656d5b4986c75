/** The first mark, and the one that canonical order puts last. */
const FIRST_MARK = '\u0300';
const LAST_MARK = '\u0345';

/** Does canonical order move the character, as it does with most marks? Sorting many of them takes quadratic time. */
const isSorted = (character: string): boolean =>
  character >= FIRST_MARK &&
  (character === LAST_MARK || !`${LAST_MARK}${character}`.normalize('NFD').startsWith(LAST_MARK));

/** No character of NFC stands for more than four, of which three are sorted. */
const MOST_JOINED = 4;
const MOST_SORTED_JOINED = 3;

/** Must the text have more than `most` characters after NFC? A yes is certain; after a no it takes little time to find out. */
function mustExceed(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let [length, least, run] = [0, 0, 0];
  for (const character of text) {
    length += 1;
    run = isSorted(character) ? run + 1 : 0;
    if (run > MOST_SORTED_JOINED) least += 1;
    if (length > most * MOST_JOINED || least > most) return true;
  }
  return false;
}

const hasAtMost = (text: string, most: number): boolean => {
  let length = 0;
  for (const _ of text) length += 1;
  return length <= most;
};

/**
 * A text in NFC; undefined if that has more than `most` Unicode characters. Only this normalises what comes from outside: a
 * long run of marks would hold the event loop for seconds.
 */
export function toNfc(text: string, most: number): string | undefined {
  if (mustExceed(text, most)) return undefined;
  const normal = text.normalize('NFC');
  return hasAtMost(normal, most) ? normal : undefined;
}
