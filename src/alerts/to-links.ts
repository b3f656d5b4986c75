import type { AlertLabel, AlertRule } from './alert-rule.ts';

/** Where people reach subnetd and Grafana, without a slash at the end. */
export interface LinkBases {
  readonly publicUrl: string;
  readonly grafanaUrl: string;
}

/** Where docker-compose.yml publishes both: the links of the rule files and dashboards that are committed. */
export const COMPOSE_LINKS: LinkBases = { publicUrl: 'http://127.0.0.1:10545', grafanaUrl: 'http://127.0.0.1:3000' };

/**
 * The annotations of an alert that lead on, only to what has an address; `toValue` gives a label's value as it stands in
 * a URL.
 */
export const toLinks = (
  { name, labels, dashboard }: AlertRule,
  { publicUrl, grafanaUrl }: Partial<LinkBases>,
  toValue: (label: AlertLabel) => string,
): { readonly runbook_url?: string; readonly dashboard_url?: string } => {
  const variables = (['subnet', 'name'] as const).filter((label) => labels.includes(label));
  const query = (prefix: string) => {
    const pairs = variables.map((label) => `${prefix}${label}=${toValue(label)}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  };
  return {
    ...(publicUrl !== undefined && { runbook_url: `${publicUrl}/alerts/${name}${query('')}` }),
    ...(grafanaUrl !== undefined && { dashboard_url: `${grafanaUrl}/d/${dashboard}${query('var-')}` }),
  };
};
