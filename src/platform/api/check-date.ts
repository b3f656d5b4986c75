import { fail, type Outcome, succeed } from './outcome.ts';

/** A day, or a time with its zone. */
const DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * A day (`2026-12-31`, from its start in UTC) or a time (`2026-12-31T18:00:00Z`), as ISO 8601; undefined if it is
 * neither.
 */
export function parseDate(text: string): string | undefined {
  const [, day = '', time] = DATE.exec(text) ?? [];
  const start = Date.parse(`${day}T00:00:00Z`);
  // Date.parse accepts the 31st of February as a day of March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) return undefined;
  const at = time === undefined ? start : Date.parse(text);
  const iso = Number.isNaN(at) ? '' : new Date(at).toISOString();
  // Times are compared as texts, which a year of more than four digits would break.
  return /^\d{4}-/.test(iso) ? iso : undefined;
}

/** A date of a body or a query, as ISO 8601 in UTC. */
export function checkDate(value: unknown, name: string): Outcome<string> {
  if (typeof value !== 'string') return fail(1003, `${name} must be a string`);
  const date = parseDate(value.trim());
  return date === undefined
    ? fail(1009, `${name} must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z`)
    : succeed(date);
}
