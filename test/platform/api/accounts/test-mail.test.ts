import { expect, it, onTestFinished } from 'vitest';
import { type Api, startApi } from '../../../support/api.ts';
import { type MailServerOptions, startMailServer } from '../../../support/mail-server.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';

const databases = useDatabases('sqlite');
const without = useApi(databases);

/** An API with a mail server, and what an admin with an API key gets of it. */
async function start(options: MailServerOptions, password = 'swordfish') {
  const server = await startMailServer(options);
  const login = options.login && { user: options.login.user, password };
  const mail = {
    server: { host: '127.0.0.1', port: server.port, isTls: false, ...(login && { login }) },
    from: 'subnetd@example.com',
    publicUrl: 'https://subnetd.example.com',
  };
  const api = await startApi(await databases.create(), { mail });
  onTestFinished(async () => {
    await api.stop();
    await server.stop();
  });
  return { server, api, ask: () => askOf(api) };
}
const askOf = async (api: Api) => {
  const { key } = await api.makeKey('admin');
  return api.sendBare('POST', '/api/Account/TestMail', { apiKey: key });
};
const failed = (errMessage: string) => ({ http: 500, appErrorCode: 1115, errMessage });

it('an admin mails the own address, and is told when the server is down', async () => {
  const { server, ask } = await start({});
  expect(await ask()).toMatchObject({ status: 'success', data: { result: 'success' } });
  expect(server.mails.map(({ to, headers }) => [to, headers.subject])).toEqual([
    [['r@example.com'], 'subnetd: Test mail'],
  ]);
  expect(server.mails[0]?.text).toBe(
    'Hello R,\n\nYou requested this test mail from subnetd at https://subnetd.example.com. Nothing to do.\n',
  );
  await server.stop();
  expect(await ask()).toMatchObject(
    failed('the mail server did not accept the mail (ESOCKET); check SUBNETD_SMTP_URL, and that the server is running'),
  );
});

it('a refusal is told by what to check, without what the server said', async () => {
  const { ask } = await start({ refuse: (address) => ({ status: 550, text: `no ${address}` }) });
  expect(await ask()).toMatchObject(
    failed(
      'the mail server refused the sender or your address (EENVELOPE, reply 550); check SUBNETD_MAIL_FROM, and your EmailID',
    ),
  );
  const { api, ask: askWrong } = await start({ login: { user: 'ops', password: 'swordfish' } }, 'sword fish');
  expect(await askWrong()).toMatchObject(
    failed('the mail server refused the user name or password (EAUTH, reply 535); correct those in SUBNETD_SMTP_URL'),
  );
  expect(api.logged.join('').includes('sword fish')).toBe(false);
});

it('without a mail server the answer says what is missing', async () => {
  expect(await askOf(without)).toMatchObject(
    failed('subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL and SUBNETD_MAIL_FROM'),
  );
});
