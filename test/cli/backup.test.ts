import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { copySqlite } from '../../src/store/copy-sqlite.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { restoreSqlite } from '../../src/store/restore-sqlite.ts';
import { startApiDaemon } from '../support/api-daemon.ts';
import { eventually, runCli, startCli } from '../support/cli.ts';
import { createApiKey, runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const at = (path: string) => ({ SUBNETD_DATABASE_URL: `sqlite:${path}`, SUBNETD_RATE_LIMIT: '0' });
/** Nobody ends what has this signal. */
const never = new AbortController().signal;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function makeDatabase(path: string, names: readonly string[] = []) {
  await (await openDatabase({ kind: 'sqlite', path })).close();
  insert(path, names);
}
function insert(path: string, names: readonly string[]) {
  const database = new Database(path);
  const add = database.prepare(
    'insert into project_type (contract_name, contract_name_key, is_deleted) values (?, ?, 0)',
  );
  database.transaction(() => names.forEach((name) => void add.run(name, name)))();
  database.close();
}
const namesIn = (path: string): readonly unknown[] => {
  const database = new Database(path, { readonly: true });
  const names = database.prepare('select contract_name from project_type order by id').pluck().all();
  database.close();
  return names;
};
const many = Array.from({ length: 20_000 }, (_, index) => `a name that fills pages of the database ${index}`);

describe('subnetd backup and subnetd restore', () => {
  it('under load: the backup holds each write acknowledged before it, and a restore brings back exactly that', async () => {
    const path = pathOf('our data/subnetd.db');
    await makeDatabase(path, many);
    const apiKey = await createApiKey(at(path), 'write');
    const daemon = await startApiDaemon(at(path));
    cleanups.push(() => daemon.end('SIGKILL'));
    const acknowledged: string[] = [];
    let isOver = false;
    const write = async (writer: number) => {
      for (let sent = 0; !isOver; sent += 1) {
        const ContractName = `contract ${writer} ${sent}`;
        const response = await fetch(`${daemon.url}/api/ProjectType/Add`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ apiKey, ContractName, IsDeleted: false, CreateBy: 1 }),
        });
        if (((await response.json()) as { status: string }).status === 'success') acknowledged.push(ContractName);
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(write));
    cleanups.push(() => {
      isOver = true;
      return writers.catch(() => {});
    });
    const more = async () => {
      const enough = acknowledged.length + 100;
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(enough));
    };

    await more();
    const before = [...acknowledged];
    const file = pathOf('backup.db');
    expect(await runCli(['backup', file], at(path))).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /backup\.db: \d+ bytes; it holds secrets, so keep it where nobody else can read it\n$/,
      ),
    });
    await more();
    expect(await runCli(['restore', file], at(path))).toMatchObject({
      code: 2,
      stderr: `subnetd restore: a process has ${path} open; stop subnetd first (fuser '${path}' names the process)\n`,
    });
    await more();
    isOver = true;
    await writers;
    expect(await daemon.end()).toBe(0);

    const inBackup = namesIn(file);
    expect(before.filter((name) => !inBackup.includes(name))).toEqual([]);
    const restored = await runCli(['restore', file], at(path));
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    const kept = readdirSync(pathOf('our data')).filter((name) => name !== 'subnetd.db');
    expect(kept).toEqual([expect.stringMatching(/^subnetd\.db\.before-\d{8}T\d{6}Z$/)]);
    expect(restored.stdout).toContain(`; the previous database is ${pathOf(`our data/${kept[0]}`)}\n`);
    const inKept = new Set(namesIn(pathOf(`our data/${kept[0]}`)));
    expect(acknowledged.filter((name) => !inKept.has(name))).toEqual([]);
    expect([file, path, pathOf(`our data/${kept[0]}`)].map(modeOf)).toEqual(['600', '600', '600']);

    const again = await startApiDaemon(at(path));
    cleanups.push(() => again.end('SIGKILL'));
    const list = await fetch(`${again.url}/api/ProjectType/ListAll/0?apiKey=${apiKey}`);
    const { data } = (await list.json()) as { data: { items: { ContractName: string }[] } };
    expect(data.items.map(({ ContractName }) => ContractName)).toEqual(inBackup);
    expect(await again.end()).toBe(0);
  }, 90_000);

  it('copies the database as it was when the copy began, though another writes at each step', async () => {
    const path = pathOf('subnetd.db');
    await makeDatabase(path, many);
    const copying = copySqlite(path, pathOf('copy.db'), { readOnly: false, signal: never });
    let isDone = false;
    void copying.finally(() => {
      isDone = true;
    });
    for (let written = 0; !isDone && written < 2_000; written += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      insert(path, [`late ${written}`]);
    }
    expect(await copying).toEqual({ ok: true, value: statSync(pathOf('copy.db')).size });
    expect(namesIn(pathOf('copy.db'))).toEqual(many);
  });

  it('refuses what is no place for a backup, and leaves nothing there', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(path);
    writeFileSync(pathOf('taken.db'), 'mine');
    const cases = [
      ['taken.db', path, `${pathOf('taken.db')} already exists; choose another name, or delete it`],
      ['no/b.db', path, `there is no folder ${pathOf('no')}; create it`],
      ['taken.db/b.db', path, `${pathOf('taken.db')} is not a folder; name another`],
      ['b.db', pathOf('x.db'), `there is no database at ${pathOf('x.db')}; correct SUBNETD_DATABASE_URL`],
    ] as const;
    for (const [file, database, error] of cases)
      expect(await runCommand(['backup', pathOf(file)], at(database))).toEqual({
        code: 2,
        stdout: '',
        stderr: `subnetd backup: ${error}\n`,
      });
    expect(readFileSync(pathOf('taken.db'), 'utf8')).toBe('mine');
    expect(readdirSync(pathOf('.')).sort()).toEqual(['data', 'taken.db']);
  });

  it('says which file the system refuses', async () => {
    const [path, loop] = [pathOf('data/subnetd.db'), pathOf('loop')];
    await makeDatabase(path);
    symlinkSync(loop, loop);
    const calls = [
      [['backup', `${loop}/b.db`], path, `subnetd backup: ${loop} cannot be opened (ELOOP); correct the path\n`],
      [['backup', pathOf('b.db')], loop, `subnetd backup: ${loop} cannot be opened (ELOOP); correct the path\n`],
      [['restore', loop], path, `subnetd restore: ${loop} cannot be opened (ELOOP); correct the path\n`],
      [['restore', path], loop, `subnetd restore: ${loop} cannot be opened (ELOOP); correct the path\n`],
    ] as const;
    for (const [words, database, stderr] of calls)
      expect(await runCommand(words, at(database))).toEqual({ code: 2, stdout: '', stderr });
    // Whether there is a database is not known there, so nobody says that there is none.
    const { code, stderr } = await runCommand(['apikey', 'list'], at(loop));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^subnetd: the database sqlite:\S+ failed: ELOOP/)]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ended by %s leaves no half of a copy',
    async (name) => {
      const path = pathOf('data/subnetd.db');
      await makeDatabase(path, [...many, ...many.map((name) => `${name} once more`)]);
      mkdirSync(pathOf('b'));
      // On a busy machine a backup may be over before the signal.
      for (let round = 0, ended = 0; ended === 0; round += 1) {
        expect(round).toBeLessThan(20);
        const running = startCli(['backup', pathOf(`b/${round}.db`)], at(path));
        const hasBegun = () => readdirSync(pathOf('b')).length > round || running.child.exitCode !== null;
        await eventually(() => expect(hasBegun()).toBe(true), 20_000, 1);
        running.child.kill(name);
        const { code, stderr } = await running.finished;
        const names = readdirSync(pathOf('b'));
        expect(names.filter((one) => one.includes('part'))).toEqual([]);
        if (code === 0) continue;
        expect([code, stderr]).toEqual([2, 'subnetd backup: ended by a signal; nothing was copied\n']);
        expect(names).toHaveLength(round);
        ended += 1;
      }
    },
    120_000,
  );

  // Needs root, as the engine of the other tests does: nobody else can mount a small disk.
  it('says what to do on a full disk', async () => {
    const [path, folder] = [pathOf('data/subnetd.db'), pathOf('disk')];
    await makeDatabase(path, many);
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=755', 'tmpfs', folder]);
    cleanups.push(() => execFileSync('umount', ['--lazy', folder]));
    expect(await runCommand(['backup', `${folder}/b.db`], at(path))).toEqual({
      code: 2,
      stdout: '',
      stderr: `subnetd backup: the disk of the folder ${folder} is full; free space on it, or choose another\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(`${folder}/filled`, Buffer.alloc(2 ** 20));
    const person = ['--user-name', 'u', '--first-name', 'F', '--last-name', 'L', '--email', 'u@example.com'];
    const { code, stderr } = await runCommand(['admin', 'create', ...person], at(`${folder}/subnetd.db`));
    expect([code, stderr]).toEqual([
      2,
      `subnetd: the database sqlite:${folder}/subnetd.db failed: database or disk is full; free space on that disk\n`,
    ]);
  });

  it('restores nothing that is damaged, of another program, of a newer version or the database itself', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(path, ['kept']);
    mkdirSync(pathOf('b'));
    const file = (name: string) => pathOf(`b/${name}`);
    writeFileSync(file('text'), 'not a database at all, though it is long enough to be read as one '.repeat(20));
    new Database(file('other')).exec('create table t (a)').close();
    await makeDatabase(file('newer'));
    new Database(file('newer')).exec("insert into schema_migration values ('9999-later', '')").close();
    await makeDatabase(file('damaged'), many);
    const bytes = readFileSync(file('damaged'));
    bytes.fill(0xff, 40 * 4096, 60 * 4096);
    writeFileSync(file('damaged'), bytes);
    const errors = {
      text: `${file('text')} is not a SQLite database; correct the path`,
      other: `${file('other')} is not a subnetd database; correct the path`,
      newer: `${file('newer')} was made by a newer subnetd (9999-later); install that one first`,
      damaged: `${file('damaged')} is damaged; use another copy`,
      missing: `there is no file ${file('missing')}; correct the path`,
      '': `${file('')} is not a file; name the backup in it`,
      '../data/subnetd.db': `${path} is the database itself; name a backup`,
    };
    for (const [name, error] of Object.entries(errors))
      expect(await runCommand(['restore', file(name)], at(path))).toEqual({
        code: 2,
        stdout: '',
        stderr: `subnetd restore: ${error}\n`,
      });
    expect(readdirSync(pathOf('data'))).toEqual(['subnetd.db']);
    expect(namesIn(path)).toEqual(['kept']);
  }, 60_000);

  it('refuses to replace a database that was restored just before, while somebody reads it', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(pathOf('good.db'), ['good']);
    expect((await runCli(['restore', pathOf('good.db')], at(path))).code).toBe(0);
    const reader = new Database(path);
    cleanups.push(() => reader.close());
    reader.exec('begin');
    reader.prepare('select * from project_type').all();
    expect(await runCli(['restore', pathOf('good.db')], at(path))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stop subnetd first'),
    });
    reader.exec('commit');
    expect((await runCli(['restore', pathOf('good.db')], at(path))).code).toBe(0);
  });

  it('keeps what each of two restores in one second replaced', async () => {
    const path = pathOf('data/subnetd.db');
    const now = new Date('2026-11-22T03:12:00.900Z');
    await makeDatabase(path, ['first']);
    await makeDatabase(pathOf('second.db'), ['second']);
    await makeDatabase(pathOf('third.db'), ['third']);
    for (const name of ['second', 'third'])
      expect(await restoreSqlite(path, pathOf(`${name}.db`), now, never)).toMatchObject({ ok: true });
    expect(
      ['', '.before-20261122T031200Z', '.before-20261122T031200Z-2'].map((end) => namesIn(`${path}${end}`)),
    ).toEqual([['third'], ['first'], ['second']]);
  });

  it('killed at any moment leaves the previous database or that of the backup, whole', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(pathOf('good.db'), many);
    await makeDatabase(path, ['old']);
    const seen = new Set<number>();
    // On a busy machine the first kills may all come too late.
    for (let round = 0; round < 8 || (!seen.has(1) && round < 40); round += 1) {
      const running = startCli(['restore', pathOf('good.db')], at(path));
      const isCopying = () => readdirSync(pathOf('data')).some((name) => name.includes('.part-'));
      await eventually(() => expect(isCopying() || running.child.exitCode !== null).toBe(true), 20_000, 1);
      await new Promise((resolve) => setTimeout(resolve, (round % 8) * 25));
      running.child.kill('SIGKILL');
      await running.finished;
      const names = namesIn(path);
      seen.add(names.length);
      expect(names).toEqual(names.length === 1 ? ['old'] : many);
      await (await openDatabase({ kind: 'sqlite', path })).close();
    }
    expect(seen).toContain(1);
    expect(await runCli(['restore', pathOf('good.db')], at(path))).toMatchObject({ code: 0, stderr: '' });
    expect(namesIn(path)).toEqual(many);
  }, 180_000);

  it('done by root belongs to the user of the database', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(path, ['old']);
    // Only root can give a file to another user. What anybody else makes is its own.
    const isRoot = process.getuid?.() === 0;
    const { uid, gid } = isRoot ? { uid: 65_534, gid: 65_534 } : statSync(path);
    if (isRoot) for (const name of ['data', 'data/subnetd.db']) chownSync(pathOf(name), uid, gid);
    expect((await runCommand(['backup', pathOf('data/b.db')], at(path))).code).toBe(0);
    expect((await runCommand(['restore', pathOf('data/b.db')], at(path))).code).toBe(0);
    expect([statSync(path).uid, statSync(path).gid]).toEqual([uid, gid]);
  });

  it('replaces a database that is damaged, and keeps its write-ahead log with it and away from the new one', async () => {
    const path = pathOf('data/subnetd.db');
    await makeDatabase(pathOf('good.db'), ['good']);
    mkdirSync(pathOf('data'));
    // As after a crash: a log of another database, whole, beside a file that is none.
    await makeDatabase(pathOf('other.db'));
    const other = new Database(pathOf('other.db'));
    other.exec("insert into project_type (contract_name, contract_name_key, is_deleted) values ('stale', 'stale', 0)");
    copyFileSync(pathOf('other.db-wal'), `${path}-wal`);
    other.close();
    writeFileSync(path, 'damaged '.repeat(2_000));
    chmodSync(path, 0o644);
    const { code, stdout, stderr } = await runCli(['restore', pathOf('good.db')], at(path));
    expect([code, stderr]).toEqual([0, expect.stringContaining('cannot know whether a process has it open')]);
    const kept = /previous database is (.*)\n/.exec(stdout)?.[1] ?? '';
    expect(readdirSync(pathOf('data')).map((name) => pathOf(`data/${name}`))).toEqual([path, kept, `${kept}-wal`]);
    expect(readFileSync(kept, 'utf8')).toContain('damaged');
    expect(namesIn(path)).toEqual(['good']);
  });

  it('makes the folder for itself alone when there was no database', async () => {
    await makeDatabase(pathOf('good.db'), ['good']);
    const { code, stdout } = await runCommand(['restore', pathOf('good.db')], at(pathOf('new/data/subnetd.db')));
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('before')]);
    expect(['new', 'new/data', 'new/data/subnetd.db'].map((name) => modeOf(pathOf(name)))).toEqual([
      '700',
      '700',
      '600',
    ]);
    expect(namesIn(pathOf('new/data/subnetd.db'))).toEqual(['good']);
  });

  it('names the command of PostgreSQL, without the password', async () => {
    const env = {
      SUBNETD_DATABASE_URL: 'postgres://grace:s3cret@db.example.com:5433/platform?password=s3cret&sslmode=require',
    };
    const address = "'postgres://grace@db.example.com:5433/platform?sslmode=require'";
    expect(await runCommand(['backup', "it's.dump"], env)).toEqual({
      code: 2,
      stdout: '',
      stderr: `subnetd backup: the database is PostgreSQL, which has its own tools; run: pg_dump --format=custom --file='it'\\''s.dump' ${address}\n`,
    });
    expect(await runCommand(['restore', 'a.dump'], env)).toEqual({
      code: 2,
      stdout: '',
      stderr: `subnetd restore: the database is PostgreSQL, which has its own tools; stop subnetd, then run: pg_restore --clean --if-exists --no-owner --dbname=${address} a.dump\n`,
    });
  });
});
