import { describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { createKeyJournal, firstJournalDay } from '../../../src/platform/api/key-journal.ts';
import type { KeyUse } from '../../../src/platform/model/key-use.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const NOW = Date.parse('2026-11-27T12:00:00.000Z');
const AUTHOR = onCommandLine(NOW);
const use = { keyId: 1, operation: 'GET /Sector/ListAll/{id}', status: 200, code: 0 };

describe('the journal of keys', () => {
  it('counts equal answers, knows the ids of the last five, and writes them together', async () => {
    const written: KeyUse[][] = [];
    const journal = createKeyJournal({
      write: async (uses) => void written.push([...uses]),
      now: () => NOW,
      everyMs: 60_000,
    });
    for (let number = 1; number <= 7; number += 1) journal.note({ ...use, requestId: `r${number}` });
    journal.note({ ...use, status: 403, code: 1104, requestId: undefined });
    await journal.flush();
    await journal.flush();
    const about = { day: '2026-11-27', lastAt: '2026-11-27T12:00:00.000Z' };
    expect(written).toEqual([
      [
        { ...use, ...about, count: 7, requestIds: ['r7', 'r6', 'r5', 'r4', 'r3'] },
        { ...use, ...about, status: 403, code: 1104, count: 1, requestIds: [] },
      ],
    ]);
  });

  it('writes by itself after a while, and forgets what a broken database does not take', async () => {
    let writes = 0;
    const write = async () => {
      writes += 1;
      throw new Error('down');
    };
    const journal = createKeyJournal({ write, now: () => NOW, everyMs: 1 });
    journal.note({ ...use, requestId: 'a' });
    await expect.poll(() => writes).toBe(1);
    await journal.flush();
    expect(writes).toBe(1);
  });

  it('holds a bounded number of kinds of answers', async () => {
    let kinds = 0;
    const write = async (uses: readonly KeyUse[]) => {
      kinds += uses.length;
    };
    const journal = createKeyJournal({ write, now: () => NOW, everyMs: 60_000 });
    for (let keyId = 1; keyId <= 1_500; keyId += 1) journal.note({ ...use, keyId, requestId: 'a' });
    await journal.flush();
    expect(kinds).toBe(1_000);
  });

  it('keeps seven days, today included', () => {
    expect(firstJournalDay(NOW)).toBe('2026-11-21');
  });
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const api = useApi(useDatabases(kind));
  const list = async (id: number) =>
    (await api.store.listKeyUses(id, 99)).map(({ operation, status, code, count, requestIds }) => [
      ...[operation, status, code, count, requestIds],
    ]);

  it('what a key and its tokens asked for is known by status and code with the ids, and nothing of what was sent', async () => {
    const { id, key } = await api.makeKey('lists');
    const send = (method: string, path: string, requestId: string, body?: object) =>
      api.sendBare(method, path, body, { 'x-api-key': key, 'x-request-id': requestId });
    await send('GET', '/api/Sector/ListAll/0?search=secret-word', 'one');
    await send('GET', '/api/v1/Sector/ListAll/0', 'two');
    await send('GET', '/api/Sector/ListAll/x', 'three');
    await send('POST', '/api/AdminUser/Add', 'four', { Password: 'secret word' });
    await send('GET', '/api/secret/word', 'five');
    const { token } = (await send('POST', '/api/Auth/Token', 'six', {})).data;
    const headers = { authorization: token, 'x-request-id': 'seven' };
    await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, headers);
    await api.store.revokeKey(id, { ...AUTHOR, at: new Date().toISOString() });
    await send('GET', '/api/Sector/ListAll/0', 'eight');
    await (await api.platform.services()).keyJournal.flush();
    expect((await list(id)).toSorted()).toEqual(
      [
        ['GET /Sector/ListAll/{id}', 200, 0, 3, ['seven', 'two', 'one']],
        ['GET /Sector/ListAll/{id}', 400, 1003, 1, ['three']],
        ['GET /Sector/ListAll/{id}', 400, 1123, 1, ['eight']],
        ['GET unknown path', 403, 1004, 1, ['five']],
        ['POST /AdminUser/Add', 403, 1104, 1, ['four']],
        ['POST /Auth/Token', 200, 0, 1, ['six']],
      ].toSorted(),
    );
    expect(JSON.stringify(await api.store.listKeyUses(id, 99))).not.toMatch(/secret/);
  });

  it('the uses of replicas add up, the ids stay few, and old days are deleted', async () => {
    const { id: keyId } = await api.makeKey('read');
    const of = (day: string, count: number, ids: readonly string[]): KeyUse => ({
      ...{ ...use, keyId, day, count, lastAt: `${day}T00:00:00.000Z`, requestIds: ids },
    });
    const uuid = (n: number) => `${n}`.repeat(36);
    await api.store.addKeyUses([of('2026-11-20', 9, ['old']), of('2026-11-27', 2, [1, 2, 3].map(uuid))]);
    await api.store.addKeyUses([of('2026-11-27', 3, [4, 5, 6].map(uuid))]);
    expect((await list(keyId)).map(([, , , count, ids]) => [count, ids])).toEqual([
      [5, [4, 5, 6, 1, 2].map(uuid)],
      [9, ['old']],
    ]);
    await api.store.trimKeyUses('2026-11-21');
    expect((await list(keyId)).map(([, , , count]) => count)).toEqual([5]);
  });
});
