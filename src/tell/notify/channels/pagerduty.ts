import type { ChannelTarget } from '../../../model/channel.ts';
import { clip, PLAIN, writeAlerts, writeTitle } from './message-words.ts';
import type { ChannelRequest } from './post.ts';
import { readRoutingKey } from './secrets.ts';
import type { Message, MessageAlert } from './to-message.ts';

/** A longer summary is cut by PagerDuty. */
const MOST_OF_SUMMARY = 1_024;
/** An event of more than 512 KB is refused. */
const MOST_OF_DETAILS = 20_000;

/** What the Events API answers when it refuses. */
export const PAGERDUTY_REFUSALS: Readonly<Record<string, string>> = {
  'Invalid routing key':
    'refuses the routing key; write the integration key of an Events API v2 integration into keyFile',
  'Invalid Routing Key':
    'refuses the routing key; write the integration key of an Events API v2 integration into keyFile',
  'invalid event': 'does not take the event; please report this',
};

/** What becomes of the incident about the alerts of one name; undefined when nothing does. */
function actionOf({ kind, covered }: Message, name: string, alerts: readonly MessageAlert[]) {
  const firing = alerts.filter(({ status }) => status === 'firing');
  if (firing.length === 0) return covered.includes(name) ? undefined : 'resolve';
  if (firing.some(({ isNew }) => isNew)) return 'trigger';
  if (firing.every(({ acknowledgedBy }) => acknowledgedBy !== undefined)) return 'acknowledge';
  return kind === 'reminder' || firing.some(({ isChanged }) => isChanged) ? 'trigger' : undefined;
}

/**
 * The events of a message, one for each name of an alert: ten nodes that are down are one incident. Source: PagerDuty's schema
 * `reference/events-v2/openapiv3.json`.
 */
export function toPagerDutyEvents(message: Message, routingKey: string): readonly object[] {
  const { subnet, instance, thread } = message;
  return [...Map.groupBy(message.alerts, ({ alert }) => alert)].flatMap(([name, all]): readonly object[] => {
    const action = actionOf(message, name, all);
    if (action === undefined) return [];
    const event = { routing_key: routingKey, event_action: action, dedup_key: `${thread} ${name}` };
    const alerts = all.filter(({ status }) => status === 'firing');
    const [worst] = alerts;
    if (action !== 'trigger' || worst === undefined) return [event];
    const about = { ...message, alerts };
    const links = Object.entries(worst.links).map(([text, href]) => ({ href, text }));
    return [
      {
        ...event,
        client: `subnetd ${instance}`,
        payload: {
          summary: clip(writeTitle(about), MOST_OF_SUMMARY),
          source: subnet ?? instance,
          severity: worst.severity,
          timestamp: worst.startsAt,
          ...(worst.component !== undefined && { component: worst.component }),
          ...(subnet !== undefined && { group: subnet }),
          class: name,
          custom_details: { alerts: writeAlerts(about, PLAIN, MOST_OF_DETAILS) },
        },
        ...(links.length > 0 && { links }),
      },
    ];
  });
}

/** The requests for a message. Throws `UnusableFile`. */
export function toPagerDutyRequests(
  { keyFile, apiUrl }: ChannelTarget & { readonly kind: 'pagerduty' },
  setting: string,
  message: Message,
): readonly ChannelRequest[] {
  const key = readRoutingKey(`${setting}.keyFile`, keyFile);
  return toPagerDutyEvents(message, key).map((event) => ({
    url: new URL(`${apiUrl}/v2/enqueue`),
    headers: {},
    body: JSON.stringify(event),
  }));
}
