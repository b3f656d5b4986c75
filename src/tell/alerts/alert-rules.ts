import { findSimilar } from '../../lib/find-similar.ts';
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

const MOST_NEAR = 5;

/** Of these names, those that hold a word or are spelled almost like it, best first. */
export function findNear(word: string, names: readonly string[]): readonly string[] {
  const holding = names.filter((name) => name.toLowerCase().includes(word.toLowerCase()));
  return [...new Set([...holding, ...findSimilar(word, names, 4)])].slice(0, MOST_NEAR);
}

/** The alert of that name, in any case. */
export const findAlert = (word: string): AlertRule | undefined =>
  alertRules.find(({ name }) => name.toLowerCase() === word.toLowerCase());
