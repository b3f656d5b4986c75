/** A text as the beginning of a sentence. A name with digits or hyphens, such as subnet2, and subnetd stay as they are. */
export const beginSentence = (text: string): string =>
  /^(?!subnetd\b)[a-z]+(?: |$)/.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;

/** A noun after its indefinite article, by its first letter: `an industry`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The names of the first `most` for a sentence, and how many others there are: `a, b and 3 others`. */
export function listEach<T>(ones: readonly T[], nameOf: (one: T) => string, most = 5): string {
  const named = ones.slice(0, most).map(nameOf).join(', ');
  const others = ones.length - most;
  return others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named;
}

/** Same for names. */
export const listNames = (names: readonly string[], most?: number): string => listEach(names, String, most);

/** The first `most` of texts that may have commas themselves, and how many more there are: `a, b, and 3 more`. */
export function listFirst(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** All words for a sentence, as `a, b and c`. */
export const joinAnd = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** So many names are all named, as `a, b and c`; of more, how many others there are. */
export const nameSome = (names: readonly string[], most = 5): string =>
  names.length <= most ? joinAnd(names) : listNames(names, most);

const OF_SEVERAL: Readonly<Record<string, string>> = { is: 'are', has: 'have', does: 'do' };

/** What is said of somebody by name, said of all of whom the same is: `a hangs` as `a and b hang`. As it is where more than its verb would differ. */
export function sayTogether<T extends { readonly name?: string; readonly summary: string }>(one: T, all: readonly T[]) {
  const saidOf = ({ name, summary }: T) =>
    name && summary.startsWith(`${name} `) ? summary.slice(name.length + 1) : '';
  const [verb = '', ...rest] = saidOf(one).split(' ');
  const names = all.flatMap((other) => (other.name && saidOf(other) === saidOf(one) ? other.name : []));
  if (verb === '' || names.length < 2 || rest.includes('its')) return one.summary;
  return [nameSome(names, 3), OF_SEVERAL[verb] ?? verb.replace(/(?<=ss)es$|s$/, ''), ...rest].join(' ');
}

/** A number with its noun, or with its verb: `1 node`, `3 nodes`. */
export const formatCount = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** A number that is not known better: `3`, `3 or 4`, `3 to 5`. */
export const formatRange = (least: number, most: number): string =>
  least === most ? `${most}` : `${least} ${most - least === 1 ? 'or' : 'to'} ${most}`;

/** Bytes of a disk or a memory, in gigabytes or megabytes of 1,000 each. */
export const formatBytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;

/** How often something happened: `once`, `3 times`. */
export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The begin of a hash or an address, by which people know it. */
export const shorten = (hex: string): string => `${hex.slice(0, 10)}…`;

/** Text for an element or an attribute in double quotes, in HTML and in XML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);

/** A text as one word of a POSIX shell, as it is where that is safe. */
export const toShellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
