import { isRecord, parseJson } from '../lib/values.ts';
import type { StopForecast } from '../model/stop-forecast.ts';
import { askDaemon, START_IT, toDaemonUrl } from './ask-daemon.ts';
import { type ExitCode, escapeText, printLine, refuse, report, toJson } from './report.ts';

/** The flags of `subnetd whatif stop`, as they are typed. */
export interface WhatIfFlags {
  readonly subnet?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const WITHIN_MS = 10_000;
const NAME = 'subnetd whatif';

function readForecasts(text: string): readonly StopForecast[] | undefined {
  const body = parseJson(text);
  return isRecord(body) && Array.isArray(body.subnets) ? (body.subnets as readonly StopForecast[]) : undefined;
}

/**
 * `subnetd whatif stop TARGETS`: what would happen if these were stopped now, by what the running daemon knows. Exit 0 when each subnet
 * still makes blocks, 1 when one does not, 2 when nobody knows.
 */
export async function whatIfStopped(
  targets: string,
  { subnet, url: given, json = false }: WhatIfFlags,
): Promise<ExitCode> {
  if (!/[^,]/.test(targets)) return refuse(NAME, 'name what is stopped, such as subnet2,subnet3');
  const daemon = await toDaemonUrl(given);
  if (!daemon.ok) return refuse(NAME, ...daemon.errors);
  const query = new URLSearchParams({ stop: targets, ...(subnet !== undefined && { subnet }) });
  const answer = await askDaemon(daemon.url, `/what-if?${query}`, WITHIN_MS);
  if (!answer.ok) return refuse(NAME, answer.error);
  const forecasts = answer.status === 200 ? readForecasts(answer.text) : undefined;
  if (forecasts === undefined) {
    const isWord = (answer.status === 400 || answer.status === 404) && /^\S.{0,2000}\n$/.test(answer.text);
    report([
      `${NAME}: ${isWord ? answer.text.trim() : `${daemon.url.origin} gave an unexpected answer (HTTP ${answer.status}); ${START_IT}`}`,
    ]);
    return 2;
  }
  if (json) printLine(toJson({ subnets: forecasts }, 2));
  else for (const { effects } of forecasts) for (const effect of effects) printLine(escapeText(effect));
  if (forecasts.some(({ makesBlocks }) => makesBlocks === false)) return 1;
  return forecasts.every(({ makesBlocks }) => makesBlocks === true) ? 0 : 2;
}
