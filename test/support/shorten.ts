import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** By so much all times of the shipped configuration are shorter in tests: 2m is 10s, 30s is 2.5s. */
export const FASTER = 12;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const shorten = (duration: string): string =>
  duration.replace(
    /(\d+)([smhd])/g,
    (_, count, unit: keyof typeof SECONDS) => `${(Number(count) * SECONDS[unit] * 1000) / FASTER}ms`,
  );

const read = (file: string): string => readFileSync(new URL(`../../config/${file}`, import.meta.url), 'utf8');

/** A shipped rule file with `for`, `keep_firing_for` and every range and offset of its expressions shorter; nothing else differs. */
export const shortenRules = (text: string): string =>
  text.replace(
    /^(\s+(?:for|keep_firing_for): )(\S+)$|(\[[\dsmh:]+\]|offset \d+[smh])/gm,
    (whole, key: string | undefined, value: string) => (key === undefined ? shorten(whole) : key + shorten(value)),
  );

/** The shipped configuration of Alertmanager with its times shorter, and its one address that of a test's receiver. */
export const shortenAlertmanager = (webhook: string): string =>
  read('alertmanager/alertmanager.yml')
    .replace(/^(\s+(?:group_wait|group_interval|repeat_interval): )(\S+)$/gm, (_, key, value) => key + shorten(value))
    .replaceAll('http://127.0.0.1:9099/', webhook);

/**
 * The shipped configuration of Prometheus, which scrapes and evaluates each half second, as often as fits the shorter times; the
 * addresses are those of a test, and `rules` is where the shortened rule files are.
 */
export function shortenPrometheus(subnetd: string, alertmanager: string, rules: string): string {
  const document = parseDocument(read('prometheus/prometheus.yml'));
  document.setIn(['global', 'scrape_interval'], '500ms');
  document.setIn(['global', 'evaluation_interval'], '500ms');
  document.setIn(['rule_files'], [rules]);
  document.setIn(['alerting', 'alertmanagers', 0, 'static_configs', 0, 'targets'], [alertmanager]);
  document.setIn(['scrape_configs', 0, 'static_configs', 0, 'targets'], [subnetd]);
  document.deleteIn(['scrape_configs', 1]);
  return document.toString();
}
