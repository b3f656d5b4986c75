import { readCredentials, toBasicAuthorization } from '../../../lib/addresses.ts';
import { readBounded } from '../../../lib/bytes.ts';
import { createHttpSender } from '../../../lib/net/create-http-sender.ts';
import { describeError, type SettingNames } from '../describe-failure.ts';
import type { Delivery } from './delivery.ts';

/** One request of a channel. */
export interface ChannelRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, unless the headers say otherwise. */
  readonly body?: string;
}

/** How a channel's receiver is described, and what its refusals mean. */
export interface ReceiverWords {
  /** The channel as people read it. */
  readonly channel: string;
  /** The setting with the address or token. */
  readonly setting: string;
  /** What a text in the answer means, by the text; nothing else of the answer is ever shown. */
  readonly refusals?: Readonly<Record<string, string>> | undefined;
}

/** Sends requests of channels. */
export interface Poster {
  post(request: ChannelRequest, words: ReceiverWords, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** A receiver that asks for more is tried again after this. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** The receiver's wish in seconds: of its header, else of its JSON (Telegram, Discord). */
function readRetryAfter(header: unknown, text: string): number | undefined {
  const inBody = /"retry_after"\s*:\s*(\d+(?:\.\d+)?)/.exec(text)?.[1];
  const words = typeof header === 'string' ? header : inBody;
  if (words === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(words) ? Number(words) * 1_000 : Date.parse(words) - Date.now();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** What the answer means, as the rest of a sentence. */
function describeRefusal(status: number, text: string, { setting, refusals = {} }: ReceiverWords): string {
  const known = Object.entries(refusals).find(([words]) => text.includes(words))?.[1];
  if (known !== undefined) return `${known} (status ${status})`;
  if (status === 401 || status === 403) return `refuses the credentials; correct ${setting} (status ${status})`;
  if (status === 404 || status === 410) return `does not know this address; correct ${setting} (status ${status})`;
  if (status === 429) return 'is sent too much; subnetd waits as long as it asks (status 429)';
  if (status >= 300 && status < 400)
    return `redirects elsewhere; write its final address into ${setting} (status ${status})`;
  return `answers with status ${status}; look at its log or its status page`;
}

/** Creates a poster. */
export function createPoster({ timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {}): Poster {
  const sender = createHttpSender();
  return {
    post: async ({ method = 'POST', url, headers, body }, words, stopped) => {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
      const settings: SettingNames = { address: words.setting, login: words.setting, tls: words.setting };
      const failed = (why: string) => ({ ok: false, why: `${words.channel} ${why}` }) as const;
      try {
        const login = readCredentials(url);
        const answer = await sender.send({
          method,
          url,
          signal,
          headers: {
            'user-agent': 'subnetd',
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(login && { authorization: toBasicAuthorization(login.username, login.password) }),
            ...headers,
          },
          body,
        });
        const { statusCode: status = 0 } = answer;
        if (status >= 200 && status < 300) {
          // It has the message. Whatever becomes of the rest of the answer, the message must not be sent again.
          readBounded(answer, MAX_ANSWER_BYTES).catch(() => {});
          return { ok: true };
        }
        const text = (await readBounded(answer, MAX_ANSWER_BYTES))?.toString('utf8') ?? '';
        return {
          ...failed(describeRefusal(status, text, words)),
          isOfMessage: status === 400 || status === 413 || status === 422,
          retryAfterMs:
            status === 429 || status === 503 ? readRetryAfter(answer.headers['retry-after'], text) : undefined,
        };
      } catch (error) {
        return failed(describeError(signal.aborted ? signal.reason : error, timeoutMs, settings));
      }
    },
    close: sender.close,
  };
}
