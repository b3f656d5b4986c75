import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askDaemon, toDaemonUrl } from '../../src/cli/ask-daemon.ts';
import { startHttp } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

test('an answer without an end, as of another program, is cut off and named', async () => {
  const server = await startHttp((_, response) => {
    const more = (): void =>
      void response.write(Buffer.alloc(1024 * 1024, 0x20), (error) => {
        if (!error) setImmediate(more);
      });
    more();
  });
  cleanups.push(server.stop);
  expect(await askDaemon(new URL(server.url), '/status.json', 60_000)).toEqual({
    ok: false,
    isRefused: false,
    error: `${server.url}/status.json answers with more than 128 MiB, which subnetd never does; correct --url`,
  });
}, 90_000);

test('a connection that fails by TLS is told with what to do about that', async () => {
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a'.split(' ');
  execFileSync('openssl', [...words, '-keyout', pathOf('k'), '-out', pathOf('c')], { stdio: 'pipe' });
  const secure = createServer({ key: readFileSync(pathOf('k')), cert: readFileSync(pathOf('c')) }).listen(
    0,
    '127.0.0.1',
  );
  cleanups.push(() => secure.close());
  const { port } = await new Promise<AddressInfo>((resolve) =>
    secure.once('listening', () => resolve(secure.address() as AddressInfo)),
  );
  const plain = await startHttp((_, response) => void response.end('{}'));
  cleanups.push(plain.stop);
  const why = async (url: string) => {
    const answer = await askDaemon(new URL(url), '/status.json', 20_000);
    return answer.ok ? 'it answers' : answer.error;
  };
  expect(await why(`https://127.0.0.1:${port}`)).toContain(
    '(DEPTH_ZERO_SELF_SIGNED_CERT); set NODE_EXTRA_CA_CERTS to the CA file of its certificate',
  );
  expect(await why(`http://127.0.0.1:${port}`)).toContain(
    '; if it serves TLS, give its address with https:// in --url',
  );
  expect(await why(plain.url.replace('http:', 'https:'))).toContain(
    '; it does not serve TLS; give its address with http:// in --url',
  );
}, 60_000);

test('without --url, a bad setting of the daemon of this machine is what is named', async () => {
  const before = process.env.SUBNETD_LISTEN;
  cleanups.push(() => {
    if (before === undefined) delete process.env.SUBNETD_LISTEN;
    else process.env.SUBNETD_LISTEN = before;
  });
  process.env.SUBNETD_LISTEN = 'nonsense';
  expect(await toDaemonUrl(undefined)).toEqual({
    ok: false,
    errors: ['SUBNETD_LISTEN must be HOST:PORT, such as 127.0.0.1:10545'],
  });
  process.env.SUBNETD_LISTEN = '127.0.0.1:0';
  expect(await toDaemonUrl(undefined)).toEqual({
    ok: false,
    errors: ['port 0 in SUBNETD_LISTEN is a free one that the system chose; give --url'],
  });
  expect(await toDaemonUrl('http://a:1')).toEqual({ ok: true, url: new URL('http://a:1') });
});
