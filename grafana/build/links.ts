/** A link of a panel's data, or of a cell. */
export interface DataLink {
  readonly title: string;
  readonly url: string;
  readonly targetBlank?: boolean;
}

type Label = 'subnet' | 'component' | 'name';

const of = (label: Label): string => `\${__field.labels.${label}}`;

/** Another dashboard, of the same time and of the series' own subnet or target. */
export const toBoard = (uid: string, title: string, labels: readonly Label[]): DataLink => ({
  title,
  url: `/d/${uid}?${[...labels.map((label) => `var-${label}=${of(label)}`), '${__url_time_range}'].join('&')}`,
});

/** The runbook of an alert, filled in for the series' own target. `subnetd` is its address. */
export const toRunbook = (subnetd: string, alert: string, labels: readonly ('subnet' | 'name')[] = []): DataLink => ({
  title: `What to do: ${alert}`,
  url: `${subnetd}/alerts/${alert}${labels.length > 0 ? '?' : ''}${labels.map((label) => `${label}=${of(label)}`).join('&')}`,
  targetBlank: true,
});

/** The page with every verdict and its reason. */
export const toStatusPage = (subnetd: string): DataLink => ({
  title: 'Every verdict with its reason',
  url: `${subnetd}/`,
  targetBlank: true,
});
