import { z } from 'zod';
import { parseJson } from '../lib/values.ts';
import type { FleetSubnet } from '../model/fleet.ts';
import { SEVERITIES } from '../model/severity.ts';

/** A time that a `Date` can hold. */
const wallMs = z.number().min(-8.64e15).max(8.64e15);

const count = z.int().min(0);

const problem = z.object({
  problem: z.string(),
  severity: z.enum(SEVERITIES),
  component: z.string().optional(),
  name: z.string().optional(),
  since: wallMs,
  summary: z.string(),
  fix: z.string(),
});

const subnet = z.object({
  name: z.string(),
  isReady: z.boolean(),
  keeping: z.enum(['now', 'next', 'no']),
  headline: z
    .object({
      standing: z.enum(['ok', 'warn', 'bad', 'off']),
      sentence: z.string(),
      detail: z.string(),
      since: wallMs.optional(),
    })
    .optional(),
  targets: count,
  failing: count,
  problems: z.array(problem),
  problemCount: count,
});

/** Only these are shown and planned with: what is read here comes from other processes, which may be of any version. */
const readEach = (rows: readonly unknown[]): readonly FleetSubnet[] =>
  rows.flatMap((row) => {
    const parsed = subnet.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });

/**
 * The subnets in the row of an instance, from JSON. Another version may have written what this one cannot read: those subnets are
 * left out, and members that this version does not know are too.
 */
export function parseFleetSubnets(text: string): readonly FleetSubnet[] {
  const value = parseJson(text);
  return Array.isArray(value) ? readEach(value) : [];
}
