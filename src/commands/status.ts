import { setTimeout as wait } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Status } from '../http/to-status.ts';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import { formatDuration } from '../model/duration.ts';
import { parseServerSettings, readEnvironment } from '../settings.ts';
import { escapeText } from './quote.ts';
import { type ExitCode, printLine, report } from './report.ts';
import { untilSignal } from './until-signal.ts';

/** The flags of `subnetd status`, as they are typed. */
export interface StatusFlags {
  readonly url?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const WITHIN_MS = 5_000;
const EVERY_MS = 2_000;
const INDENT = '  ';

type Subnet = Status['subnets'][number];

const COLOR = { ok: 'green', warn: 'yellow', bad: 'red', off: 'gray' } as const;
/** A shape beside the colour, as on the page. */
const SIGN = { ok: '✓', warn: '!', bad: '✗', off: '?' } as const;

const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout });

const clock = (iso: string): string => `${iso.slice(11, 16)} UTC`;

const lasting = (iso: string, now: number): string => formatDuration(Math.max(0, now - Date.parse(iso)));

function describeProblem(
  { severity, state, summary, since, evidence, fix }: Subnet['problems'][number],
  now: number,
): readonly string[] {
  const head = `${severity}: ${summary} (${state} since ${clock(since)}, ${lasting(since, now)})`;
  return [
    `${INDENT}${paint(severity === 'critical' ? ['bold', 'red'] : 'bold', escapeText(head))}`,
    `${INDENT}${INDENT}${escapeText(evidence)}`,
    ...(fix === '' ? [] : [`${INDENT}${INDENT}to do: ${escapeText(fix)}`]),
  ];
}

/** A status as the page has it: the verdict on each subnet, and under it its problems, the worst first. */
export function describeStatus({ subnets }: Status, now: number): readonly string[] {
  if (subnets.length === 0) return ['the inventory names no subnet'];
  return subnets.flatMap(({ headline: { standing, sentence, detail, since }, problems }) => [
    `${paint(COLOR[standing], SIGN[standing])} ${paint('bold', escapeText(sentence))}`,
    `${INDENT}${since === undefined ? '' : `since ${clock(since)}, for ${lasting(since, now)}. `}${escapeText(detail)}`,
    ...problems.flatMap((problem) => ['', ...describeProblem(problem, now)]),
    '',
  ]);
}

/** Where the daemon of this machine answers. */
function ownUrl(): string | undefined {
  const settings = parseServerSettings(readEnvironment(), {}, '0.0.0.0:10545');
  if (!settings.ok) return undefined;
  const { listen, webConfig } = settings;
  const host = ['0.0.0.0', '::'].includes(listen.host) ? '127.0.0.1' : listen.host;
  return `${webConfig === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

type Read = { readonly ok: true; readonly status: Status } | { readonly ok: false; readonly error: string };

async function read(url: URL): Promise<Read> {
  const { origin } = url;
  const user = readCredentials(url);
  const headers = user && { authorization: toBasicAuthorization(user.username, user.password) };
  const path = `${origin}${url.pathname.replace(/\/$/, '')}/status.json`;
  try {
    const answer = await fetch(path, { ...(headers && { headers }), signal: AbortSignal.timeout(WITHIN_MS) });
    if (answer.status === 401)
      return {
        ok: false,
        error: `${origin} wants a user name and password; give them in --url http://USER:PASSWORD@…`,
      };
    const status = answer.ok ? ((await answer.json()) as Status) : undefined;
    if (status === undefined || !Array.isArray(status.subnets) || status.subnets.some((one) => !one.headline))
      return {
        ok: false,
        error: `${path} is no status of this version of subnetd (HTTP ${answer.status}); check --url`,
      };
    return { ok: true, status };
  } catch (error) {
    const { cause, name } = error as { readonly cause?: NodeJS.ErrnoException; readonly name: string };
    const why =
      name === 'TimeoutError'
        ? `no answer within ${WITHIN_MS / 1_000}s`
        : name === 'SyntaxError'
          ? 'no JSON'
          : (cause?.code ?? cause?.message ?? name);
    return { ok: false, error: `${path} cannot be read (${why}); start subnetd, or give its address by --url` };
  }
}

/** `subnetd status`: what the status page says, in a terminal. Exit 1 when a subnet needs somebody. */
export async function status({ url: given, watch = false, json = false }: StatusFlags): Promise<ExitCode> {
  const url = URL.parse(given ?? ownUrl() ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) {
    report(['subnetd status: --url must be the address of subnetd, such as http://127.0.0.1:10545']);
    return 2;
  }
  const isLive = watch && !json && process.stdout.isTTY;
  let isOver = false;
  if (isLive)
    void untilSignal({}).then(() => {
      isOver = true;
    });
  for (;;) {
    const result = await read(url);
    if (!result.ok && !isLive) {
      report([`subnetd status: ${result.error}`]);
      return 2;
    }
    const lines = result.ok ? describeStatus(result.status, Date.now()) : [paint('red', result.error)];
    if (json && result.ok) printLine(JSON.stringify(result.status, null, 2));
    else process.stdout.write(`${isLive ? '\u001b[2J\u001b[H' : ''}${lines.join('\n')}\n`);
    const isWell = result.ok && result.status.subnets.every(({ headline: { standing } }) => standing === 'ok');
    if (!isLive || isOver) return isWell ? 0 : 1;
    await wait(EVERY_MS);
  }
}
