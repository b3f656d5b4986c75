import { readBounded } from '../../../lib/bytes.ts';
import type { HttpSender } from '../../../lib/net/create-http-sender.ts';
import { isRecord, parseJson } from '../../../lib/values.ts';

/** Somebody has pressed the button of an incident. */
export interface Press {
  readonly incident: string;
  /** The name that the service gives. */
  readonly by: string;
}

/** What a reader needs. */
export interface ReaderDeps {
  readonly sender: HttpSender;
  /** Acknowledges; resolves to what the person is told. Never rejects. */
  readonly onPress: (press: Press) => Promise<string>;
}

/** Reads presses for a while. Throws `UnusableFile` in words, or an error of the network. */
export type ReadPresses = (signal: AbortSignal) => Promise<void>;

/** Telegram answers a long poll after this, or as soon as there is news. */
export const POLL_S = 50;
/** How long a service may take to answer. */
export const WITHIN_MS = (POLL_S + 15) * 1_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Posts JSON; resolves to the status, and to the JSON object of the answer, empty for what is none. */
export async function postJson(
  sender: HttpSender,
  url: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body: object },
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const answer = await sender.send({
    method: 'POST',
    url: new URL(url),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
  });
  const json = parseJson(String(await readBounded(answer, MAX_ANSWER_BYTES)));
  return { status: answer.statusCode ?? 0, json: isRecord(json) ? json : {} };
}
