import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { escapeLabel } from './family.ts';

/** The formats of `/metrics`: Prometheus's text format, versions 0.0.4 and 1.0.0, or OpenMetrics, versions 0.0.1 and 1.0.0. */
export type ExpositionFormat = 'text' | 'openmetrics';

/** What a page says of a family before its samples. */
interface Described {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** A family as prom-client gives it. */
type OwnFamily = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/** The last line of a page. */
export const END: Readonly<Record<ExpositionFormat, string>> = { text: '', openmetrics: '# EOF\n' };

const TOTAL = /_total$/;
const UNIT = /_(seconds|bytes)$/;

/** The lines before the samples of a family. OpenMetrics names a counter without the suffix that its samples have. */
export function describeFamily({ name, type, help }: Described, format: ExpositionFormat): string {
  const text = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  if (format === 'text') return `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n`;
  const base = type === 'counter' ? name.replace(TOTAL, '') : name;
  const [, unit] = UNIT.exec(base) ?? [];
  const unitLine = unit === undefined ? '' : `# UNIT ${base} ${unit}\n`;
  return `# TYPE ${base} ${type}\n${unitLine}# HELP ${base} ${text.replaceAll('"', '\\"')}\n`;
}

const formatValue = (value: number): string =>
  Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';

/** The limit of a bucket, as Go's clients write it. Prometheus would store another series for `1` than for `1.0`. */
export const formatLimit = (limit: string | number): string => (Number.isInteger(limit) ? `${limit}.0` : String(limit));

const formatLabels = (labels: Readonly<Record<string, string | number | undefined>>): string => {
  const pairs = Object.entries(labels).map(
    ([name, value = '']) => `${name}="${escapeLabel(name === 'le' ? formatLimit(value) : String(value))}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
};

/** The samples of a family, with the time at which it began to count behind those of each label set. */
function formatSamples({ name, type, values }: OwnFamily, format: ExpositionFormat, startedAt: number): string {
  const begun = format === 'text' || String(type) === 'gauge' ? undefined : `${name.replace(TOTAL, '')}_created`;
  return values
    .map(({ metricName = name, labels, value }) => {
      const text = formatLabels(labels);
      // The count is the last sample of a histogram.
      const isLast = String(type) === 'counter' || metricName.endsWith('_count');
      const created = begun !== undefined && isLast ? `${begun}${text} ${startedAt / 1000}\n` : '';
      return `${metricName}${text} ${formatValue(value)}\n${created}`;
    })
    .join('');
}

/**
 * The page of a registry. prom-client itself renames the counters of a registry for good when it is asked for OpenMetrics.
 * All counters began at 0 with the process, whose start is in Unix milliseconds.
 */
export const formatRegistry = (families: readonly OwnFamily[], format: ExpositionFormat, startedAt: number): string =>
  families
    .filter(({ values }) => values.length > 0)
    .map((family) => {
      const { name, help, type } = family;
      return describeFamily({ name, help, type: String(type) }, format) + formatSamples(family, format, startedAt);
    })
    .join('');
