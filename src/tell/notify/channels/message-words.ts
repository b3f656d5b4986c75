import { formatMinute, formatSecond } from '../../../lib/duration.ts';
import { beginSentence, escapeHtml, formatCount } from '../../../lib/words.ts';
import { SEVERITIES } from '../../../model/severity.ts';
import type { Message, MessageAlert } from './to-message.ts';

/** How a service marks up text. Every function gets plain text and returns what may be sent. */
export interface Markup {
  readonly plain: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly code: (text: string) => string;
  readonly link: (text: string, url: string) => string;
}

/** Texts are cut here, so that one alert cannot fill a message. */
const MOST_OF_A_TEXT = 500;
/** Texts of the first alert are cut here, where markup makes it too long for the message all the same. */
const LESS_OF_A_TEXT = 100;

/** The text in one line, cut to a length, without half a character at its end. */
export function clip(text: string, most: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const worstOf = (alerts: readonly MessageAlert[]): string =>
  SEVERITIES.find((severity) => alerts.some((one) => one.severity === severity)) ?? 'info';

/** What the message is about: a subnet, or this subnetd. */
const groupOf = ({ subnet, instance }: Message): string => subnet ?? `subnetd ${instance}`;

/** The message in one line, as `CRITICAL devnet: subnet2 is down`. */
export function writeTitle(message: Message): string {
  const { alerts } = message;
  const begun = alerts.filter(({ isNew, status }) => isNew && status === 'firing');
  const ended = alerts.filter(({ status }) => status === 'resolved');
  const ongoing = alerts.length - begun.length - ended.length;
  const firing = alerts.filter(({ status }) => status === 'firing');
  const title = (word: string, text: string) => clip(`${word} ${groupOf(message)}: ${text}`, 250);
  const about = (list: readonly MessageAlert[], more: string) =>
    list.length === 1 && list[0] ? list[0].summary : `${list.length} ${more}`;
  if (message.kind === 'drill')
    return title('DRILL', message.status === 'firing' ? 'a test alert' : 'the test alert has ended');
  if (message.kind === 'acknowledgement') {
    const taken = firing.filter(({ acknowledgedBy }) => acknowledgedBy !== undefined);
    return title('ACKNOWLEDGED', `${about(taken, 'alerts')}, by ${taken[0]?.acknowledgedBy ?? ''}`);
  }
  if (begun.length > 0) return title(worstOf(begun).toUpperCase(), about(begun, 'alerts'));
  if (ended.length > 0 && ongoing === 0) return title('RESOLVED', about(ended, 'alerts'));
  if (ended.length > 0)
    return title('RESOLVED', `${about(ended, 'alerts')}, ${formatCount(ongoing, 'still fires', 'still fire')}`);
  const changed = alerts.filter(({ isChanged }) => isChanged);
  if (changed.length > 0 && message.kind === 'change')
    return title(worstOf(changed).toUpperCase(), `now ${about(changed, 'alerts have another cause or are back')}`);
  return title(worstOf(firing).toUpperCase(), `still ${about(firing, 'alerts')}`);
}

function writeAlert(one: MessageAlert, markup: Markup, mostOfText = MOST_OF_A_TEXT): string {
  const { plain, bold, code, link } = markup;
  const { status, isNew, isChanged, isClearing, severity, links } = one;
  const text = (value: string) => plain(clip(value, mostOfText));
  const word =
    status === 'resolved'
      ? 'resolved'
      : isClearing
        ? 'clearing'
        : isNew
          ? severity
          : `${isChanged ? 'now' : 'still'} ${severity}`;
  const head = `${bold(`${word}: ${clip(one.summary, mostOfText)}`)}`;
  const when =
    status === 'resolved' && one.endsAt !== undefined
      ? `From ${formatMinute(Date.parse(one.startsAt))} to ${formatMinute(Date.parse(one.endsAt))}.`
      : `Since ${formatMinute(Date.parse(one.startsAt))}${one.seenAt && !isClearing ? `, seen at ${formatSecond(Date.parse(one.seenAt))}` : ''}.`;
  const shown = Object.entries(links).map(([label, url]) => link(label, url));
  // An alert that has ended needs no fix.
  const lines =
    status === 'resolved'
      ? [head, plain(when)]
      : [
          head,
          text(`${beginSentence(one.evidence).replace(/\.$/, '')}. ${when}`),
          ...(one.acknowledgedBy === undefined ? [] : [text(`Acknowledged by ${one.acknowledgedBy}.`)]),
          ...(one.fix === undefined ? [] : [`${plain('To do: ')}${code(clip(one.fix, mostOfText))}`]),
        ];
  return [...lines, ...(shown.length === 0 ? [] : [shown.join(plain(' · '))])].join('\n');
}

/**
 * The alerts of a message as marked-up text of at most `most` characters (UTF-16 code units): as many as fit, then how many
 * more there are.
 */
export function writeAlerts({ alerts }: Pick<Message, 'alerts'>, markup: Markup, most: number): string {
  const blocks: string[] = [];
  let size = 0;
  const rest = (left: number) => markup.plain(`… and ${formatCount(left, 'more alert', 'more alerts')}.`);
  for (const [index, one] of alerts.entries()) {
    const left = alerts.length - index;
    const isLast = left === 1;
    const fits = (block: string) => size + block.length + (isLast ? 0 : 2 + rest(left).length) <= most;
    const whole = writeAlert(one, markup);
    const block = fits(whole) || index > 0 ? whole : writeAlert(one, markup, LESS_OF_A_TEXT);
    if (!fits(block)) {
      blocks.push(rest(left));
      return blocks.join('\n\n');
    }
    blocks.push(block);
    size += block.length + 2;
  }
  return blocks.join('\n\n');
}

/** A button that acknowledges an incident. */
export interface Button {
  readonly incident: string;
  readonly text: string;
}

/** More buttons hide the message. */
const MOST_BUTTONS = 5;
const MOST_OF_A_BUTTON = 60;

/** One button for each incident that nobody is on. */
export function listButtons({ alerts }: Message): readonly Button[] {
  const open = new Map(alerts.flatMap(({ incident, summary }) => (incident ? [[incident, summary]] : [])));
  return [...open].slice(0, MOST_BUTTONS).map(([incident, summary]) => ({
    incident,
    text: open.size === 1 ? 'Acknowledge' : clip(`Acknowledge: ${summary}`, MOST_OF_A_BUTTON),
  }));
}

/** Text without markup. */
export const PLAIN: Markup = {
  plain: (text) => text,
  bold: (text) => text,
  code: (text) => text,
  link: (text, url) => `${text}: ${url}`,
};

/** The HTML that Telegram takes, and mails too. */
export const HTML: Markup = {
  plain: escapeHtml,
  bold: (text) => `<b>${escapeHtml(text)}</b>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
};
