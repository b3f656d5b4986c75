import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ConnectionOptions, connect, getCiphers } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { listen } from '../../src/web/listen.ts';
import { readWebConfig } from '../../src/web/web-config.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const KEYS = { EC: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], RSA: ['-newkey', 'rsa:2048'] };

async function start(key: keyof typeof KEYS, more = '') {
  const args = ['req', '-x509', ...KEYS[key], '-nodes', '-days', '1', '-subj', '/CN=a'];
  execFileSync('openssl', [...args, '-keyout', pathOf('k.pem'), '-out', pathOf('c.pem')], { stdio: 'ignore' });
  writeFileSync(pathOf('web.yml'), `tls_server_config: { cert_file: c.pem, key_file: k.pem${more} }\n`);
  const read = readWebConfig(pathOf('web.yml'));
  if (!read.ok) throw new Error(read.errors.join());
  const listener = await listen('127.0.0.1', 0, read.config);
  cleanups.push(() => listener.stop(0));
  /** The protocol and the cipher suite that both sides agree on; undefined without any. */
  return async (options: ConnectionOptions): Promise<string | undefined> => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    try {
      await once(socket, 'secureConnect');
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch {
      return undefined;
    } finally {
      socket.destroy();
    }
  };
}

/** Every cipher suite that this OpenSSL has for TLS 1.2 and before, also those that it offers to nobody by itself. */
const ALL = getCiphers()
  .filter((name) => !name.startsWith('tls_'))
  .map((name) => name.toUpperCase());
const isSafe = (name: string) => /^ECDHE-.*(?:GCM|CHACHA20)/.test(name);

describe.each(['EC', 'RSA'] as const)('with a certificate of the kind %s', (key) => {
  it('TLS 1.2 has the suites with forward secrecy and authenticated encryption, and no other', async () => {
    const agree = await start(key);
    const agreed = new Set<string | undefined>();
    for (const name of ALL) {
      const suite = await agree({ maxVersion: 'TLSv1.2', ciphers: `${name}:@SECLEVEL=0` });
      if (suite !== undefined) agreed.add(suite.replace('TLSv1.2 ', ''));
    }
    expect(ALL.filter((name) => name.includes('SHA') && !isSafe(name)).length).toBeGreaterThan(20);
    expect([...agreed].sort()).toEqual(
      ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map(
        (name) => `ECDHE-${key === 'EC' ? 'ECDSA' : 'RSA'}-${name}`,
      ),
    );
    expect(await agree({})).toMatch(/^TLSv1.3 /);
  });

  it('TLS 1.1 is not offered, whatever the web config says', async () => {
    const agree = await start(key, ', min_version: TLS10');
    const old = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1' } as const;
    expect(await agree({ ...old, maxVersion: 'TLSv1.1' })).toBeUndefined();
    expect(await agree({ ...old, maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1.2 ECDHE-/);
  });
});
