import type { AlertLabels } from '../model/incident.ts';

/** A number as Go's `%g` prints it: with an exponent from `from` digits before the point on. */
function toGo(value: number, from = 6): string {
  const exponent = value === 0 ? 0 : Number(value.toExponential().split('e')[1]);
  if (exponent >= -4 && exponent < from) return String(value);
  const [digits, power = ''] = value.toExponential().split('e');
  return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`;
}

/** Go's `%.4g`: four significant digits, but that a half rounds up where Go takes the even digit. */
const toFour = (value: number): string => toGo(Number(value.toPrecision(4)), 4);

const scale = (value: number, base: number, units: readonly string[]): string => {
  let rest = value;
  let unit = '';
  for (const next of units) {
    if (Math.abs(rest) < base) break;
    rest /= base;
    unit = next;
  }
  return `${toFour(rest)}${unit}`;
};

const shrink = (value: number): string => {
  let rest = value;
  let unit = '';
  for (const next of ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y']) {
    if (Math.abs(rest) >= 1) break;
    rest *= 1000;
    unit = next;
  }
  return `${toFour(rest)}${unit}`;
};

function humanizeDuration(value: number): string {
  if (value === 0) return '0s';
  if (Math.abs(value) < 1) return `${shrink(value)}s`;
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  if (size < 60) return `${sign}${toFour(size)}s`;
  const whole = Math.trunc(size);
  const parts = [Math.trunc(whole / 86_400), Math.trunc(whole / 3600) % 24, Math.trunc(whole / 60) % 60, whole % 60];
  const first = parts.findIndex((part) => part !== 0);
  const words = parts.map((part, i) => `${part}${'dhms'[i]}`);
  return `${sign}${words.slice(first).join(' ')}`;
}

/** The functions of Prometheus's templates that alerts use (prometheus: template/template.go). */
const FUNCTIONS: Readonly<Record<string, (value: number) => string>> = {
  humanize: (value) =>
    value === 0 || Math.abs(value) >= 1 ? scale(value, 1000, ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']) : shrink(value),
  humanize1024: (value) => scale(value, 1024, ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi']),
  humanizeDuration,
  humanizePercentage: (value) => `${toFour(value * 100)}%`,
};

/**
 * A text of an alert as Prometheus would render it: `{{ $labels.NAME }}`, `{{ $value }}` and `{{ $value | FUNCTION }}`.
 * Throws for anything else.
 */
export const renderTemplate = (template: string, labels: AlertLabels, value: number): string =>
  template.replace(/\{\{-?\s*(.*?)\s*-?\}\}/g, (whole, inside: string) => {
    const label = /^\$labels\.(\w+)$/.exec(inside)?.[1];
    if (label !== undefined) return labels[label] ?? '';
    if (inside === '$value') return toGo(value);
    const apply = FUNCTIONS[/^\$value\s*\|\s*(\w+)$/.exec(inside)?.[1] ?? ''];
    if (apply === undefined) throw new Error(`a text of an alert holds ${whole}, which a push cannot render`);
    return apply(value);
  });
