import { findSimilar } from '../lib/find-similar.ts';
import type { Environment } from './settings.ts';

/** The names of all settings; each is also read from the file that `NAME_FILE` names. */
export const SETTING_NAMES: readonly string[] = [
  'SUBNETD_CONFIG',
  'SUBNETD_CORS_ORIGINS',
  'SUBNETD_DATABASE_URL',
  'SUBNETD_GRAFANA_URL',
  'SUBNETD_HISTORY_CHANGES',
  'SUBNETD_HISTORY_DAYS',
  'SUBNETD_HISTORY_INCIDENTS',
  'SUBNETD_INSTANCE',
  'SUBNETD_JWT_SECRET',
  'SUBNETD_LISTEN',
  'SUBNETD_LOG_LEVEL',
  'SUBNETD_MAIL_FROM',
  'SUBNETD_PROMETHEUS_URL',
  'SUBNETD_PUBLIC',
  'SUBNETD_PUBLIC_URL',
  'SUBNETD_RATE_BURST',
  'SUBNETD_RATE_LIMIT',
  'SUBNETD_REQUIRE_OTP',
  'SUBNETD_SECRET_KEY',
  'SUBNETD_SHARD',
  'SUBNETD_SIGNIN_LIMIT',
  'SUBNETD_SMTP_URL',
  'SUBNETD_TRUSTED_PROXIES',
  'SUBNETD_WEB_CONFIG',
];

/** More than two mistakes make another word: Kubernetes sets variables of its own for a Service that is named subnetd. */
const MISTAKES = 2;

/** A sentence for each variable that is almost named as a setting. Other unknown ones may be those of an inventory. */
export function findUnknownSettings(environment: Environment): readonly string[] {
  const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
  return Object.keys(environment)
    .filter((name) => name.toUpperCase().startsWith('SUBNETD_') && !known.includes(name))
    .flatMap((name) => {
      const [near] = findSimilar(name, known, MISTAKES);
      return near === undefined ? [] : [`${name} is not a setting and has no effect; did you mean ${near}?`];
    });
}
