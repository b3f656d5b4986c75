import { readFileSync } from 'node:fs';
import { Agent, buildConnector, request } from 'undici';
import type { Alertmanagers } from '../model/alertmanager.ts';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import { trackConnects } from '../net/track-connects.ts';
import { IN_INVENTORY, sayError, sayStatus, UnusableFile, type Written } from './say-trouble.ts';
import { sayUrl, toBase, withoutPath } from './say-url.ts';

/** What one call came to; `again`: it may succeed when it is simply tried again. `why` begins with the address. */
export type Answer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly why: string; readonly again: boolean; readonly status?: number };

/** One Alertmanager's API, version 2. */
export interface Client {
  /** The address as it may be shown. */
  readonly address: string;
  /** Never rejects. The path is below `/api/v2`. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

/** As long as Prometheus waits. */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

type Login = Omit<Alertmanagers, 'urls'>;

function readFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableFile(`alertmanager.${setting}: ${path} cannot be read (${code}); correct the path or its mode`);
  }
}

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

/** Files of certificates are read at each new connection, so that they can be renewed. */
function toConnector({ tls = {} }: Login): buildConnector.connector {
  const { ca, cert, key, serverName } = tls;
  return buildConnector({
    timeout: TIMEOUT_MS,
    ...(ca !== undefined && { ca: readFile('tls.ca', ca) }),
    ...(cert !== undefined && { cert: readFile('tls.cert', cert) }),
    ...(key !== undefined && { key: readFile('tls.key', key) }),
    ...(serverName !== undefined && { servername: serverName }),
  });
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A client of the Alertmanager at `url`; `written` says where that and the rest can be corrected. */
export function createClient(
  url: string,
  login: Login,
  { timeoutMs = TIMEOUT_MS, written = IN_INVENTORY }: { readonly timeoutMs?: number; readonly written?: Written } = {},
): Client {
  const base = new URL(url);
  const address = sayUrl(url);
  const connects = trackConnects(() => toConnector(login));
  const agent = new Agent({ connect: connects.connect, connections: 2, allowH2: false });
  return {
    address,
    call: async (method, path, body) => {
      const failed = (why: string, again: boolean, status?: number): Answer => ({
        ok: false,
        why: `${address} ${why}`,
        again,
        ...(status !== undefined && { status }),
      });
      try {
        const authorization = toAuthorization(base, login);
        const answer = await request(`${toBase(url)}/api/v2${path}`, {
          method,
          dispatcher: agent,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            ...(authorization !== undefined && { authorization }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await readBody(answer.body);
        const { statusCode } = answer;
        if (statusCode >= 200 && statusCode < 300) return { ok: true, body: parseJson(text) };
        return failed(
          sayStatus(statusCode, withoutPath(text, url), written),
          statusCode >= 500 || statusCode === 429,
          statusCode,
        );
      } catch (error) {
        return failed(sayError(error, timeoutMs, written), !(error instanceof UnusableFile));
      }
    },
    close: async () => {
      connects.abort();
      await agent.destroy();
    },
  };
}
