import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { isRecord } from '../lib/values.ts';
import type { RestartBody } from '../web/subnet-routes.ts';
import { askDaemon, START_IT, toDaemonUrl } from './ask-daemon.ts';
import { type ExitCode, escapeText, printLine, refuse, report } from './report.ts';

/** The flags of `subnetd safe-to-restart`, as they are typed. */
export interface SafeToRestartFlags {
  readonly subnet?: string;
  readonly url?: string;
  readonly wait?: string;
}

/** The daemon probes the nodes before it answers. */
const WITHIN_MS = 20_000;
const EVERY_MS = 2_000;

type Answer =
  | { readonly kind: 'yes' | 'no' | 'unknown'; readonly reason: string }
  /** Waiting changes nothing. */
  | { readonly kind: 'refused'; readonly reason: string };

const EXIT_CODE: Readonly<Record<Answer['kind'], ExitCode>> = { yes: 0, no: 1, unknown: 2, refused: 2 };

const isBody = (value: unknown): value is RestartBody =>
  isRecord(value) && typeof value.safe === 'boolean' && typeof value.reason === 'string';

async function ask(url: URL, node: string, subnet: string | undefined): Promise<Answer> {
  const query = new URLSearchParams({ ...(subnet !== undefined && { subnet }), node });
  const answer = await askDaemon(url, `/safe-to-restart?${query}`, WITHIN_MS);
  if (!answer.ok) return { kind: answer.isRefused ? 'refused' : 'unknown', reason: answer.error };
  const { status, text } = answer;
  const other = `${url.origin} gave an unexpected answer (HTTP ${status}); ${START_IT}`;
  if (status === 400 || status === 404)
    return { kind: 'refused', reason: /^\S.{0,500}\n$/.test(text) ? text.trim() : other };
  try {
    const body: unknown = JSON.parse(text);
    if (isBody(body) && status === (body.safe ? 200 : 409))
      return { kind: body.safe ? 'yes' : body.known ? 'no' : 'unknown', reason: body.reason };
  } catch {
    // Another program answers, or an older subnetd.
  }
  return { kind: 'unknown', reason: other };
}

/** The reason without its durations, which change all the time. */
const toPattern = (reason: string): string => reason.replaceAll(/(?:\b\d+(?:ms|s|m|h)\b ?)+/g, '');

/**
 * `subnetd safe-to-restart NODE`: whether a node may be restarted now, by the running daemon. Exit 0 yes, 1 no, 2 when nobody
 * knows. With `--wait`, it asks until the answer is yes or the time is over, and says on stderr what it waits for.
 */
export async function safeToRestart(
  node: string,
  { subnet, url: given, wait: patience }: SafeToRestartFlags,
  everyMs = EVERY_MS,
): Promise<ExitCode> {
  const daemon = await toDaemonUrl(given);
  const waitMs = patience === undefined ? 0 : parseDuration(patience);
  if (!daemon.ok || waitMs === undefined) {
    const errors = daemon.ok ? ['--wait must be a duration, such as 10m'] : daemon.errors;
    return refuse('subnetd safe-to-restart', ...errors);
  }
  const end = performance.now() + waitMs;
  let reported: string | undefined;
  for (;;) {
    const { kind, reason } = await ask(daemon.url, node, subnet);
    const text = escapeText(reason);
    if (kind === 'yes') {
      printLine(`${node} may be restarted now: ${text}`);
      return 0;
    }
    if (kind === 'refused' || performance.now() + everyMs > end) {
      const after = waitMs > 0 && kind !== 'refused' ? ` after ${formatDuration(waitMs)} of waiting` : '';
      if (kind === 'no') printLine(`${node} may not be restarted now${after}: ${text}`);
      else
        report([`subnetd safe-to-restart: it cannot be determined whether ${node} may be restarted${after}: ${text}`]);
      return EXIT_CODE[kind];
    }
    if (toPattern(text) !== reported) report([`waiting to restart ${node}: ${text}`]);
    reported = toPattern(text);
    await wait(everyMs);
  }
}
