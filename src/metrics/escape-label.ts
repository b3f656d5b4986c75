/** A label's value, escaped for the quotes of Prometheus's text format. */
export const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
