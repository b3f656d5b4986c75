import { stringify } from 'yaml';
import { parseLinkSettings, readEnvironment } from '../daemon/settings.ts';
import { toPrometheusRule, toRuleGroups } from '../tell/alerts/to-rule-groups.ts';
import { type ExitCode, refuse } from './report.ts';

/** The flags of `subnetd rules`, as they are typed. */
export interface RulesFlags {
  readonly publicUrl?: string;
  readonly grafanaUrl?: string;
  readonly job?: string;
  readonly format: 'prometheus' | 'prometheusrule';
}

/** What a job is called; the Prometheus operator's names have slashes. */
const JOB = /^[\w.:/-]{1,200}$/;

/** `subnetd rules`: the alerting and recording rules for one's own Prometheus. */
export function rules({ format, job, ...flags }: RulesFlags): ExitCode {
  const errors: string[] = [];
  const links = parseLinkSettings(readEnvironment(), flags, errors);
  if (job !== undefined && !JOB.test(job))
    errors.push('--job must be a name of letters, digits and _ . : / -, as in the scrape configuration');
  if (errors.length > 0) return refuse('subnetd rules', ...errors);
  const places = { ...links, job };
  const document = format === 'prometheus' ? { groups: Object.values(toRuleGroups(places)) } : toPrometheusRule(places);
  process.stdout.write(stringify(document, { lineWidth: 0 }));
  return 0;
}
