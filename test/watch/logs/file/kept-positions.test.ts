import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { KeptTable } from '../../../../src/model/kept.ts';
import type { LogPosition } from '../../../../src/model/log.ts';
import { createDatabaseLink } from '../../../../src/store/create-database-link.ts';
import type { DatabaseAddress } from '../../../../src/store/database-url.ts';
import { openDatabase } from '../../../../src/store/open-database.ts';
import { createKeptValues } from '../../../../src/watch/monitor/create-kept-values.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { follow, numbered } from '../../../support/follow.ts';
import { startLogWriter } from '../../../support/log-writer.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { useFolder } from '../../../support/recordings.ts';
import { useDatabases } from '../../../support/use-api.ts';

const PROGRAM = fileURLToPath(new URL('../../../support/follow-and-print.ts', import.meta.url));
const LONG = { timeout: 60_000, interval: 20 };

/** Where instances keep their positions in a database. */
function openTables(address: DatabaseAddress): (instance: string) => KeptTable<LogPosition> {
  const link = createDatabaseLink({ address, onUp: () => {}, onDown: () => {} });
  onTestFinished(link.stop);
  return (instance) => ({
    read: async () => (await link.open()).logPositions(instance).read(),
    write: async (changed, gone) => (await link.open()).logPositions(instance).write(changed, gone),
  });
}
const openTable = (address: DatabaseAddress) => openTables(address)('test');

/** Follows a file in a process of its own. */
function startFollower(address: DatabaseAddress, path: string) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(address), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    printed += chunk;
  });
  const closed = once(child, 'close');
  /** Whole ones: a kill can cut the last. */
  const lines = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('line '));
  return {
    begun: () => vi.waitFor(() => expect(printed).toContain('begun\n'), LONG),
    has: (count: number) => vi.waitFor(() => expect(lines().length).toBeGreaterThanOrEqual(count), LONG),
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await closed;
      return lines();
    },
  };
}

const fileOffset = async (table: KeptTable<LogPosition>): Promise<number | undefined> => {
  const position = (await table.read()).get('test');
  return position?.kind === 'files' ? position.files[0]?.offset : undefined;
};

const container = (id: string): LogPosition => ({
  kind: 'container',
  id,
  from: 0,
  streams: { 1: { at: '2026-11-21T09:00:00.000000000Z', count: 2 } },
});

describe.each(DATABASE_KINDS)('positions in %s', (kind) => {
  const databases = useDatabases(kind);

  test('are read as they were written last, each instance its own', async () => {
    const tableOf = openTables(await databases.create());
    const [one, other] = [tableOf('one'), tableOf('other')];
    const many = new Map(Array.from({ length: 1_200 }, (_, index) => [`source ${index}`, container(`first ${index}`)]));
    await one.write(many, []);
    await one.write(new Map([['source 7', container('second')]]), []);
    await other.write(new Map([['source 7', container('of the other')]]), []);
    expect(await one.read()).toEqual(new Map([...many, ['source 7', container('second')]]));
    await one.write(new Map([['source 8', container('third')]]), [...many.keys()]);
    expect(await one.read()).toEqual(new Map([['source 8', container('third')]]));
    expect(await other.read()).toEqual(new Map([['source 7', container('of the other')]]));
  });

  test('are read beside one that is damaged', async () => {
    const address = await databases.create();
    const table = openTable(address);
    await table.write(new Map([['good', container('a')]]), []);
    const connection = await openDatabase(address);
    for (const [key, value] of Object.entries({ text: 'damaged', nothing: 'null', number: '1' }))
      await connection.exclusively(({ run }) =>
        run(`insert into instance_state values ('test', 'log-position', '${key}', '${value}')`),
      );
    await connection.close();
    expect(await table.read()).toEqual(new Map([['good', container('a')]]));
  });

  test('of what the inventory names no more are forgotten, and those of other instances stay', async () => {
    const tableOf = openTables(await databases.create());
    const [one, other] = [tableOf('one'), tableOf('other')];
    const sources = new Map(['kept', 'removed', 'of long ago'].map((source) => [source, container(source)]));
    await one.write(sources, []);
    await other.write(sources, []);
    const positions = createKeptValues(async () => one);
    onTestFinished(() => positions.stop());
    positions.keepOnly(new Set(['kept', 'removed']));
    expect(await positions.load('kept')).toEqual(container('kept'));
    await vi.waitFor(async () => expect([...(await one.read()).keys()].sort()).toEqual(['kept', 'removed']), LONG);
    positions.keep('removed', () => container('read on'));
    positions.keepOnly(new Set(['kept']));
    await vi.waitFor(async () => expect([...(await one.read()).keys()]).toEqual(['kept']), LONG);
    // A source that is named again later starts from the beginning.
    positions.keepOnly(new Set(['kept', 'removed']));
    // The database may show the deletion before it has confirmed it.
    await vi.waitFor(async () => expect(await positions.load('removed')).toBeUndefined(), LONG);
    expect(await other.read()).toEqual(sources);
  });

  test('let a restart resume where it was, with no line lost and none repeated', async () => {
    const address = await databases.create();
    const path = join(useFolder(), 'a.log');
    await writeFile(path, '');
    let follower = startFollower(address, path);
    await follower.begun();
    const writer = startLogWriter(path);
    const told: string[] = [];
    for (let restart = 0; restart < 2; restart++) {
      await follower.has(500);
      told.push(...(await follower.end('SIGTERM')));
      follower = startFollower(address, path);
    }
    const written = await writer.stop();
    await follower.has(written - told.length);
    told.push(...(await follower.end('SIGTERM')));
    expect(told).toEqual(numbered(0, written));
  }, 120_000);

  test('repeat after a kill only the lines since the last save', async () => {
    const address = await databases.create();
    const table = openTable(address);
    const path = join(useFolder(), 'a.log');
    await writeFile(path, '');
    let follower = startFollower(address, path);
    await follower.begun();
    const writer = startLogWriter(path);
    await vi.waitFor(async () => expect(await fileOffset(table)).toBeGreaterThan(0), LONG);
    for (let kill = 0; kill < 3; kill++) {
      await follower.has(1_000);
      const before = await follower.end('SIGKILL');
      const offset = (await fileOffset(table)) as number;
      follower = startFollower(address, path);
      await follower.has(1);
      const [first = ''] = await follower.end('SIGKILL');
      // The line that stands at the offset: lines are numbered, and written without a gap.
      let at = 0;
      let number = 0;
      while (at < offset) at += `line ${number++}\n`.length;
      expect(at).toBe(offset);
      expect(first).toBe(`line ${number}`);
      expect(number).toBeLessThanOrEqual(Number(before.at(-1)?.slice('line '.length)) + 1);
      follower = startFollower(address, path);
    }
    await writer.stop();
  }, 120_000);
});

test('a database that goes away and comes back is written again, and nothing waits for it', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop, 60_000);
  const table = openTable({ kind: 'postgres', url: await server.createDatabase() });
  const positions = createKeptValues(async () => table);
  onTestFinished(() => positions.stop());
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { begun, has, stop } = follow(path, positions);
  await begun;
  await writeFile(path, 'line 0\n');
  await vi.waitFor(async () => expect(await fileOffset(table)).toBe(7), LONG);
  await server.halt();
  await writeFile(path, 'line 0\nline 1\n');
  await has(2);
  await server.resume();
  await vi.waitFor(async () => expect(await fileOffset(table)).toBe(14), LONG);
  await stop();
}, 120_000);

test('a database that comes up after subnetd, as after a restart of the machine, is waited for', async () => {
  let refusals = 3;
  const table = { read: async () => new Map([['test', container('of before')]]), write: async () => {} };
  const positions = createKeptValues(async () => {
    if (refusals-- > 0) throw new Error('connect ECONNREFUSED');
    return table;
  });
  expect(await positions.load('test')).toEqual(container('of before'));
  await positions.stop();
}, 90_000);

test('a database that hangs does not keep logs from being read', async () => {
  const never = new Promise<never>(() => {});
  const positions = createKeptValues<LogPosition>(() => never);
  const path = join(useFolder(), 'a.log');
  await writeFile(path, '');
  const { begun, has, lines } = follow(path, positions);
  await begun;
  await writeFile(path, 'line 0\n');
  await has(1);
  expect(lines).toEqual(['line 0']);
  await positions.stop();
}, 60_000);

test('the end is not held up by a database that hangs, and saves nothing of what was never read', async () => {
  const written: unknown[] = [];
  const table: KeptTable<LogPosition> = {
    read: () => new Promise(() => {}),
    write: async (changed) => void written.push(changed),
  };
  const positions = createKeptValues(async () => table);
  const { stop, state, begun } = follow(join(useFolder(), 'a.log'), positions);
  // It never begins.
  begun.catch(() => {});
  await positions.stop(stop());
  expect([written, state.sweeps]).toEqual([[], 0]);
}, 9_000);
