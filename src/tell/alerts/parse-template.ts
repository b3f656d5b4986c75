import type { AlertLabels } from './tracked-alert.ts';

/** A number as Go's `%g` prints it: with an exponent from `from` integer digits on. */
function toGo(value: number, from = 6): string {
  const exponent = value === 0 ? 0 : Number(value.toExponential().split('e')[1]);
  if (exponent >= -4 && exponent < from) return String(value);
  const [digits, power = ''] = value.toExponential().split('e');
  return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`;
}

/** Go's `%.4g`: four significant digits. Unlike Go, a half always rounds up. */
const toFourDigits = (value: number): string => toGo(Number(value.toPrecision(4)), 4);

const scale = (value: number, base: number, units: readonly string[]): string => {
  let rest = value;
  let unit = '';
  for (const next of units) {
    if (Math.abs(rest) < base) break;
    rest /= base;
    unit = next;
  }
  return `${toFourDigits(rest)}${unit}`;
};

const shrink = (value: number): string => {
  let rest = value;
  let unit = '';
  for (const next of ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y']) {
    if (Math.abs(rest) >= 1) break;
    rest *= 1000;
    unit = next;
  }
  return `${toFourDigits(rest)}${unit}`;
};

function humanizeDuration(value: number): string {
  if (value === 0) return '0s';
  if (Math.abs(value) < 1) return `${shrink(value)}s`;
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  if (size < 60) return `${sign}${toFourDigits(size)}s`;
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
  humanizePercentage: (value) => `${toFourDigits(value * 100)}%`,
};

/** Escapes a query value of a URL as Go's `url.QueryEscape` does. */
const urlquery = (value: string): string =>
  // Fast path: almost every name, rendered for each alert at each judgement.
  /^[\w.~-]*$/.test(value)
    ? value
    : encodeURIComponent(value)
        .replaceAll('%20', '+')
        .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Renders a text for an alert's labels and value. */
export type Template = (labels: AlertLabels, value: number) => string;

function parseAction(inside: string): Template | undefined {
  const [, label, isQuery] = /^\$labels\.(\w+)( \| urlquery)?$/.exec(inside) ?? [];
  if (label !== undefined) return (labels) => (isQuery ? urlquery : String)(labels[label] ?? '');
  if (inside === '$value') return (_, value) => toGo(value);
  const apply = FUNCTIONS[/^\$value \| (\w+)$/.exec(inside)?.[1] ?? ''];
  return apply && ((_, value) => apply(value));
}

/**
 * Parses a text of an alert into a function that renders it as Prometheus does. It may contain `{{ $labels.NAME }}`,
 * `{{ $labels.NAME | urlquery }}`, `{{ $value }}` and `{{ $value | FUNCTION }}`. Throws for anything else.
 */
export function parseTemplate(text: string): Template {
  // The parts at odd indexes were between braces.
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
