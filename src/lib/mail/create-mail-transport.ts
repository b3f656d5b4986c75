import { createTransport } from 'nodemailer';
import { isLoopbackHost } from '../addresses.ts';
import { type MailSettings, needsTls } from './mail-settings.ts';

/** A mail as people read it. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Why the server did not take a mail: what may be shown of the error. Texts of the server may quote anything. */
export interface SendFailure {
  /** A code of nodemailer or of the system, such as EAUTH. */
  readonly code: string;
  /** The server's reply code. */
  readonly status?: number;
  /** Whether the server refuses this recipient for good. Other mails may go. */
  readonly isRefused: boolean;
}

/** The place of a mail in a thread of mails, by their ids (`Message-ID`). */
export interface MailPlace {
  readonly messageId: string;
  /** The first mail of the thread. */
  readonly answers?: string;
}

/** How long a server may be silent. */
const WITHIN_MS = 10_000;

/** Sends mails through one server. A transport, with a connection for each mail. */
export function createMailTransport({ server, from }: Omit<MailSettings, 'publicUrl'>) {
  const { host, port, isTls, login } = server;
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    requireTLS: needsTls(server),
    // Nobody sits between this machine and itself, and its mail server rarely has a certificate for `localhost`.
    tls: { rejectUnauthorized: !isLoopbackHost(host) },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: WITHIN_MS,
    greetingTimeout: WITHIN_MS,
    socketTimeout: WITHIN_MS,
    dnsTimeout: WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    /**
     * Resolves when the server has accepted the mail for one recipient at least, to those that it refused; rejects when it has
     * not, or is silent.
     */
    send: async (
      to: string | readonly string[],
      mail: MailText,
      place?: MailPlace,
    ): Promise<{ readonly refused: readonly string[] }> => {
      // No out-of-office reply answers a mail that a program has sent. Source: RFC 3834.
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const { messageId, answers } = place ?? {};
      const { rejected } = await transport.sendMail({
        from,
        to: [to].flat().map((address) => ({ name: '', address })),
        headers,
        ...mail,
        ...(messageId !== undefined && { messageId }),
        ...(answers !== undefined && { inReplyTo: answers, references: answers }),
      });
      return { refused: rejected };
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
