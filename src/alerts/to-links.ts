import type { AlertLabel, AlertRule } from './alert-rule.ts';

/** Where people reach subnetd and Grafana, without a slash at the end. */
export interface LinkBases {
  readonly publicUrl: string;
  readonly grafanaUrl: string;
}

/** The annotations of an alert that lead on; `toValue` gives a label's value as it stands in a URL. */
export const toLinks = (
  { name, labels, dashboard }: AlertRule,
  { publicUrl, grafanaUrl }: LinkBases,
  toValue: (label: AlertLabel) => string,
): { readonly runbook_url: string; readonly dashboard_url: string } => {
  const variables = (['subnet', 'name'] as const).filter((label) => labels.includes(label));
  const query = variables.map((label) => `var-${label}=${toValue(label)}`).join('&');
  return {
    runbook_url: `${publicUrl}/alerts/${name}`,
    dashboard_url: `${grafanaUrl}/d/${dashboard}${query === '' ? '' : `?${query}`}`,
  };
};
