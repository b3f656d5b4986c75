import type { IncomingMessage, RequestOptions } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { parseServerSettings, readEnvironment } from '../daemon/settings.ts';
import { ownOrigin } from './ask-daemon.ts';
import { type ExitCode, escapeText, report } from './report.ts';

/** Less than the five seconds that the image and most orchestrators give a health check. */
const WITHIN_MS = 4_000;

/** A sentence of the daemon is shorter. */
const MAX_ANSWER_BYTES = 1_000;

/** What came back: an answer, or why there is none. */
type Answer =
  | { readonly status: number; readonly text: string }
  | { readonly code: string; readonly agreedOnTls: boolean };

/** Reads the start of an answer. */
async function readStart(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_ANSWER_BYTES) break;
  }
  return text.slice(0, MAX_ANSWER_BYTES).trim();
}

/** Asks for `/livez`; over TLS when there are options for it. */
function ask(address: RequestOptions, tls: object | undefined): Promise<Answer> {
  // A plain import of it would evaluate every export, fetch and WebSocket too.
  const { request } = process.getBuiltinModule(tls === undefined ? 'node:http' : 'node:https');
  let agreedOnTls = false;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ code: signal.aborted ? 'ETIMEDOUT' : (error.code ?? error.message), agreedOnTls });
    request({ ...address, ...tls, path: '/livez', agent: false, signal }, (response) => {
      readStart(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), fail);
    })
      .on('socket', (socket) =>
        (socket as TLSSocket).once('secureConnect', () => {
          agreedOnTls = true;
        }),
      )
      .on('error', fail)
      .end();
  });
}

/** One sentence, and whether it is good news. */
function describe(answer: Answer, origin: string, wantsClientCertificate: boolean): readonly [boolean, string] {
  const path = `${origin}/livez`;
  if ('status' in answer) {
    if (answer.status === 200 && answer.text === 'ok') return [true, `subnetd at ${origin} lives`];
    if (answer.status === 503) return [false, `${path} answers 503: ${escapeText(answer.text)}`];
    return [false, `${path} is served by another program; check SUBNETD_LISTEN`];
  }
  const { code, agreedOnTls } = answer;
  if (code === 'ETIMEDOUT')
    return [false, `${path} did not answer within ${WITHIN_MS / 1_000}s; restart subnetd if it stays so`];
  // A process that hangs completes no handshake.
  if (agreedOnTls && wantsClientCertificate)
    return [true, `subnetd at ${origin} lives, as far as its TLS shows: it wants a client certificate`];
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return [false, `${path} closed the connection; if subnetd serves TLS, set SUBNETD_WEB_CONFIG as for it`];
  const { host } = new URL(origin);
  return [false, `nothing listens at ${host} (${code}); start subnetd, or set SUBNETD_LISTEN as for it`];
}

/**
 * `subnetd health`: asks the daemon of this machine whether it lives. Docker reserves every exit code of a health check
 * but 0 and 1, so a bad setting ends with 1 too.
 */
export async function health(flags: { readonly listen?: string }): Promise<ExitCode> {
  const fail = (errors: readonly string[]): ExitCode => {
    report(errors.map((error) => `subnetd health: ${error}`));
    return 1;
  };
  const settings = parseServerSettings(readEnvironment(), flags);
  if (!settings.ok) return fail(settings.errors);
  const { listen, webConfig } = settings;
  if (listen.port === 0) return fail(['port 0 is a free one that the system chose; give it by --listen HOST:PORT']);
  const web = webConfig === undefined ? undefined : (await import('../web/web-config.ts')).readWebConfig(webConfig);
  if (web?.ok === false) return fail(web.errors);
  const server = web?.config.tls?.();
  const { host, origin } = ownOrigin(listen, server !== undefined);
  // It is this machine that is asked, by an address that its certificate need not name.
  const tls = server && { cert: server.cert, key: server.key, rejectUnauthorized: false };
  const answer = await ask({ host, port: listen.port }, tls);
  const [lives, sentence] = describe(answer, origin, server?.requestCert === true);
  if (!lives) return fail([sentence]);
  process.stdout.write(`${sentence}\n`);
  return 0;
}
