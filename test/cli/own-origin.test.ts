import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOwnOrigin } from '../../src/cli/ask-daemon.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups } = useCleanups();
const listen = { host: '0.0.0.0', port: 10545 };

test('the daemon of this machine is asked over TLS only if its web config has TLS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'own-origin-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const users = await write('users.yml', `basic_auth_users:\n  u: $2b$04$${'a'.repeat(53)}\n`);
  const tls = await write('tls.yml', 'tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n');
  expect(await readOwnOrigin(listen, undefined)).toBe('http://127.0.0.1:10545');
  expect(await readOwnOrigin(listen, users)).toBe('http://127.0.0.1:10545');
  expect(await readOwnOrigin(listen, tls)).toBe('https://127.0.0.1:10545');
});
