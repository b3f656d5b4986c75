import { styleText } from 'node:util';
import type { FleetStatus } from '../http/fleet-route.ts';
import { formatDuration } from '../model/duration.ts';
import { escapeText } from './quote.ts';

const INDENT = '  ';
const COLOR = { ok: 'green', warn: 'yellow', bad: 'red', off: 'gray' } as const;
/** A shape beside the colour, as on the page. */
const SIGN = { ok: '✓', warn: '!', bad: '✗', off: '?' } as const;

const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout });

const second = (iso: string): string => `${iso.slice(11, 19)} UTC`;
const minute = (iso: string): string => `${iso.slice(11, 16)} UTC`;

type Subnet = FleetStatus['subnets'][number];

/** A subnet of another instance: its verdict and its worst problems; of one that is not seen, the last that was known. */
function describeSubnet(one: Subnet, now: number): readonly string[] {
  const { name, shard, instance, state, lastSeen, headline, problems = [] } = one;
  const who = instance === undefined ? `shard ${shard}` : `${instance} (shard ${shard})`;
  if (state !== 'seen' || headline === undefined) {
    const when = lastSeen === undefined ? '' : ` since ${second(lastSeen)}`;
    const known = headline === undefined ? '' : ` The last that was known: ${headline.sentence}.`;
    const title = state === 'missing' ? `nobody is known to watch ${name}` : `${name} is ${state}${when}`;
    return [
      `${paint('gray', SIGN.off)} ${paint('bold', escapeText(title))}`,
      `${INDENT}${escapeText(`${who}.${known}`)}`,
      '',
    ];
  }
  const { standing, sentence, detail, since } = headline;
  const begun =
    since === undefined ? '' : `since ${minute(since)}, for ${formatDuration(Math.max(0, now - Date.parse(since)))}. `;
  return [
    `${paint(COLOR[standing], SIGN[standing])} ${paint('bold', escapeText(sentence))}`,
    `${INDENT}${begun}${escapeText(detail)}`,
    `${INDENT}watched by ${escapeText(who)}`,
    '',
    ...problems.flatMap(({ severity, summary, fix, since: from }) => [
      `${INDENT}${paint('bold', escapeText(`${severity}: ${summary} (since ${minute(from)})`))}`,
      ...(fix === '' ? [] : [`${INDENT}${INDENT}to do: ${escapeText(fix)}`]),
      '',
    ]),
  ];
}

/** The shards that are not seen, and the subnets that other instances watch. */
export function describeFleet({ instance, shards, subnets }: FleetStatus, now: number): readonly string[] {
  const silent = shards.flatMap(({ shard, state, lastSeen, instances }) => {
    if (state === 'missing') return [`shard ${shard} has never been seen: start it with --shard ${shard}`];
    if (state !== 'unseen' || lastSeen === undefined) return [];
    const names = instances.map((one) => one.instance).join(' and ');
    return [
      `shard ${shard} (${names}) is unseen since ${second(lastSeen)}: start it again, or let it reach the database`,
    ];
  });
  return [
    ...silent.flatMap((line) => [`${paint('red', SIGN.bad)} ${paint('bold', escapeText(line))}`, '']),
    ...subnets.filter((one) => one.instance !== instance).flatMap((one) => describeSubnet(one, now)),
  ];
}

/** Whether every shard is seen, and every subnet of the fleet is well. */
export const isFleetWell = ({ shards, subnets }: FleetStatus): boolean =>
  shards.every(({ state }) => state === 'seen') &&
  subnets.every(({ state, headline }) => state === 'seen' && headline?.standing === 'ok');
