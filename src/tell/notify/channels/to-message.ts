import { createHash } from 'node:crypto';
import { formatSecond, toIso } from '../../../lib/duration.ts';
import type { AlertIncidents } from '../../alerts/alert-incidents.ts';
import { alertKey } from '../../alerts/tracked-alert.ts';
import type { NotifiedAlert, NotifiedGroup } from '../notified-alert.ts';
import type { PlannedMessage } from './plan-message.ts';

/** An alert of a message. */
export interface MessageAlert {
  readonly status: 'firing' | 'resolved';
  /** Whether this message is the first about its status. */
  readonly isNew: boolean;
  /** It fires still, and its cause is another than in the messages before, or it is back after it was clearing there. */
  readonly isChanged?: true;
  /** What it reports is no longer seen, and ends unless it returns. */
  readonly isClearing?: true;
  /** Stable over the life of the alert, and the same after it has fired again. */
  readonly key: string;
  readonly alert: string;
  readonly severity: string;
  readonly subnet?: string;
  readonly component?: string;
  readonly name?: string;
  /** What is wrong. */
  readonly summary: string;
  readonly evidence: string;
  readonly fix?: string;
  /** RFC 3339, as `seenAt` and `endsAt`. */
  readonly startsAt: string;
  /** When the evidence was seen: its durations are of then. Absent where that was before subnetd was started, which the evidence says. */
  readonly seenAt?: string;
  readonly endsAt?: string;
  /** The id of its open incident, while nobody has acknowledged that. */
  readonly incident?: string;
  /** Who has acknowledged it. */
  readonly acknowledgedBy?: string;
  /** In the order in which they are shown; `acknowledge` is the page on which a person can do that. */
  readonly links: {
    readonly acknowledge?: string;
    readonly incident?: string;
    readonly runbook?: string;
    readonly dashboard?: string;
  };
}

/** What a channel sends about one group. */
export interface Message {
  /** The same for each attempt to send it. */
  readonly id: string;
  readonly kind: PlannedMessage['kind'] | 'drill';
  /** `resolved` when nothing that it lists fires any more. */
  readonly status: 'firing' | 'resolved';
  /** The name of the subnetd that sends it. */
  readonly instance: string;
  readonly subnet?: string;
  /** The id of the first message since no alert of the group fired; equal to `id` in the first. */
  readonly thread: string;
  readonly sentAt: string;
  /** New ones first, then those that have ended, those with another cause, then those that fire still; the worst first in each. */
  readonly alerts: readonly MessageAlert[];
  /** The names of alerts that still fire, but are not listed, because something worse covers them. */
  readonly covered: readonly string[];
}

/** What was seen. In a message of what is no longer seen it has its time, as nothing else in that says that it is not of now. */
function describeSeen({ annotations, details, seenAt }: NotifiedAlert, status: MessageAlert['status']): string {
  if (details === undefined) return annotations.description ?? '';
  const isPast = (status === 'resolved' || details.isClearing) && !details.isRestored && seenAt !== undefined;
  return `${isPast ? `seen at ${formatSecond(seenAt)}: ` : ''}${details.evidence}`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

function toMessageAlert(
  one: NotifiedAlert,
  status: MessageAlert['status'],
  isNew: boolean,
  incident?: ReturnType<AlertIncidents['incidentOf']>,
): MessageAlert {
  const { labels, annotations, details, startsAt, seenAt, endsAt, acknowledgedBy } = one;
  const { alertname = '', severity = '', subnet, component, name } = labels;
  const { summary = '', runbook_url: runbook, incident_url: incidentUrl } = annotations;
  const { dashboard_url: dashboard } = annotations;
  return {
    status,
    isNew,
    ...(status === 'firing' && details?.isClearing && { isClearing: true }),
    key: digest(alertKey(labels)),
    alert: alertname,
    severity,
    ...(subnet !== undefined && { subnet }),
    ...(component !== undefined && { component }),
    ...(name !== undefined && { name }),
    summary: details?.summary ?? summary,
    evidence: describeSeen(one, status),
    // What has ended needs no fix.
    ...(status === 'firing' && details && details.fix !== '' && { fix: details.fix }),
    startsAt: toIso(startsAt),
    ...(status === 'firing' && seenAt !== undefined && !details?.isRestored && { seenAt: toIso(seenAt) }),
    ...(status === 'resolved' && endsAt !== undefined && { endsAt: toIso(endsAt) }),
    ...(incident !== undefined && { incident: incident.id }),
    ...(acknowledgedBy !== undefined && { acknowledgedBy }),
    links: {
      ...(incident?.link !== undefined && { acknowledge: incident.link }),
      ...(incidentUrl !== undefined && { incident: incidentUrl }),
      ...(runbook !== undefined && { runbook }),
      ...(dashboard !== undefined && { dashboard }),
    },
  };
}

/** Where a message is from, and what it leads to. */
export interface MessagePlace extends Pick<NotifiedGroup, 'channel' | 'group'> {
  readonly instance: string;
  readonly now: number;
  readonly incidents?: Pick<AlertIncidents, 'incidentOf'>;
}

/** The message as channels send it. `before` is what the channel was notified of until now. */
export function toMessage(
  { kind, begun, ended, ongoing, renewed }: PlannedMessage,
  before: NotifiedGroup | undefined,
  { channel, group, instance, now, incidents }: MessagePlace,
): Message {
  const alerts = [
    ...begun.map((one) => toMessageAlert(one, 'firing', true, incidents?.incidentOf(one.labels))),
    ...ended.map((one) => toMessageAlert(one, 'resolved', true)),
    ...ongoing
      .map((one) => ({
        ...toMessageAlert(one, 'firing', false, incidents?.incidentOf(one.labels)),
        ...(renewed?.has(alertKey(one.labels)) && { isChanged: true as const }),
      }))
      .toSorted((one, other) => Number(other.isChanged ?? false) - Number(one.isChanged ?? false)),
  ];
  // After a crash the same message has the same id, so that its receiver can leave it out.
  const about = alerts.map(({ key, status, isNew, startsAt }) => [key, status, isNew, startsAt]);
  const id = digest(JSON.stringify([instance, channel, group, kind, before?.sentAt ?? 0, about]));
  const listed = new Set([...begun, ...ended, ...ongoing].map(({ labels }) => alertKey(labels)));
  const covered = Object.entries(before?.alerts ?? {}).flatMap(
    ([
      key,
      {
        labels: { alertname = '' },
      },
    ]) => (listed.has(key) ? [] : [alertname]),
  );
  const isGoing = before !== undefined && Object.keys(before.alerts).length > 0;
  return {
    id,
    kind,
    status: begun.length + ongoing.length > 0 ? 'firing' : 'resolved',
    instance,
    ...(group !== '' && { subnet: group }),
    thread: isGoing ? before.thread : id,
    sentAt: toIso(now),
    alerts,
    covered,
  };
}
