/**
 * The same facts on a clock that was set: every time in them, in Unix milliseconds, moved by so many. Times are what is
 * named `at` or `…At`, and the values of maps.
 */
export function shiftTimes<T>(facts: T, byMs: number): T {
  if (facts instanceof Map) return new Map([...facts].map(([key, at]) => [key, at + byMs])) as T;
  if (Array.isArray(facts) || typeof facts !== 'object' || facts === null) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'number' && /^at$|At$/.test(name) ? value + byMs : shiftTimes(value, byMs),
    ]),
  ) as T;
}
