import { setTimeout as wait } from 'node:timers/promises';
import { parseJson } from '../lib/values.ts';
import { describePlanned } from '../model/planned-work.ts';
import type { FleetStatus } from '../web/fleet-route.ts';
import type { Status } from '../web/to-status.ts';
import { askDaemon, START_IT, toDaemonUrl } from './ask-daemon.ts';
import { describeFleet, isFleetWell } from './describe-fleet.ts';
import { type ExitCode, escapeText, printLine, refuse, toJson } from './report.ts';
import { clock, INDENT, lasting, paint, signOf } from './status-table.ts';
import { untilSignal } from './until-signal.ts';

/** The flags of `subnetd status`, as they are typed. */
export interface StatusFlags {
  readonly url?: string;
  readonly config?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const WITHIN_MS = 5_000;
const EVERY_MS = 2_000;

type Subnet = Status['subnets'][number];

function describeProblem(
  {
    severity,
    state,
    summary,
    since,
    evidence,
    fix,
    plannedUntil,
    plannedReason,
    acknowledged,
  }: Subnet['problems'][number],
  now: number,
): readonly string[] {
  const head = `${severity}: ${summary} (${state} since ${clock(since)}, ${lasting(since, now)})`;
  return [
    `${INDENT}${paint(severity === 'critical' ? ['bold', 'red'] : 'bold', escapeText(head))}`,
    ...(plannedUntil === undefined || plannedReason === undefined
      ? []
      : [
          `${INDENT}${INDENT}${escapeText(describePlanned({ until: Date.parse(plannedUntil), reason: plannedReason }))}`,
        ]),
    ...(acknowledged === undefined
      ? []
      : [`${INDENT}${INDENT}${escapeText(`acknowledged by ${acknowledged.by} at ${clock(acknowledged.at)}`)}`]),
    `${INDENT}${INDENT}${escapeText(evidence)}`,
    ...(fix === '' ? [] : [`${INDENT}${INDENT}to do: ${escapeText(fix)}`]),
  ];
}

/** A status as the page has it: the verdict on each subnet, and under it its problems, the worst first. */
export function describeStatus({ subnets }: Status, now: number): readonly string[] {
  if (subnets.length === 0) return ['the inventory has no subnets'];
  return subnets.flatMap(({ headline: { standing, sentence, detail, since }, problems }) => [
    `${signOf(standing)} ${paint('bold', escapeText(sentence))}`,
    `${INDENT}${since === undefined ? '' : `since ${clock(since)}, for ${lasting(since, now)}. `}${escapeText(detail)}`,
    ...problems.flatMap((problem) => ['', ...describeProblem(problem, now)]),
    '',
  ]);
}

/** What is watched there, and then the rest of the fleet. */
export const describeAll = ({ status, fleet }: Extract<Read, { ok: true }>, now: number): readonly string[] => [
  // In a fleet, an instance may watch nothing.
  ...(fleet !== undefined && status.subnets.length === 0 ? [] : describeStatus(status, now)),
  ...(fleet === undefined ? [] : describeFleet(fleet, now)),
];

type Read =
  | { readonly ok: true; readonly status: Status; readonly fleet?: FleetStatus | undefined }
  | { readonly ok: false; readonly error: string };

/** The fleet of a daemon; undefined for one that belongs to none, or is of a version without fleets. */
async function readFleet(url: URL): Promise<FleetStatus | undefined> {
  const answer = await askDaemon(url, '/fleet.json', WITHIN_MS);
  if (!answer.ok || answer.status !== 200) return undefined;
  const fleet = parseJson(answer.text) as Partial<FleetStatus> | null | undefined;
  return Array.isArray(fleet?.shards) && Array.isArray(fleet.subnets) ? (fleet as FleetStatus) : undefined;
}

/** The status of the daemon at an address, if wanted with its fleet. Never rejects. */
export async function readStatus(url: URL, withFleet: boolean): Promise<Read> {
  const answer = await askDaemon(url, '/status.json', WITHIN_MS);
  if (!answer.ok) return answer;
  const { path, text } = answer;
  try {
    const status = answer.status === 200 ? (JSON.parse(text) as Status) : undefined;
    if (status === undefined || !Array.isArray(status.subnets) || status.subnets.some((one) => !one.headline))
      return {
        ok: false,
        error: `${path} is not a status of this version of subnetd (HTTP ${answer.status}); check --url`,
      };
    return { ok: true, status, fleet: withFleet ? await readFleet(url) : undefined };
  } catch {
    return { ok: false, error: `${path} cannot be read (no JSON); ${START_IT}` };
  }
}

const isWell = ({ status, fleet }: Extract<Read, { ok: true }>): boolean =>
  status.subnets.every(({ headline: { standing } }) => standing === 'ok') &&
  (fleet === undefined || isFleetWell(fleet));

/** The status by probes of this command, without a daemon. */
async function probeStatus(config: string, json: boolean): Promise<ExitCode> {
  const [{ probeOnce }, { toStatus }] = await Promise.all([import('./probe-once.ts'), import('../web/to-status.ts')]);
  const probed = await probeOnce({ config }, ['parent']);
  if (probed === undefined) return 2;
  const result = { ok: true, status: toStatus(probed.snapshot, probed.toWall) } as const;
  printLine(json ? toJson(result.status, 2) : describeAll(result, Date.now()).join('\n'));
  return isWell(result) ? 0 : 1;
}

/**
 * `subnetd status`: what the status page says, in a terminal; with `--config`, what this command sees itself. Exit 1 when a subnet needs
 * attention, 2 when nothing can be known.
 */
export async function status({ url: given, config, watch = false, json = false }: StatusFlags): Promise<ExitCode> {
  if (config !== undefined && (given !== undefined || watch))
    return refuse('subnetd status', '--config asks no daemon, so it goes without --url and --watch');
  if (config !== undefined) return probeStatus(config, json);
  const daemon = await toDaemonUrl(given);
  if (!daemon.ok) return refuse('subnetd status', ...daemon.errors);
  const isLive = watch && !json && process.stdout.isTTY;
  const ending = new AbortController();
  if (isLive) void untilSignal().then(() => ending.abort());
  for (;;) {
    const result = await readStatus(daemon.url, !json);
    if (!result.ok && !isLive) return refuse('subnetd status', result.error);
    const lines = result.ok ? describeAll(result, Date.now()) : [paint('red', result.error)];
    if (json && result.ok) printLine(toJson(result.status, 2));
    else process.stdout.write(`${isLive ? '\u001b[2J\u001b[H' : ''}${lines.join('\n')}\n`);
    // Of the end of the wait by a signal, nothing is to be done but to end.
    if (isLive) await wait(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    if (!isLive || ending.signal.aborted) return result.ok ? (isWell(result) ? 0 : 1) : 2;
  }
}
