import { readCredentials, toBasicAuthorization } from '../../lib/addresses.ts';
import { readBounded } from '../../lib/bytes.ts';
import { createHttpSender, type SentRequest } from '../../lib/net/create-http-sender.ts';
import { parseJson } from '../../lib/values.ts';
import type { Alertmanagers } from '../../model/channel.ts';
import {
  describeError,
  describeStatus,
  IN_INVENTORY,
  readSettingFile,
  type SettingNames,
  UnusableFile,
} from './describe-failure.ts';

/** The outcome of one call; `why` starts with the address. `retryable`: a retry may succeed. */
export type Answer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly why: string; readonly retryable: boolean; readonly status?: number };

/** One Alertmanager's API, version 2. */
export type Client = ReturnType<typeof createClient>;

/** As long as Prometheus waits. */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The base URL for requests: without user info, query and fragment. Its path may hold a token. */
function toBase(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** The URL as it may be shown; `/…` stands for any path. */
export function redactUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${/^\/*$/.test(pathname) ? '' : '/…'}`;
}

/** A shorter part of a path is not a secret, and occurs in many words. */
const SHORTEST_SECRET = 4;

/** The other side's text without the path of its URL, which it may repeat. */
function withoutPath(text: string, url: string): string {
  const { pathname } = new URL(url);
  const parts = [pathname.replace(/\/+$/, ''), ...pathname.split('/')].filter((part) => part.length >= SHORTEST_SECRET);
  const decoded = parts.map((part) =>
    part.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  return [...parts, ...decoded].reduce((rest, part) => rest.replaceAll(part, '…'), text);
}

type Login = Omit<Alertmanagers, 'urls'>;

const readFile = (setting: string, path: string): string => readSettingFile(`alertmanager.${setting}`, path);

function toAuthorization(url: URL, { basicAuth, bearerTokenFile }: Login): string | undefined {
  const credentials = readCredentials(url);
  if (credentials !== undefined) return toBasicAuthorization(credentials.username, credentials.password);
  if (basicAuth !== undefined)
    return toBasicAuthorization(
      basicAuth.username,
      readFile('basicAuth.passwordFile', basicAuth.passwordFile).replace(/\r?\n$/, ''),
    );
  return bearerTokenFile === undefined ? undefined : `Bearer ${readFile('bearerTokenFile', bearerTokenFile).trim()}`;
}

/** Certificate files are read for each request, so that they can be renewed. */
function toTls({ tls = {} }: Login): SentRequest['tls'] {
  const { ca, cert, key, serverName } = tls;
  return {
    ...(ca !== undefined && { ca: readFile('tls.ca', ca) }),
    ...(cert !== undefined && { cert: readFile('tls.cert', cert) }),
    ...(key !== undefined && { key: readFile('tls.key', key) }),
    ...(serverName !== undefined && { servername: serverName }),
  };
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const bytes = await readBounded(stream, MAX_ANSWER_BYTES);
  if (bytes === undefined) throw new Error('the answer is too large');
  return bytes.toString('utf8');
}

/** Creates a client of the Alertmanager at `url`; `settings` names what to correct when a call fails. */
export function createClient(
  url: string,
  login: Login,
  {
    timeoutMs = TIMEOUT_MS,
    settings = IN_INVENTORY,
  }: { readonly timeoutMs?: number; readonly settings?: SettingNames } = {},
) {
  const base = new URL(url);
  const address = redactUrl(url);
  const sender = createHttpSender();
  return {
    /** The URL as it may be shown. */
    address,
    /** Never rejects. The path is below `/api/v2`. */
    call: async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> => {
      const failed = (why: string, retryable: boolean, status?: number): Answer => ({
        ok: false,
        why: `${address} ${why}`,
        retryable,
        ...(status !== undefined && { status }),
      });
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const authorization = toAuthorization(base, login);
        const answer = await sender.send({
          method,
          url: new URL(`${toBase(url)}/api/v2${path}`),
          signal,
          tls: toTls(login),
          headers: {
            ...(authorization !== undefined && { authorization }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await readBody(answer);
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) return { ok: true, body: parseJson(text) };
        return failed(
          describeStatus(statusCode, withoutPath(text, url), settings),
          statusCode >= 500 || statusCode === 429,
          statusCode,
        );
      } catch (error) {
        return failed(
          describeError(signal.aborted ? signal.reason : error, timeoutMs, settings),
          !(error instanceof UnusableFile),
        );
      }
    },
    close: sender.close,
  };
}
