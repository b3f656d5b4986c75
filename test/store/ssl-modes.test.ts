import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openLockSession } from '../../src/store/open-lock-session.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';

let postgres: OwnPostgres;
const folder = mkdtempSync(join(tmpdir(), 'ssl-modes-'));
const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];

const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** A server that speaks TLS, with a certificate that nobody else has signed, for another host. */
beforeAll(async () => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const words = ['req', '-x509', ...curve, '-subj', '/CN=db.example.com', '-keyout', key, '-out', cert];
  execFileSync('openssl', words, { stdio: 'pipe' });
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, idOf('-u'), idOf('-g'));
  postgres = await startPostgres();
  for (const [name, value] of Object.entries({ ssl_key_file: key, ssl_cert_file: cert, ssl: 'on' }))
    await postgres.query(`alter system set ${name} = '${value}'`);
  await postgres.query('select pg_reload_conf()');
}, 60_000);
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** How a URL with these parameters connects, and what Node.js has printed of it. */
async function connect(parameters: string) {
  const printed: string[] = [];
  const note = ({ message }: Error) => void printed.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const url = `${postgres.url}?${parameters}`;
  const opened = await openPostgres(url).then(
    async (connection) => {
      const [isEncrypted] = await connection.column('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      await connection.close();
      return isEncrypted === 'true' ? 'encrypted' : 'plain';
    },
    (error: Error) => error.message,
  );
  const locks = await openLockSession(url, () => {}).then(
    async (session) => {
      const got = await session.tryLocks(['retention']);
      await session.close();
      return got;
    },
    () => [],
  );
  return { opened, locks, printed };
}

it.each([
  ['sslmode=disable', 'plain'],
  ['sslmode=prefer', 'encrypted'],
  ['sslmode=require', 'encrypted'],
  [`sslmode=verify-ca&sslrootcert=${cert}`, 'encrypted'],
  ['application_name=x&sslmode=require', 'encrypted'],
  ['sslmode=no-verify', 'encrypted'],
])('%s connects, and prints no warning', async (parameters, opened) => {
  expect(await connect(parameters)).toEqual({ opened, locks: ['retention'], printed: [] });
});

it.each([
  ['sslmode=verify-full', /self-signed certificate/],
  [`sslmode=verify-full&sslrootcert=${cert}`, /does not match certificate's altnames/],
  ['sslmode=verify-ca', /requires specifying a CA with sslrootcert/],
])('%s is refused as by psql, and prints no warning', async (parameters, reason) => {
  expect(await connect(parameters)).toEqual({ opened: expect.stringMatching(reason), locks: [], printed: [] });
});
