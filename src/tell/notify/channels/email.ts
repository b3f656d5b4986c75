import type { MailSettings } from '../../../lib/mail/mail-settings.ts';
import { loadOnce } from '../../../lib/promises.ts';
import { escapeHtml } from '../../../lib/words.ts';
import type { Channel, ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import { type Deliver, formatChannel } from './delivery.ts';
import { HTML, PLAIN, writeAlerts, writeTitle } from './message-words.ts';
import { readSecret } from './secrets.ts';
import type { Message } from './to-message.ts';

type EmailTarget = ChannelTarget & { readonly kind: 'email' };

/** The mail server and sender of the environment. */
export type MailDefaults = Omit<MailSettings, 'publicUrl'>;

/** The longest text of a mail. It has room for more, but nobody would read that. */
const MOST = 50_000;

const SENDING_WITHIN_MS = 30_000;

/** A mail about a message. A mail program shows it below the first of its thread. */
export function toMail(message: Message, from: string) {
  const { id, thread, instance } = message;
  const subject = writeTitle(message);
  const footer = `Sent by subnetd ${instance}.`;
  const domain = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'subnetd.invalid';
  const idOf = (one: string) => `<${one}.subnetd@${domain}>`;
  const html = writeAlerts(message, HTML, MOST)
    .split('\n\n')
    .map((block) => `<p>${block.replaceAll('\n', '<br>\n')}</p>`);
  return {
    mail: {
      subject,
      text: `${subject}\n\n${writeAlerts(message, PLAIN, MOST)}\n\n${footer}\n`,
      html: [
        `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>`,
        `<h1 style="font-size:1.2em">${escapeHtml(subject)}</h1>`,
        ...html,
        `<p>${escapeHtml(footer)}</p>\n</body>\n</html>\n`,
      ].join('\n'),
    },
    place: { messageId: idOf(id), ...(thread !== id && { answers: idOf(thread) }) },
  };
}

/** What to correct after a failure, as the rest of a sentence. */
function describeMailFailure(code: string, status: number | undefined, setting: string): string {
  const numbers = ` (${[code, status].filter((one) => one !== undefined).join(', ')})`;
  if (code === 'EAUTH') return `is refused the login${numbers}; correct the user and password in ${setting}`;
  if (code === 'ETLS') return `gets no TLS connection${numbers}; correct ${setting}, or the certificate of the server`;
  if (code === 'EENVELOPE') return `is refused the sender or every recipient${numbers}; correct from and to`;
  if (code === 'ETIMEDOUT') return `gets no answer in time${numbers}; check the mail server in ${setting}`;
  return `cannot send its mail${numbers}; check the mail server in ${setting}`;
}

/** The server and sender of a channel. Throws `UnusableFile`. */
async function readServer(
  { smtpUrlFile, from }: EmailTarget,
  setting: string,
  defaults: MailDefaults | undefined,
): Promise<MailDefaults> {
  const { parseMailServer } = await import('../../../lib/mail/mail-settings.ts');
  const server =
    smtpUrlFile === undefined ? defaults?.server : parseMailServer(readSecret(`${setting}.smtpUrlFile`, smtpUrlFile));
  if (server === undefined)
    throw new UnusableFile(
      smtpUrlFile === undefined
        ? `${setting} has no mail server; set SUBNETD_SMTP_URL, or name one with smtpUrlFile`
        : `${setting}.smtpUrlFile: ${smtpUrlFile} must hold smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start`,
    );
  const sender = from ?? defaults?.from;
  if (sender === undefined) throw new UnusableFile(`${setting} has no sender; set from, or SUBNETD_MAIL_FROM`);
  return { server, from: sender };
}

/** Creates what sends the messages of a channel by e-mail. It loads nodemailer for the first one. */
export function createMailDeliver(
  channel: Channel,
  target: EmailTarget,
  setting: string,
  defaults: MailDefaults | undefined,
): Deliver {
  const label = formatChannel(channel);
  const transport = loadOnce(() => import('../../../lib/mail/create-mail-transport.ts'));
  const where = target.smtpUrlFile ?? 'SUBNETD_SMTP_URL';
  return async (message, signal) => {
    const { createMailTransport, toSendFailure } = await transport.get();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(giveUp, SENDING_WITHIN_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    // It may have come while the transport was loading.
    if (signal.aborted) giveUp();
    try {
      const settings = await Promise.race([readServer(target, setting, defaults), late]);
      const { mail, place } = toMail(message, settings.from);
      const sending = createMailTransport(settings).send(target.to, mail, place);
      sending.catch(() => {});
      const { refused } = await Promise.race([sending, late]);
      return refused.length === 0
        ? { ok: true }
        : { ok: true, warning: `${label} is refused ${refused.join(', ')}; correct the addresses in to` };
    } catch (error) {
      if (error instanceof UnusableFile) return { ok: false, why: `${label} cannot be used: ${error.message}` };
      const { code, status } = toSendFailure(error);
      return { ok: false, why: `${label} ${describeMailFailure(code, status, where)}` };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  };
}
