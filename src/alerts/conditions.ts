import { problemsOfAlert } from '../model/problem-catalog.ts';
import type { AlertRule } from './alert-rule.ts';
import type { AlertName } from './alert-rules.ts';
import type { Condition } from './condition.ts';
import { problemCondition } from './problem-condition.ts';
import { subnetdConditions } from './subnetd-conditions.ts';

/** Which things an alert is about now, as its rule says it in PromQL; undefined for what subnetd cannot know itself. */
export function conditionOf({ name, labels }: AlertRule & { readonly name: AlertName }): Condition | undefined {
  if (problemsOfAlert(name).length > 0) return problemCondition(name, !labels.includes('name'));
  const own: Readonly<Record<string, Condition>> = subnetdConditions;
  return own[name];
}
