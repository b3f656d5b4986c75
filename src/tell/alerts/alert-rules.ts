import type { AlertRule } from './alert-rule.ts';
import { containerRules } from './container-rules.ts';
import { failureRules } from './failure-rules.ts';
import { nodeRules } from './node-rules.ts';
import { serviceRules } from './service-rules.ts';
import { setupRules } from './setup-rules.ts';
import { subnetRules } from './subnet-rules.ts';
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
