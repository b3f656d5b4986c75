import type { FleetStatus } from '../web/fleet-route.ts';
import { escapeText } from './report.ts';
import { clock, INDENT, lasting, paint, signOf } from './status-table.ts';

type Subnet = FleetStatus['subnets'][number];

/** A subnet of another instance: its verdict and its worst problems; of one that is not seen, the last that was known. */
function describeSubnet(one: Subnet, now: number): readonly string[] {
  const { name, shard, instance, state, lastSeen, headline, problems = [] } = one;
  const who = instance === undefined ? `shard ${shard}` : `${instance} (shard ${shard})`;
  if (state !== 'seen' || headline === undefined) {
    const when = lastSeen === undefined ? '' : ` since ${clock(lastSeen)}, for ${lasting(lastSeen, now)}`;
    const known = headline === undefined ? '' : ` Last known state: ${headline.sentence}.`;
    const [title, why = ''] = {
      unseen: [`${name} has not been seen${when}`],
      missing: [`no known instance watches ${name}`],
      unknown: [
        `the state of ${name} is not known yet`,
        'The daemon that answered has just started, or cannot reach the database. ',
      ],
      seen: [`${name} has not been checked yet`],
    }[state];
    return [
      `${signOf('off')} ${paint('bold', escapeText(title ?? name))}`,
      `${INDENT}${escapeText(`${why}${who}.${known}`)}`,
      '',
    ];
  }
  const { standing, sentence, detail, since } = headline;
  const begun = since === undefined ? '' : `since ${clock(since)}, for ${lasting(since, now)}. `;
  return [
    `${signOf(standing)} ${paint('bold', escapeText(sentence))}`,
    `${INDENT}${begun}${escapeText(detail)}`,
    `${INDENT}watched by ${escapeText(who)}`,
    '',
    ...problems.flatMap(({ severity, summary, fix, since: from }) => [
      `${INDENT}${paint('bold', escapeText(`${severity}: ${summary} (since ${clock(from)}, ${lasting(from, now)})`))}`,
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
      `shard ${shard} (${names}) has not been seen since ${clock(lastSeen)}, for ${lasting(lastSeen, now)}: restart it, or restore its connection to the database`,
    ];
  });
  return [
    ...silent.flatMap((line) => [`${signOf('bad')} ${paint('bold', escapeText(line))}`, '']),
    ...subnets.filter((one) => one.instance !== instance).flatMap((one) => describeSubnet(one, now)),
  ];
}

/** Whether every shard is seen, and every subnet of the fleet is well. */
export const isFleetWell = ({ shards, subnets }: FleetStatus): boolean =>
  shards.every(({ state }) => state === 'seen') &&
  subnets.every(({ state, headline }) => state === 'seen' && headline?.standing === 'ok');
