import { isLoopbackHost, readCredentials } from '../addresses.ts';

/** The mail server, and the sender of mails. */
export interface MailSettings {
  readonly server: MailServer;
  /** An address, or `NAME <ADDRESS>`. */
  readonly from: string;
  /** The address of this subnetd, with which the links in mails begin. */
  readonly publicUrl: string;
}

/** A mail server (SMTP). */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS. Else TLS is used if the server offers it. */
  readonly isTls: boolean;
  readonly login?: { readonly user: string; readonly password: string };
}

/** The usual ports: submission with STARTTLS, and with TLS. Source: RFC 8314. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const FROM = /^(?:[^<>"\p{C}]+ <[^\s<>@,\p{C}]+@[^\s<>@,\p{C}]+>|[^\s<>@,\p{C}]+@[^\s<>@,\p{C}]+)$/u;

/** The server of an address such as `smtps://user:password@mail.example.com`; undefined if it is none. */
export function parseMailServer(text: string): MailServer | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return undefined;
  if (url.hostname === '' || !/^\/?$/.test(url.pathname) || `${url.search}${url.hash}` !== '') return undefined;
  const credentials = readCredentials(url);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
    isTls: url.protocol === 'smtps:',
    ...(credentials && {
      login: { user: credentials.username.toString(), password: credentials.password.toString() },
    }),
  };
}

/** Must the connection be encrypted before the password is sent? Not on this machine. */
export const needsTls = ({ host, login }: MailServer): boolean => login !== undefined && !isLoopbackHost(host);

/**
 * Reads the settings of mails; undefined without a server. `read` returns the text of one; `errors` gets a sentence for
 * each bad one, without what it holds.
 */
export function parseMailSettings(
  read: (name: string) => string | undefined,
  publicUrl: string | undefined,
  errors: string[],
): MailSettings | undefined {
  const [smtpUrl, from] = [read('SUBNETD_SMTP_URL'), read('SUBNETD_MAIL_FROM')];
  if (smtpUrl === undefined) {
    if (from !== undefined) errors.push('SUBNETD_MAIL_FROM is set without SUBNETD_SMTP_URL; set both, or neither');
    return undefined;
  }
  const server = parseMailServer(smtpUrl);
  if (server === undefined)
    errors.push('SUBNETD_SMTP_URL must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start');
  const hasFrom = from !== undefined && FROM.test(from);
  if (!hasFrom) errors.push('SUBNETD_MAIL_FROM must be the sender of mails, as in subnetd <subnetd@example.com>');
  if (publicUrl === undefined)
    errors.push('SUBNETD_PUBLIC_URL must be set with SUBNETD_SMTP_URL; the links in mails begin with it');
  return server && hasFrom && publicUrl !== undefined ? { server, from, publicUrl } : undefined;
}
