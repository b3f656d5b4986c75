import { SMTPServer } from 'smtp-server';

/** A mail as it came over the wire. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header by lower-case name, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
  /** The token of its link; undefined without one. */
  readonly token: string | undefined;
  readonly raw: string;
}

/** A real SMTP server in this process. */
export interface TestMailServer {
  readonly port: number;
  /** As the setting names it. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** How many clients have connected. */
  readonly connections: () => number;
  stop(): Promise<void>;
}

/** How the server differs from one that takes everything. */
export interface MailServerOptions {
  readonly port?: number;
  /** The reply to a recipient; undefined accepts it. */
  readonly refuse?: (address: string) => { readonly status: number; readonly text: string } | undefined;
  /** The login that it asks for. */
  readonly login?: { readonly user: string; readonly password: string };
  /** TLS from the start, with a certificate that nobody trusts. */
  readonly isTls?: boolean;
  /** How long it takes to greet a client. */
  readonly slowMs?: number;
}

const decode = (part: string, encoding: string): string => {
  if (encoding === 'base64') return Buffer.from(part, 'base64').toString();
  if (encoding !== 'quoted-printable') return part;
  const bytes = part
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

const readHeaders = (head: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );

const split = (text: string) => {
  const at = text.indexOf('\r\n\r\n');
  return { headers: readHeaders(text.slice(0, at)), body: text.slice(at + 4) };
};

function readMail(raw: string, from: string, to: readonly string[]): ReceivedMail {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n|\r\n$/g, '')));
  const find = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return part ? decode(part.body, part.headers['content-transfer-encoding'] ?? '').replaceAll('\r\n', '\n') : '';
  };
  const text = find('text/plain');
  return { from, to, headers, text, html: find('text/html'), token: /\?token=([\w-]+)/.exec(text)?.[1], raw };
}

/** Starts a server on 127.0.0.1. */
export async function startMailServer({
  port = 0,
  refuse,
  login,
  isTls = false,
  slowMs = 0,
}: MailServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    secure: isTls,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS', ...(login === undefined ? ['AUTH'] : [])],
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(Object.assign(new Error('wrong login'), { responseCode: 535 })),
    onConnect: (_session, done) => {
      connections += 1;
      if (slowMs === 0) done();
      else setTimeout(done, slowMs);
    },
    onRcptTo: ({ address }, _session, done) => {
      const refused = refuse?.(address);
      done(refused && Object.assign(new Error(refused.text), { responseCode: refused.status }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mails.push(
          readMail(
            Buffer.concat(chunks).toString(),
            from,
            rcptTo.map(({ address }) => address),
          ),
        );
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const bound = (server.server.address() as { port: number }).port;
  const user = login === undefined ? '' : `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`;
  return {
    port: bound,
    url: `${isTls ? 'smtps' : 'smtp'}://${user}127.0.0.1:${bound}`,
    mails,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
