import type { SendFailure } from '../../../lib/mail/create-mail-transport.ts';
import { limitMails } from '../accounts/confirm-password.ts';
import { callerOf } from '../actor.ts';
import { DONE, defineCall } from '../call.ts';
import { fail, succeed } from '../outcome.ts';

/** What the operator checks after a failure, by its code. */
function describe({ code, status }: SendFailure): string {
  const what = status === undefined ? code : `${code}, reply ${status}`;
  if (code === 'EAUTH')
    return `the mail server refused the user name or password (${what}); correct those in SUBNETD_SMTP_URL`;
  if (code === 'EENVELOPE')
    return `the mail server refused the sender or your address (${what}); check SUBNETD_MAIL_FROM, and your EmailID`;
  if (code === 'ETLS') return `the mail server has no valid TLS (${what}); check SUBNETD_SMTP_URL and its certificate`;
  return `the mail server did not accept the mail (${what}); check SUBNETD_SMTP_URL, and that the server is running`;
}

/** Shows an admin whether mails are sent, without a wait for the next one that matters. */
export const testMail = defineCall({
  id: 'sendTestMail',
  method: 'POST',
  path: '/Account/TestMail',
  tag: 'Account',
  summary: 'Send yourself a test mail',
  description: 'Sends a mail to your own EmailID at once, and returns the error if that fails.',
  scope: 'admin',
  bodyIsOptional: true,
  data: DONE,
  codes: [1115],
  run: async (_, actor, deps) => {
    const { mails } = deps;
    if (mails === undefined)
      return fail(1115, 'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL and SUBNETD_MAIL_FROM');
    const limited = await limitMails(actor, deps);
    if (!limited.ok) return limited;
    const failure = await mails.sendTest(callerOf(actor).owner);
    return failure === undefined ? succeed({ result: 'success' }) : fail(1115, describe(failure));
  },
});
