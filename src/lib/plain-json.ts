/** What JSON has no value for, by its mark. */
const MARK = '$';

/** A value of plain data as JSON, also with maps, sets, big numbers and numbers that are not finite. What is undefined is left out. */
export const toPlainJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return { [MARK]: 'bigint', of: String(one) };
    if (typeof one === 'number' && !Number.isFinite(one)) return { [MARK]: 'number', of: String(one) };
    if (one instanceof Map) return { [MARK]: 'map', of: [...one] };
    if (one instanceof Set) return { [MARK]: 'set', of: [...one] };
    return one;
  });

const REVIVE: Readonly<Record<string, (of: never) => unknown>> = {
  bigint: (of: string) => BigInt(of),
  number: (of: string) => Number(of),
  map: (of: readonly [unknown, unknown][]) => new Map(of),
  set: (of: readonly unknown[]) => new Set(of),
};

/** The value again. Throws for a text that is none. */
export const fromPlainJson = (text: string): unknown =>
  JSON.parse(text, (_, one: unknown) => {
    if (typeof one !== 'object' || one === null || !(MARK in one)) return one;
    const { [MARK]: kind, of } = one as { readonly [MARK]: unknown; readonly of?: unknown };
    const revive = typeof kind === 'string' && Object.hasOwn(REVIVE, kind) ? REVIVE[kind] : undefined;
    return revive === undefined ? one : revive(of as never);
  });
