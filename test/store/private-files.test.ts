import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Environment, parseSettings } from '../../src/daemon/settings.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { startApiDaemon } from '../support/api-daemon.ts';
import { program, runCli } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** The modes of a database and of the files beside it. */
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(`${folder}/${name}`)]));
const PRIVATE = { 'subnetd.db': '600', 'subnetd.db-shm': '600', 'subnetd.db-wal': '600' };

async function open(path: string) {
  const warnings: string[] = [];
  const connection = await openDatabase(
    { kind: 'sqlite', path },
    { onWarning: (warning) => void warnings.push(warning) },
  );
  cleanups.push(connection.close);
  return warnings;
}
/** A database as an older version left it, when it was killed. */
async function makeOpen(folder: string, mode: number) {
  mkdirSync(folder);
  const connection = await openDatabase({ kind: 'sqlite', path: `${folder}/subnetd.db` });
  cleanups.push(connection.close);
  for (const name of readdirSync(folder)) chmodSync(`${folder}/${name}`, 0o644);
  chmodSync(folder, mode);
}

describe('a SQLite database is for its owner alone', () => {
  it.each([0o000, 0o022, 0o077])('when subnetd makes it, under the umask %o', async (umask) => {
    const before = process.umask(umask);
    try {
      expect(await open(pathOf('made/data/subnetd.db'))).toEqual([]);
    } finally {
      process.umask(before);
    }
    expect([modeOf(pathOf('made')), modeOf(pathOf('made/data'))]).toEqual(['700', '700']);
    expect(modesIn(pathOf('made/data'))).toEqual(PRIVATE);
  });

  it('when the daemon or a command creates it, with any umask', async () => {
    const environment = { SUBNETD_DATABASE_URL: `sqlite:${pathOf('c/subnetd.db')}` };
    const person = '--user-name u --first-name F --last-name L --email u@example.com';
    execFileSync('sh', ['-c', `umask 000; exec "$0" admin create ${person}`, program], {
      env: { ...process.env, ...environment },
    });
    expect([modeOf(pathOf('c')), modesIn(pathOf('c'))]).toEqual(['700', { 'subnetd.db': '600' }]);
    const before = process.umask(0);
    const daemon = await startApiDaemon({ SUBNETD_DATABASE_URL: `sqlite:${pathOf('d/subnetd.db')}` });
    process.umask(before);
    await fetch(`${daemon.url}/api/Sector/ListAll/0?apiKey=none`);
    expect([modeOf(pathOf('d')), modesIn(pathOf('d'))]).toEqual(['700', PRIVATE]);
    await daemon.end();
  });

  it('from the next start on when others could open it, with one warning that names all that was changed', async () => {
    const folder = pathOf('old');
    await makeOpen(folder, 0o755);
    const warnings = await open(`${folder}/subnetd.db`);
    expect([modeOf(folder), modesIn(folder)]).toEqual(['700', PRIVATE]);
    expect(warnings).toEqual([
      `other users could open ${folder} (mode 755), ${folder}/subnetd.db (mode 644), ${folder}/subnetd.db-wal (mode 644), ${folder}/subnetd.db-shm (mode 644) and read the secret that signs tokens; only the owner can now; if such users exist, set SUBNETD_JWT_SECRET to a new secret`,
    ]);
    expect(await open(`${folder}/subnetd.db`)).toEqual([]);
  });

  it('and the folder stays as it is when it holds something else, with a warning when others may write to it', async () => {
    const folder = pathOf('our data');
    await makeOpen(folder, 0o777);
    writeFileSync(`${folder}/of-somebody-else`, '');
    const warnings = await open(`${folder}/subnetd.db`);
    expect(modeOf(folder)).toBe('777');
    expect(modesIn(folder)).toEqual({ ...PRIVATE, 'of-somebody-else': expect.any(String) });
    expect(warnings[0]).toBe(
      `other users can write to ${folder} (mode 777) and can replace the database in it; move the database to a folder of its own, or run: chmod go-w '${folder}'`,
    );
    chmodSync(folder, 0o755);
    expect(await open(`${folder}/subnetd.db`)).toEqual([]);
  });

  it('behind a symbolic link too', async () => {
    await makeOpen(pathOf('real'), 0o755);
    symlinkSync(pathOf('real/subnetd.db'), pathOf('link.db'));
    expect(await open(pathOf('link.db'))).toEqual([expect.stringContaining(dirname(pathOf('real/x')))]);
    expect(modesIn(pathOf('real'))).toEqual(PRIVATE);
  });

  it('and what has its name but is not a database keeps its rights, and the command says so', async () => {
    mkdirSync(pathOf('folder'));
    writeFileSync(pathOf('text'), 'a text of somebody else, longer than the header of a database\n'.repeat(20));
    const errors = {
      folder: 'is not a file; name a file in SUBNETD_DATABASE_URL',
      text: 'file is not a database; correct SUBNETD_DATABASE_URL, or run subnetd restore',
    };
    for (const [name, error] of Object.entries(errors)) {
      chmodSync(pathOf(name), 0o755);
      const { code, stderr } = await runCommand(['apikey', 'list'], { SUBNETD_DATABASE_URL: `sqlite:${pathOf(name)}` });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^subnetd: the database sqlite:[^\n]*\n$/)]);
      expect(stderr).toContain(error);
      expect(modeOf(pathOf(name))).toBe('755');
    }
  });

  it('on the command line too, with the warning on stderr', async () => {
    await makeOpen(pathOf('old'), 0o755);
    const environment = { SUBNETD_DATABASE_URL: `sqlite:${pathOf('old/subnetd.db')}` };
    const { code, stderr } = await runCommand(['apikey', 'list'], environment);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^subnetd: other users could open [^\n]*\n$/)]);
    expect(modesIn(pathOf('old'))).toEqual(PRIVATE);
  });
});

describe('the secret that signs tokens', () => {
  const sentence =
    'SUBNETD_JWT_SECRET must be 32 bytes or longer, or its tokens can be forged; generate one with openssl rand -base64 32';
  const parse = (environment: Environment) => parseSettings(environment, {}, '127.0.0.1:0');

  it.each(['x'.repeat(31), ' '])('is refused when it is shorter than 32 bytes: %j', (SUBNETD_JWT_SECRET) => {
    expect(parse({ SUBNETD_JWT_SECRET })).toEqual({ ok: false, errors: [sentence] });
  });

  it('is refused so by the daemon and by the commands, which do not print it', async () => {
    const SUBNETD_JWT_SECRET = 'x'.repeat(31);
    const environment = { SUBNETD_DATABASE_URL: `sqlite:${pathOf('s.db')}`, SUBNETD_JWT_SECRET };
    for (const words of [
      ['run', '--listen', '127.0.0.1:0'],
      ['apikey', 'list'],
    ]) {
      const { code, stderr } = await runCli(words, environment);
      expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
      expect(stderr).not.toContain(SUBNETD_JWT_SECRET);
    }
  });

  it('is refused in a file too, and taken with 32 bytes', () => {
    const environment = { SUBNETD_JWT_SECRET_FILE: pathOf('secret') };
    writeFileSync(pathOf('secret'), `${'x'.repeat(31)}\n`);
    expect(parse(environment)).toEqual({ ok: false, errors: [sentence] });
    writeFileSync(pathOf('secret'), `${'ü'.repeat(16)}\n`);
    expect(parse(environment)).toMatchObject({ ok: true, settings: { platform: { jwtSecret: 'ü'.repeat(16) } } });
  });
});
