import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { LogPosition } from '../../src/model/log.ts';
import { projectType } from '../../src/platform/api/resources.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createKeptValues } from '../../src/watch/monitor/create-kept-values.ts';
import { platformSettings, startPlatform } from '../support/api.ts';
import { eventually } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };

/** A link whose outages are noted. */
function startLink(path: string) {
  const outages: string[] = [];
  const warnings: string[] = [];
  const link = createDatabaseLink({
    address: { kind: 'sqlite', path },
    onUp: () => {},
    onDown: (outage) => void outages.push(outage),
    onWarning: (warning) => void warnings.push(warning),
    checkEveryMs: 100,
    writeEveryMs: 100,
  });
  cleanups.push(link.stop);
  const isUp = (expected: boolean) => eventually(() => expect(link.isUp()).toBe(expected));
  const add = async (name: string) =>
    (await link.open()).platform.add(projectType, { ContractName: name, IsDeleted: false }, author);
  return { link, outages, warnings, isUp, add };
}
const namesIn = (path: string) => {
  const database = new Database(path, { readonly: true });
  const names = database.prepare('select contract_name from project_type order by id').pluck().all();
  database.close();
  return names;
};

describe('a SQLite database', () => {
  it('that another process locks at the start is waited for without holding up the event loop', async () => {
    const path = pathOf('subnetd.db');
    await (await openDatabase({ kind: 'sqlite', path })).close();
    const other = new Database(path);
    other.exec('begin immediate');
    let turns = 0;
    const counter = setInterval(() => {
      turns += 1;
    }, 10);
    cleanups.push(() => clearInterval(counter));
    const { link, outages, add } = startLink(path);
    // While it waits for the lock, the event loop has few turns until the database reports that it is locked.
    await eventually(() => expect(turns).toBeGreaterThan(40));
    expect(await (await link.open()).platform.list(projectType, 0, 10)).toEqual([]);
    expect(link.isUp()).toBe(false);
    other.exec('commit');
    other.close();
    expect((await add('first')).ok).toBe(true);
    expect(outages).toEqual([]);
  });

  it('that a newer subnetd made is refused at each attempt, and what else is wrong with it is said once', async () => {
    const path = pathOf('shared/subnetd.db');
    await (await openDatabase({ kind: 'sqlite', path })).close();
    writeFileSync(pathOf('shared/of-somebody-else'), '');
    chmodSync(pathOf('shared'), 0o777);
    const change = (sql: string) => {
      const other = new Database(path);
      other.exec(sql);
      other.close();
    };
    change("insert into schema_migration (name, at) values ('9999-later', '')");
    const begun = performance.now();
    const { outages, warnings, isUp } = startLink(path);
    // Three attempts, half a second apart.
    await eventually(() => expect(performance.now() - begun).toBeGreaterThan(1_500));
    change("delete from schema_migration where name = '9999-later'");
    await isUp(true);
    expect(outages).toEqual([
      'the database was made by a newer subnetd: the platform API answers 1106; install that version again, or run subnetd restore with a backup from before the upgrade',
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^other users can write to /)]);
  });

  it('that stays locked is away, with a line that says so, and comes back with its lock', async () => {
    const path = pathOf('subnetd.db');
    await (await openDatabase({ kind: 'sqlite', path })).close();
    const other = new Database(path);
    other.exec('begin immediate');
    const { outages, isUp } = startLink(path);
    await eventually(() => expect(outages).toHaveLength(1));
    expect(outages[0]).toMatch(/^another process keeps the database locked: .*fuser FILE names it$/);
    other.exec('commit');
    other.close();
    await isUp(true);
    expect(outages).toHaveLength(1);
  });

  it('that is moved away under subnetd is noticed, made again, and has lost nothing where it is now', async () => {
    const path = pathOf('subnetd.db');
    const { outages, isUp, add } = startLink(path);
    await add('before');
    await isUp(true);
    renameSync(path, pathOf('moved.db'));
    await isUp(false);
    expect(outages).toEqual([expect.stringMatching(/^the database file was deleted or replaced .*subnetd restore$/)]);
    await isUp(true);
    await add('after');
    expect(namesIn(path)).toEqual(['after']);
    expect(namesIn(pathOf('moved.db'))).toEqual(['before']);
    expect(outages).toHaveLength(1);
  });

  it('that was replaced is read from the new file, without the unsaved changes of the old one', async () => {
    const path = pathOf('subnetd.db');
    const other = await openDatabase({ kind: 'sqlite', path: pathOf('other.db') });
    await other.close();
    const { isUp, add, link } = startLink(path);
    await isUp(true);
    // One who reads keeps what comes after in the write-ahead log.
    const reading = new Database(path, { readonly: true });
    cleanups.push(() => reading.close());
    reading.exec('begin');
    reading.prepare('select * from project_type').all();
    await add('before');
    renameSync(pathOf('other.db'), path);
    await isUp(false);
    await isUp(true);
    expect(await (await link.open()).platform.list(projectType, 0, 10)).toEqual([]);
    await add('after');
    expect(namesIn(path)).toEqual(['after']);
  });

  it('whose write-ahead log was deleted loses no write that was acknowledged', async () => {
    const path = pathOf('subnetd.db');
    const { isUp, add } = startLink(path);
    await add('before');
    await isUp(true);
    rmSync(`${path}-wal`);
    await isUp(false);
    await isUp(true);
    await add('after');
    expect(namesIn(path)).toEqual(['before', 'after']);
  });

  it('that is created again gets the current log positions without a new change, and shows by another store that it may have lost alerts', async () => {
    const path = pathOf('subnetd.db');
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const platform = startPlatform(platformSettings({ kind: 'sqlite', path }), { log });
    cleanups.push(platform.stop);
    const position = (id: string): LogPosition => ({ kind: 'container', id, from: 0, streams: {} });
    const kept = createKeptValues(platform.database.positions('one'));
    cleanups.push(() => kept.stop());
    await kept.load('a');
    for (const source of ['a', 'b']) kept.keep(source, () => position(source));
    await eventually(async () =>
      expect(await (await platform.database.positions('one')()).read()).toEqual(
        new Map([
          ['a', position('a')],
          ['b', position('b')],
        ]),
      ),
    );
    const alerts = platform.database.alerts({ own: 'one', shared: 'one' });
    const before = await alerts();
    expect(await alerts()).toBe(before);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`);
    await eventually(() => expect(platform.database.isUp()).toBe(false));
    await eventually(() => expect(platform.database.isUp()).toBe(true));

    const { link } = startLink(path);
    await eventually(async () => {
      const { logPositions } = await link.open();
      expect(await logPositions('one').read()).toEqual(
        new Map([
          ['a', position('a')],
          ['b', position('b')],
        ]),
      );
    });
    expect(await alerts()).not.toBe(before);
    const errors = lines.filter((line) => line.includes('"level":50'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('was deleted or replaced while it was in use');
  });

  // Needs root, as the engine of other tests does: nobody else can mount a small disk.
  it('on a full disk refuses writes, can be read, and recovers with free space', async () => {
    const folder = pathOf('disk');
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder]);
    cleanups.push(() => execFileSync('umount', ['--lazy', folder]));
    const { link, outages, isUp, add } = startLink(`${folder}/subnetd.db`);
    await add('before');
    await isUp(true);
    expect(() => writeFileSync(`${folder}/big`, Buffer.alloc(4 * 2 ** 20))).toThrow('ENOSPC');
    // Nobody writes: it is the link's own write that shows it.
    await isUp(false);
    expect(outages).toEqual([
      expect.stringMatching(/^the disk of the database is full: [^;]*; free space on that disk$/),
    ]);
    const { platform: store } = await link.open();
    expect((await store.list(projectType, 0, 10)).map(({ ContractName }) => ContractName)).toEqual(['before']);
    await expect(add('refused')).rejects.toThrow('the database failed');
    rmSync(`${folder}/big`);
    await isUp(true);
    expect((await add('after')).ok).toBe(true);
    expect(outages).toHaveLength(1);
    expect(existsSync(`${folder}/subnetd.db`)).toBe(true);
  });
});
