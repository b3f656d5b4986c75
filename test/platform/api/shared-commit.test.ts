import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectType } from '../../../src/platform/api/resources.ts';
import { type Api, startApi } from '../../support/api.ts';

let folder: string;
let path: string;
let api: Api;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'subnetd-shared-'));
  path = join(folder, 'subnetd.db');
  api = await startApi({ kind: 'sqlite', path });
});

afterEach(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
const add = (name: string) => api.store.add(projectType, { ContractName: name, IsDeleted: false }, author);

/** What another process sees, which is what is committed. */
function committed() {
  const database = new Database(path, { readonly: true });
  try {
    return {
      names: database.prepare('select contract_name from project_type order by id').pluck().all(),
      audited: database.prepare("select count(*) from audit_event where resource = 'ProjectType'").pluck().get(),
    };
  } finally {
    database.close();
  }
}

describe('writes that come at once on SQLite', () => {
  it('share one commit, and none resolves before it', async () => {
    const watcher = new Database(path, { readonly: true });
    const version = () => Number(watcher.pragma('data_version', { simple: true }));
    const before = version();
    const seen: number[] = [];
    const names = Array.from({ length: 40 }, (_, index) => `contract ${index}`);
    await Promise.all(
      names.map(async (name) => {
        await add(name);
        seen.push(committed().names.length);
      }),
    );
    expect(seen).toEqual(names.map(() => 40));
    expect(committed()).toEqual({ names, audited: 40 });
    expect(version()).toBe(before + 1);
    watcher.close();
  });

  it('fail alone: those beside one that fails are written, in their order, and audited once', async () => {
    await add('taken');
    const written = await Promise.all(['first', 'taken', 'second', 'taken', 'third'].map(add));
    expect(written.map(({ ok }) => ok)).toEqual([true, false, true, false, true]);
    expect(committed()).toEqual({ names: ['taken', 'first', 'second', 'third'], audited: 4 });
  });

  it('wait while another process writes, and are written when it has ended', async () => {
    const other = new Database(path);
    other.exec('begin immediate');
    const writes = Promise.all(['first', 'second'].map(add));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(committed().names).toEqual([]);
    other.exec('commit');
    other.close();
    expect((await writes).map(({ ok }) => ok)).toEqual([true, true]);
    expect(committed()).toEqual({ names: ['first', 'second'], audited: 2 });
  });
});
