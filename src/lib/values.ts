/** An object of JSON or YAML; not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is read of each, where it is something. `flatMap` would make a list of each and `for of` an object, which is garbage. */
export function collect<T, R>(ones: readonly T[], read: (one: T) => R | undefined): R[] {
  const found: R[] = [];
  for (let place = 0; place < ones.length; place++) {
    const value = read(ones[place] as T);
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** The first of those that are alike by `keyOf`, where they are more than half of all. */
export function findMajority<T>(ones: readonly T[], keyOf: (one: T) => string | undefined): T | undefined {
  const alike = Map.groupBy(ones, keyOf).values();
  return alike.find((some) => some.length * 2 > ones.length)?.[0];
}

/** The value of a JSON text; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Apart from `isSameData`, which would make garbage of each call if a function in it used what it is given. */
const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, i) => isSameData(item, other[i]));

/**
 * Are both the same plain data, as JSON or YAML gives it: texts, numbers, flags, null, lists and mappings? A member that is undefined is
 * another than one that is not there. It takes a fraction of the time of `isDeepStrictEqual`, which also compares prototypes and more.
 */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && isSameList(one, other);
  const ones = one as Readonly<Record<string, unknown>>;
  const others = other as Readonly<Record<string, unknown>>;
  // A list of the keys would be garbage, and nodes are compared with each probe.
  for (const key in ones) if (!Object.hasOwn(others, key) || !isSameData(ones[key], others[key])) return false;
  for (const key in others) if (!Object.hasOwn(ones, key)) return false;
  return true;
}

/** A list in parts of `size`, the last one shorter. */
export const inSlices = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
