import type { AlertName } from './alert-rules.ts';
import type { Condition } from './condition.ts';
import { containerConditions } from './container-conditions.ts';
import { failureConditions } from './failure-conditions.ts';
import { nodeConditions } from './node-conditions.ts';
import { serviceConditions } from './service-conditions.ts';
import { subnetConditions } from './subnet-conditions.ts';
import { subnetdConditions } from './subnetd-conditions.ts';

/** The alerts that subnetd can judge itself: all but that it is down. */
export type PushedAlertName = Exclude<AlertName, 'SubnetdDown'>;

/** The condition of each alert. It equals the rule's PromQL, but is computed from the facts. */
export const conditions: Readonly<Record<PushedAlertName, Condition>> = {
  ...subnetConditions,
  ...nodeConditions,
  ...serviceConditions,
  ...containerConditions,
  ...failureConditions,
  ...subnetdConditions,
};
