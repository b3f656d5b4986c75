import type { AlertRule } from './alert-rule.ts';
import { containerRules } from './container-rules.ts';
import { failureRules } from './failure-rules.ts';
import { nodeRules } from './node-rules.ts';
import { serviceRules } from './service-rules.ts';
import { setupRules, subnetRules } from './subnet-rules.ts';
import { subnetdRules } from './subnetd-rules.ts';

/** By group, which is also the name of the file in config/prometheus/rules. */
export const alertGroups = {
  subnet: subnetRules,
  node: nodeRules,
  services: serviceRules,
  containers: containerRules,
  failures: failureRules,
  setup: setupRules,
  subnetd: subnetdRules,
} as const satisfies Readonly<Record<string, readonly AlertRule[]>>;

export type AlertName = (typeof alertGroups)[keyof typeof alertGroups][number]['name'];

/** All alerts. */
export const alertRules: readonly (AlertRule & { readonly name: AlertName })[] = Object.values(alertGroups).flat();

/** The edit distance between two words (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, wanted] of [...other].entries())
      next.push(Math.min((row[j] ?? 0) + Number(letter !== wanted), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The alert of that name, in any case. Otherwise the most similar names, best first. */
export function findAlert(word: string): { readonly rule: AlertRule } | { readonly near: readonly string[] } {
  const wanted = word.toLowerCase();
  const rule = alertRules.find(({ name }) => name.toLowerCase() === wanted);
  if (rule !== undefined) return { rule };
  // Longer words cannot be a typing mistake.
  if (wanted.length > 100) return { near: [] };
  const near = alertRules
    .map(({ name }) => ({
      name,
      holds: name.toLowerCase().includes(wanted),
      far: distance(wanted, name.toLowerCase()),
    }))
    .filter(({ holds, far }) => holds || far <= 4)
    .toSorted((one, other) => Number(other.holds) - Number(one.holds) || one.far - other.far);
  return { near: near.slice(0, 5).map(({ name }) => name) };
}
