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

/** A value in the query of a URL, as Go's `url.QueryEscape` writes it. */
const urlquery = (value: string): string =>
  // Almost every name is of this kind, and is rendered for each alert at each look.
  /^[\w.~-]*$/.test(value)
    ? value
    : encodeURIComponent(value)
        .replaceAll('%20', '+')
        .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Gives a text of an alert of these labels and this value. */
export type Template = (labels: AlertLabels, value: number) => string;

function parseAction(inside: string): Template | undefined {
  const [, label, isQuery] = /^\$labels\.(\w+)( \| urlquery)?$/.exec(inside) ?? [];
  if (label !== undefined) return (labels) => (isQuery ? urlquery : String)(labels[label] ?? '');
  if (inside === '$value') return (_, value) => toGo(value);
  const apply = FUNCTIONS[/^\$value \| (\w+)$/.exec(inside)?.[1] ?? ''];
  return apply && ((_, value) => apply(value));
}

/**
 * A text of an alert as Prometheus would render it: `{{ $labels.NAME }}`, `{{ $labels.NAME | urlquery }}`, `{{ $value }}` and
 * `{{ $value | FUNCTION }}`. Throws for anything else.
 */
export function parseTemplate(text: string): Template {
  // What stands between braces is at the odd places.
  const parts = text.split(/\{\{ (.*?) \}\}/).map((part, index): string | Template => {
    const parsed = index % 2 === 0 ? part : parseAction(part);
    if (parsed === undefined) throw new Error(`a text of an alert holds {{ ${part} }}, which a push cannot render`);
    return parsed;
  });
  return (labels, value) => {
    let rendered = '';
    for (const part of parts) rendered += typeof part === 'string' ? part : part(labels, value);
    return rendered;
  };
}
