import { toIso } from '../../lib/duration.ts';
import { beginSentence, escapeHtml } from '../../lib/words.ts';
import type { Incident } from '../../model/incident.ts';
import { describeReturns, durationOf, lastFoundAt, titleOf } from './incident-words.ts';
import { incidentPath } from './paths.ts';

/** What a feed is made of. */
export interface FeedInput {
  readonly incidents: readonly Incident[];
  /** For people without an account: no reason, and no link to a page that they may not open. */
  readonly isPublic: boolean;
  /** The address of subnetd for people, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** When subnetd was started: without incidents, the feed is as old. */
  readonly startedAt: number;
}

/** Text for XML: escaped, and without the characters that XML does not allow. */
const escapeXml = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(/(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu, ''));

interface Entry {
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly text: string;
  readonly link: string | undefined;
}

function toEntries(incident: Incident, { isPublic, publicUrl, startedAt: now }: FeedInput): readonly Entry[] {
  const { id, subnet, name, severity, startedAt, endedAt, first } = incident;
  const subject = name === undefined ? subnet : `${subnet}, ${name}`;
  const what = isPublic ? `${subject}: an incident` : titleOf(incident);
  const link = isPublic || publicUrl === undefined ? undefined : `${publicUrl}${incidentPath(id)}`;
  const lasted = durationOf(incident, now);
  const told = `${lasted && `It lasted ${lasted}.`}${describeReturns(incident)}`.trimStart();
  const entry = (part: 'start' | 'end', at: number, title: string, text: string): Entry => ({
    id: `urn:subnetd:incident:${id}:${part}`,
    at,
    title,
    text,
    link,
  });
  return [
    entry(
      'start',
      startedAt,
      isPublic ? `${what} began` : `${subnet}: ${first.summary}`,
      isPublic ? `Its severity is ${severity}.` : `${beginSentence(first.evidence)}.`,
    ),
    ...(endedAt === undefined
      ? []
      : [
          entry(
            'end',
            lastFoundAt(incident) ?? endedAt,
            isPublic ? `${what} ended` : `Over: ${titleOf(incident)}`,
            told || 'It has not happened again since.',
          ),
        ]),
  ];
}

/** The incidents as an Atom feed, RFC 4287: an entry for the start of each, and one for its end. */
export function incidentFeed(input: FeedInput): string {
  const { incidents, publicUrl } = input;
  const entries = incidents.flatMap((one) => toEntries(one, input)).sort((one, other) => other.at - one.at);
  const link = (rel: string, href: string) => `<link rel="${rel}" href="${escapeXml(href)}"/>`;
  const parts = entries.map(
    ({ id, at, title, text, link: href }) =>
      `<entry><id>${escapeXml(id)}</id><title>${escapeXml(title)}</title><updated>${toIso(at)}</updated>${href === undefined ? '' : link('alternate', href)}<summary>${escapeXml(text)}</summary></entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${escapeXml(publicUrl === undefined ? 'urn:subnetd:incidents' : `${publicUrl}/feed.atom`)}</id><title>Incidents of subnetd</title><author><name>subnetd</name></author><updated>${toIso(entries[0]?.at ?? input.startedAt)}</updated>${publicUrl === undefined ? '' : link('self', `${publicUrl}/feed.atom`)}
${parts.join('\n')}
</feed>
`;
}
