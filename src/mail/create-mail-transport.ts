import { createTransport } from 'nodemailer';
import { isLoopbackHost } from '../model/is-loopback-host.ts';
import type { SendFailure } from '../model/mail.ts';
import { type MailSettings, needsTls } from './mail-settings.ts';
import type { MailText } from './mail-text.ts';

/** Sends mails through one server. */
export interface MailTransport {
  /** Resolves when the server has accepted the mail; rejects when it has not, or is silent. */
  send(to: string, mail: MailText): Promise<void>;
}

/** How long a server may be silent. */
const WITHIN_MS = 10_000;

/** A transport, with a connection for each mail. */
export function createMailTransport({ server, from }: Omit<MailSettings, 'publicUrl'>): MailTransport {
  const { host, port, isTls, login } = server;
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    requireTLS: needsTls(server),
    // Nobody sits between this machine and itself, and its mail server rarely has a certificate for `localhost`.
    tls: { rejectUnauthorized: !isLoopbackHost(host) },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    ...{ connectionTimeout: WITHIN_MS, greetingTimeout: WITHIN_MS, socketTimeout: WITHIN_MS, dnsTimeout: WITHIN_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    send: async (address, mail) => {
      // No out-of-office reply answers a mail that a program has sent. Source: RFC 3834.
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ from, to: { name: '', address }, headers, ...mail });
    },
  };
}

/** The failure in an error of the transport. */
export function toSendFailure(error: unknown): SendFailure {
  const { code, responseCode } = (error ?? {}) as { readonly code?: unknown; readonly responseCode?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  return {
    code: typeof code === 'string' ? code : 'unknown',
    ...(status !== undefined && { status }),
    isRefused: code === 'EENVELOPE' && status !== undefined && status >= 500,
  };
}
