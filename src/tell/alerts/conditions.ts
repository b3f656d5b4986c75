import { problemsOfAlert } from '../../model/problem-catalog.ts';
import type { AlertRule } from './alert-rule.ts';
import type { AlertName } from './alert-rules.ts';
import type { Condition } from './condition.ts';
import { problemCondition } from './problem-condition.ts';
import { subnetdConditions } from './subnetd-conditions.ts';

/** The condition of an alert, the same as its rule in PromQL; undefined for an alert that subnetd cannot judge itself. */
export function conditionOf({ name }: AlertRule & { readonly name: AlertName }): Condition | undefined {
  if (problemsOfAlert(name).length > 0) return problemCondition(name);
  const own: Readonly<Record<string, Condition>> = subnetdConditions;
  return own[name];
}
