import { createTransport } from 'nodemailer';

/** Sends mails through one server. */
export interface MailTransport {
  /** Resolves when the server has accepted the mail; rejects when it has not, or is silent. */
  send(mail: {
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly html: string;
  }): Promise<void>;
  close(): void;
}

/** How long a server may be silent. */
const WITHIN_MS = 10_000;

/** A transport to the server of an address such as `smtps://user:password@mail.example.com`. */
export function createMailTransport(url: string, from: string): MailTransport {
  const timeouts = { connectionTimeout: WITHIN_MS, greetingTimeout: WITHIN_MS, socketTimeout: WITHIN_MS };
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return {
    send: async (mail) => void (await transport.sendMail({ from, ...mail })),
    close: () => transport.close(),
  };
}
