import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const read = (file: string): string => readFileSync(new URL(`../../config/${file}`, import.meta.url), 'utf8');

/** Divides every duration in a text by a factor; 1 leaves the text unchanged. */
const shorten = (text: string, faster: number): string =>
  faster === 1
    ? text
    : text.replace(
        /(\d+)([smhd])/g,
        (_, count, unit: keyof typeof SECONDS) => `${Math.round((Number(count) * SECONDS[unit] * 1000) / faster)}ms`,
      );

/** Divides the values of these keys of a YAML text by a factor. */
const shortenKeys = (text: string, keys: readonly string[], faster: number): string =>
  text.replace(
    new RegExp(`^(\\s+(?:${keys.join('|')}): )(\\S+)$`, 'gm'),
    (_, key, value) => key + shorten(value, faster),
  );

/** A shipped rule file with `for`, `keep_firing_for` and every range and offset of its expressions shorter; nothing else differs. */
export const shortenRules = (text: string, faster: number): string =>
  shortenKeys(text, ['for', 'keep_firing_for'], faster).replace(/\[[\dsmh:]+\]|offset \d+[smh]/g, (range) =>
    shorten(range, faster),
  );

/** The shipped configuration of Alertmanager with its times shorter, and its one address that of a test's receiver. */
export const shortenAlertmanager = (webhook: string, faster: number): string =>
  shortenKeys(
    read('alertmanager/alertmanager.yml.example'),
    ['group_wait', 'group_interval', 'repeat_interval'],
    faster,
  ).replaceAll('http://127.0.0.1:9099/', webhook);

/** Where the parts of a test are, as HOST:PORT, and the pattern of its rule files. */
export interface Addresses {
  readonly subnetd: readonly string[];
  readonly alertmanager: string;
  readonly rules: string;
}

/**
 * The shipped configuration of Prometheus with its times shorter; it scrapes these subnetd and not itself. A scrape may take as
 * long as the gap between two, so that gap is not made shorter than a busy machine needs. Rules see nothing new in between.
 */
export function shortenPrometheus({ subnetd, alertmanager, rules }: Addresses, faster: number): string {
  const document = parseDocument(read('prometheus/prometheus.yml'));
  if (faster > 1) document.setIn(['global'], { scrape_interval: '2s', evaluation_interval: '2s' });
  document.setIn(['rule_files'], [rules]);
  document.setIn(['alerting', 'alertmanagers', 0, 'static_configs', 0, 'targets'], [alertmanager]);
  document.setIn(['scrape_configs', 0, 'static_configs', 0, 'targets'], subnetd);
  document.deleteIn(['scrape_configs', 1]);
  return document.toString();
}
