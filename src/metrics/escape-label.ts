/** A label's value as it stands between quotes in Prometheus's text format. */
export const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
