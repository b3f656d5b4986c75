import type { Logger } from 'pino';
import { formatDuration } from '../../lib/duration.ts';
import type { Incident, IncidentEnd } from '../../model/incident.ts';

const LEVELS = { critical: 'error', warning: 'warn', info: 'info' } as const;

const ENDS: Readonly<Record<IncidentEnd, string>> = {
  recovered: 'problem over',
  removed: 'problem over: its subject is not in the inventory any more',
  'not-found-again': 'problem over',
};

/** Writes one line when a problem opens, by its severity, and one when it is over. */
export function logIncident(log: Logger, { problem, subnet, component, name, severity, ...incident }: Incident): void {
  const subject = { problem, subnet, component, name };
  const { first, last, startedAt, endedAt, end = 'recovered' } = incident;
  if (endedAt === undefined) {
    const { summary, fix } = incident.returns > 0 ? last : first;
    log[LEVELS[severity]]({ ...subject, summary, fix }, incident.returns > 0 ? 'problem reopened' : 'problem opened');
  } else log.info({ ...subject, lasted: formatDuration(endedAt - startedAt) }, ENDS[end]);
}
