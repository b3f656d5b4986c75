import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/tell/notify/create-client.ts';
import { createSender, type SenderOptions } from '../../../src/tell/notify/create-sender.ts';
import type { PostableAlert } from '../../../src/tell/notify/to-alert.ts';
import { type AlertReceiver, startAlertReceiver } from '../../support/alert-receiver.ts';
import { eventually, temporaryFolder } from '../../support/cli.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

async function receive(tls?: Parameters<typeof startAlertReceiver>[0]): Promise<AlertReceiver> {
  const receiver = await startAlertReceiver(tls);
  cleanups.push(receiver.stop);
  return receiver;
}
function client(...words: Parameters<typeof createClient>) {
  const made = createClient(...words);
  cleanups.push(made.close);
  return made;
}
const file = (name: string, text: string): string => {
  writeFileSync(pathOf(name), text);
  return pathOf(name);
};

describe('the client', () => {
  it('posts JSON below the prefix of the address, without credentials when there are none', async () => {
    const receiver = await receive();
    expect(await client(`${receiver.url}/am/`, {}).call('POST', '/alerts', [])).toEqual({ ok: true, body: {} });
    const [first] = receiver.received;
    expect(first).toMatchObject({ method: 'POST', path: '/am/api/v2/alerts' });
    expect(first?.headers['content-type']).toBe('application/json');
    expect(first?.headers.authorization).toBeUndefined();
  });

  it('sends a user and the password of the file, which may change', async () => {
    const receiver = await receive();
    const passwordFile = file('password', 'a:b c\n');
    const one = client(receiver.url, { basicAuth: { username: 'me', passwordFile } });
    await one.call('GET', '/alerts');
    writeFileSync(passwordFile, 'new');
    await one.call('GET', '/alerts');
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(
      ['me:a:b c', 'me:new'].map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    );
  });

  it('sends a bearer token, or the user info of the address', async () => {
    const receiver = await receive();
    await client(receiver.url, { bearerTokenFile: file('token', ' t0ken \n') }).call('GET', '/alerts');
    await client(receiver.url.replace('//', '//u%40x:p%3Aw@'), {}).call('GET', '/alerts');
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t0ken',
      `Basic ${Buffer.from('u@x:p:w').toString('base64')}`,
    ]);
  });

  it.each([
    [401, false, /^http:\/\/127\.0\.0\.1:\d+ refuses the credentials; correct alertmanager.basicAuth/],
    [404, false, /has no API at this path/],
    [302, false, /redirects elsewhere/],
    [400, false, /refuses what was sent/],
    [500, true, /answers with status 500/],
    [429, true, /answers with status 429/],
  ] as const)('explains the status %d, and whether to try again', async (status, retryable, why) => {
    const receiver = await receive();
    receiver.answer = status;
    expect(await client(receiver.url, {}).call('POST', '/alerts', [])).toEqual({
      ok: false,
      status,
      retryable,
      why: expect.stringMatching(why),
    });
  });

  it('explains a refused connection, a timeout, an unknown host and an answer that is not HTTP', async () => {
    const receiver = await receive();
    receiver.answer = 'hang';
    const slow = await client(receiver.url, {}, { timeoutMs: 300 }).call('GET', '/alerts');
    expect(slow).toMatchObject({
      ok: false,
      retryable: true,
      why: expect.stringContaining('does not answer within 0.3s'),
    });
    await receiver.stop();
    expect(await client(receiver.url, {}).call('GET', '/alerts')).toMatchObject({
      retryable: true,
      why: expect.stringContaining('refuses connections'),
    });
    expect(await client('http://no-such-host.invalid', {}).call('GET', '/alerts')).toMatchObject({
      why: expect.stringMatching(/^http:\/\/no-such-host\.invalid has a host name that/),
    });
  });

  it('names a file that cannot be read, and shows no secret of the address', async () => {
    const receiver = await receive();
    const missing = await client(receiver.url, { bearerTokenFile: pathOf('none') }).call('GET', '/alerts');
    expect(missing).toMatchObject({ ok: false, why: expect.stringContaining(`${pathOf('none')} cannot be read`) });
    expect(receiver.received).toEqual([]);
    await receiver.stop();
    const secret = await client(receiver.url.replace('//', '//me:hunter2@'), {}).call('GET', '/alerts');
    expect(secret.ok).toBe(false);
    expect(JSON.stringify(secret)).not.toContain('hunter2');
    expect(JSON.stringify(secret)).not.toContain('me:');
  });
});

describe('TLS', () => {
  let certificates: ReturnType<typeof temporaryFolder>;
  const pem = (name: string) => certificates.path(`${name}.pem`);
  beforeAll(() => {
    certificates = temporaryFolder();
    const openssl = (words: string) => execFileSync('openssl', words.split(' '), { stdio: 'pipe' });
    openssl(
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca -keyout ${pem('ca-key')} -out ${pem('ca')}`,
    );
    for (const [name, alt] of [
      ['server', 'IP:127.0.0.1'],
      ['other', 'DNS:alertmanager.example'],
      ['client', 'DNS:subnetd'],
    ] as const) {
      const key = pem(`${name}-key`);
      openssl(
        `req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=${name} -addext subjectAltName=${alt} -keyout ${key} -out ${pem(`${name}-csr`)}`,
      );
      openssl(
        `x509 -req -in ${pem(`${name}-csr`)} -CA ${pem('ca')} -CAkey ${pem('ca-key')} -CAcreateserial -copy_extensions copy -days 2 -out ${pem(name)}`,
      );
    }
    return certificates.remove;
  });
  const served = (name: string, more = {}) =>
    receive({ key: readFileSync(pem(`${name}-key`)), cert: readFileSync(pem(name)), ...more });

  it('trusts the authority of the inventory, and no certificate that it did not sign', async () => {
    const { url } = await served('server');
    expect(await client(url, { tls: { ca: pem('ca') } }).call('GET', '/alerts')).toMatchObject({ ok: true });
    expect(await client(url, {}).call('GET', '/alerts')).toMatchObject({
      ok: false,
      why: expect.stringContaining('has a certificate that does not fit'),
    });
  });

  it('wants the name of the host, or the one that the inventory gives', async () => {
    const { url } = await served('other');
    const tls = { ca: pem('ca') };
    expect(await client(url, { tls }).call('GET', '/alerts')).toMatchObject({
      ok: false,
      why: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
    const named = client(url, { tls: { ...tls, serverName: 'alertmanager.example' } });
    expect(await named.call('GET', '/alerts')).toMatchObject({ ok: true });
  });

  it('shows its own certificate to who asks for one', async () => {
    const { url } = await served('server', {
      ca: readFileSync(pem('ca')),
      requestCert: true,
      rejectUnauthorized: true,
    });
    const ca = pem('ca');
    expect(await client(url, { tls: { ca } }).call('GET', '/alerts')).toMatchObject({ ok: false });
    const tls = { ca, cert: pem('client'), key: pem('client-key') };
    expect(await client(url, { tls }).call('GET', '/alerts')).toMatchObject({ ok: true });
    const broken = { ...tls, key: file('key.pem', 'no key') };
    expect(await client(url, { tls: broken }).call('GET', '/alerts')).toMatchObject({ ok: false });
  });
});

describe('the sender', () => {
  const alert = (name: string, endsAt = '2026-01-01T00:00:00Z'): PostableAlert => ({
    labels: { alertname: name },
    annotations: {},
    startsAt: '2026-01-01T00:00:00Z',
    endsAt,
  });
  const alerts = (...names: readonly string[]) => new Map(names.map((name) => [name, alert(name)]));
  const namesOf = ({ received }: AlertReceiver) =>
    received.map((request) => request.alerts.map(({ labels }) => labels.alertname));

  function send(url: string, more: Partial<SenderOptions> = {}) {
    const counts = { sent: 0, failed: 0, dropped: 0 };
    const heard: string[] = [];
    const sender = createSender({
      client: createClient(url, {}, { timeoutMs: 500 }),
      counts,
      firstPauseMs: 20,
      onFailure: (why) => heard.push(why),
      onRecovery: () => heard.push('fine'),
      ...more,
    });
    cleanups.push(() => sender.stop(0));
    return { sender, counts, heard };
  }

  it('sends many alerts in batches of at most 64', async () => {
    const receiver = await receive();
    const { sender, counts } = send(receiver.url);
    sender.enqueue(alerts(...Array.from({ length: 150 }, (_, i) => `A${i}`)));
    await eventually(() => expect(counts.sent).toBe(150));
    expect(namesOf(receiver).map(({ length }) => length)).toEqual([64, 64, 22]);
  });

  it('tries again after a failure, says so once, and says when it works again', async () => {
    const receiver = await receive();
    receiver.answer = 503;
    const { sender, counts, heard } = send(receiver.url);
    sender.enqueue(alerts('A', 'B'));
    await eventually(() => expect(counts.failed).toBeGreaterThanOrEqual(6));
    receiver.answer = 200;
    await eventually(() => expect(counts.sent).toBe(2));
    expect(heard).toEqual([expect.stringContaining('status 503'), 'fine']);
    expect(counts.dropped).toBe(0);
  });

  it('sends the newest of what is known by one key, when it could not be sent before', async () => {
    const receiver = await receive();
    receiver.answer = 503;
    const { sender, counts } = send(receiver.url);
    sender.enqueue(alerts('A'));
    await eventually(() => expect(counts.failed).toBeGreaterThanOrEqual(1));
    sender.enqueue(new Map([['A', alert('A', '2027-01-01T00:00:00Z')]]));
    receiver.answer = 200;
    await eventually(() => expect(receiver.received.at(-1)?.alerts).toEqual([alert('A', '2027-01-01T00:00:00Z')]));
    await eventually(() => expect(counts.sent).toBeGreaterThanOrEqual(1));
  });

  it('does not repeat what was refused, as it would be refused again', async () => {
    const receiver = await receive();
    receiver.answer = 400;
    const { sender, counts } = send(receiver.url);
    sender.enqueue(alerts('A'));
    await eventually(() => expect(counts.failed).toBe(1));
    receiver.answer = 200;
    sender.enqueue(alerts('B'));
    await eventually(() => expect(counts.sent).toBe(1));
    expect(namesOf(receiver)).toEqual([['A'], ['B']]);
  });

  it('drops the oldest when too many wait, and counts them', async () => {
    const receiver = await receive();
    receiver.answer = 503;
    const { sender, counts } = send(receiver.url, { capacity: 3 });
    sender.enqueue(alerts('A', 'B', 'C'));
    await eventually(() => expect(counts.failed).toBeGreaterThanOrEqual(3));
    sender.enqueue(alerts('D', 'E'));
    await eventually(() => expect(counts.dropped).toBe(2));
    receiver.answer = 200;
    await eventually(() => expect(counts.sent).toBe(3));
    expect(namesOf(receiver).at(-1)).toEqual(['C', 'D', 'E']);
    expect(counts.dropped).toBe(2);
  });

  it('gives up an Alertmanager that does not answer in time, and continues', async () => {
    const receiver = await receive();
    receiver.answer = 'hang';
    const { sender, counts, heard } = send(receiver.url);
    sender.enqueue(alerts('A'));
    await eventually(() => expect(counts.failed).toBe(1));
    receiver.answer = 200;
    await eventually(() => expect(counts.sent).toBe(1));
    expect(heard).toEqual([expect.stringContaining('does not answer within 0.5s'), 'fine']);
  });

  it('sends what waits when it is stopped, but does not wait for one that is away', async () => {
    const receiver = await receive();
    const { sender, counts } = send(receiver.url);
    sender.enqueue(alerts(...Array.from({ length: 100 }, (_, i) => `A${i}`)));
    await sender.stop(20_000);
    expect(counts.sent).toBe(100);
    await receiver.stop();
    const away = send(receiver.url, { firstPauseMs: 1_000_000 });
    away.sender.enqueue(alerts('A'));
    await eventually(() => expect(away.counts.failed).toBe(1));
    await away.sender.stop(1_000_000);
    expect(away.counts.sent).toBe(0);
  });
});
