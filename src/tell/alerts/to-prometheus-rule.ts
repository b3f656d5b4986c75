import { type RulePlaces, toRuleGroups } from './to-rule-groups.ts';

/** All rules as one object of the Prometheus operator: `PrometheusRule` of monitoring.coreos.com/v1. */
export const toPrometheusRule = (places: RulePlaces) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'subnetd', labels: { 'app.kubernetes.io/name': 'subnetd' } },
  spec: { groups: Object.values(toRuleGroups(places)) },
});
