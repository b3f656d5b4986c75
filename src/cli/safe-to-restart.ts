import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { isRecord, parseJson } from '../lib/values.ts';
import { type RestartBody, toRestartBody } from '../model/restart-answer.ts';
import { askDaemon, START_IT, toDaemonUrl } from './ask-daemon.ts';
import { type Answer, awaitMoment } from './await-moment.ts';
import { type ExitCode, escapeText, printLine, refuse, report, toJson } from './report.ts';

/** The flags of `subnetd safe-to-restart`, as they are typed. */
export interface SafeToRestartFlags {
  readonly subnet?: string;
  readonly url?: string;
  readonly config?: string;
  readonly wait?: string;
  readonly json?: boolean;
}

/** The daemon probes the nodes before it answers. */
const WITHIN_MS = 20_000;
const EVERY_MS = 2_000;

/** What a command ends with after each answer. */
export const EXIT_CODE: Readonly<Record<Answer['kind'], ExitCode>> = { yes: 0, no: 1, unknown: 2, refused: 2 };

const isBody = (value: unknown): value is RestartBody =>
  isRecord(value) && typeof value.safe === 'boolean' && typeof value.reason === 'string';

const toAnswer = (body: RestartBody): Answer => ({
  kind: body.safe ? 'yes' : body.known ? 'no' : 'unknown',
  reason: body.reason,
  body,
});

/** Probes the nodes itself, without a daemon; undefined with a bad configuration, whose errors are reported. */
async function probe(config: string, node: string, subnet: string | undefined): Promise<Answer | undefined> {
  const { probeOnce } = await import('./probe-once.ts');
  const restart = (await probeOnce({ config }, [], { subnet, node }))?.restart;
  if (restart === undefined) return undefined;
  return restart.kind === 'answer' ? toAnswer(toRestartBody(restart)) : { kind: 'refused', reason: restart.error };
}

/** Asks the daemon at an address once. Never rejects. */
export async function askToRestart(url: URL, node: string, subnet: string | undefined): Promise<Answer> {
  const query = new URLSearchParams({ ...(subnet !== undefined && { subnet }), node });
  const answer = await askDaemon(url, `/safe-to-restart?${query}`, WITHIN_MS);
  if (!answer.ok) return { kind: answer.isRefused ? 'refused' : 'unknown', reason: answer.error };
  const { status, text } = answer;
  const other = `${url.origin} gave an unexpected answer (HTTP ${status}); ${START_IT}`;
  if (status === 400 || status === 404)
    return { kind: 'refused', reason: /^\S.{0,500}\n$/.test(text) ? text.trim() : other };
  const body = parseJson(text);
  if (isBody(body) && status === (body.safe ? 200 : 409)) return toAnswer(body);
  // Another program answers, or an older subnetd.
  return { kind: 'unknown', reason: other };
}

/** Prints an answer, also why there is none. */
function print(node: string, { kind, reason, body }: Answer, after: string, json: boolean): ExitCode {
  const text = escapeText(reason);
  if (json && body !== undefined) printLine(toJson(body, 2));
  else if (kind === 'yes') printLine(`${node} may be restarted now: ${text}`);
  else if (kind === 'no') printLine(`${node} may not be restarted now${after}: ${text}`);
  else report([`subnetd safe-to-restart: it cannot be determined whether ${node} may be restarted${after}: ${text}`]);
  return EXIT_CODE[kind];
}

/**
 * `subnetd safe-to-restart NODE`: whether a node may be restarted now, by the running daemon, or with `--config` by probes of this
 * command. Exit 0 yes, 1 no, 2 when nobody knows. With `--wait`, it asks until the answer is yes, and the turn of the node has just passed,
 * or the time is over, and says on stderr what it waits for.
 */
export async function safeToRestart(
  node: string,
  { subnet, url: given, config, wait: patience, json = false }: SafeToRestartFlags,
  everyMs = EVERY_MS,
): Promise<ExitCode> {
  if (config !== undefined && (given !== undefined || patience !== undefined))
    return refuse('subnetd safe-to-restart', '--config asks no daemon, so it goes without --url and --wait');
  if (config !== undefined) {
    const answer = await probe(config, node, subnet);
    return answer === undefined ? 2 : print(node, answer, '', json);
  }
  const daemon = await toDaemonUrl(given);
  const waitMs = patience === undefined ? 0 : parseDuration(patience);
  if (!daemon.ok || waitMs === undefined) {
    const errors = daemon.ok ? ['--wait must be a duration, such as 10m'] : daemon.errors;
    return refuse('subnetd safe-to-restart', ...errors);
  }
  const ask = () => askToRestart(daemon.url, node, subnet);
  const answer = await (waitMs === 0
    ? ask()
    : awaitMoment(node, performance.now() + waitMs, {
        ...{ ask, sleep: wait, now: () => performance.now(), everyMs },
        tell: (_, text) => report([`waiting to restart ${node}: ${text}`]),
      }));
  const isOver = waitMs > 0 && answer.kind !== 'yes' && answer.kind !== 'refused';
  return print(node, answer, isOver ? ` after ${formatDuration(waitMs)} of waiting` : '', json);
}
