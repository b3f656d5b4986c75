import { problemsOfAlert } from '../../model/problem-catalog.ts';
import type { AlertLabel, AlertRule } from './alert-rule.ts';

/** The addresses of subnetd and Grafana for people, without a trailing slash. */
export interface LinkBases {
  readonly publicUrl: string;
  readonly grafanaUrl: string;
}

/** The addresses that docker-compose.yml publishes: the links in the committed rule files and dashboards. */
export const COMPOSE_LINKS: LinkBases = { publicUrl: 'http://127.0.0.1:10545', grafanaUrl: 'http://127.0.0.1:3000' };

/** The links of an alert, each only if its base address is known. `toValue` gives a label's value as it is in a URL. */
export const toLinks = (
  { name, labels, dashboard }: AlertRule,
  { publicUrl, grafanaUrl }: Partial<LinkBases>,
  toValue: (label: AlertLabel) => string,
): { readonly runbook_url?: string; readonly dashboard_url?: string; readonly incident_url?: string } => {
  const variables = (['subnet', 'name'] as const).filter((label) => labels.includes(label));
  const pairsOf = (prefix: string) => variables.map((label) => `${prefix}${label}=${toValue(label)}`).join('&');
  const query = (prefix: string) => (variables.length === 0 ? '' : `?${pairsOf(prefix)}`);
  return {
    ...(publicUrl !== undefined && { runbook_url: `${publicUrl}/alerts/${name}${query('')}` }),
    ...(grafanaUrl !== undefined && { dashboard_url: `${grafanaUrl}/d/${dashboard}${query('var-')}` }),
    // Only problems have incidents. The page finds the newest one of the alert.
    ...(publicUrl !== undefined &&
      problemsOfAlert(name).length > 0 && { incident_url: `${publicUrl}/incidents?alert=${name}&${pairsOf('')}` }),
  };
};
