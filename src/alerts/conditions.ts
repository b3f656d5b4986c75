import type { AlertName } from './alert-rules.ts';
import type { Condition } from './condition.ts';
import { containerConditions } from './container-conditions.ts';
import { failureConditions } from './failure-conditions.ts';
import { nodeConditions } from './node-conditions.ts';
import { serviceConditions } from './service-conditions.ts';
import { subnetConditions } from './subnet-conditions.ts';
import { subnetdConditions } from './subnetd-conditions.ts';

/** The alerts that subnetd can tell itself: all but that it is down. */
export type PushedAlertName = Exclude<AlertName, 'SubnetdDown'>;

/** When each alert is so. Each is what the PromQL of its rule says, of the facts themselves. */
export const conditions: Readonly<Record<PushedAlertName, Condition>> = {
  ...subnetConditions,
  ...nodeConditions,
  ...serviceConditions,
  ...containerConditions,
  ...failureConditions,
  ...subnetdConditions,
};
