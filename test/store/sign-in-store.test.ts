import { describe, expect, it } from 'vitest';
import { onCommandLine } from '../../src/platform/api/create-admin.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { addFailure, findFailures } from '../support/sign-in-failures.ts';
import { useApi, useDatabases } from '../support/use-api.ts';

const NOW = Date.UTC(2026, 0, 31);
const author = onCommandLine(NOW);
const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const api = useApi(useDatabases(kind));

  it('an enrolment counts once it is confirmed, and cannot be replaced then', async () => {
    const { store } = api;
    expect(await store.findCodes(1)).toBeUndefined();
    expect(await store.startCodes(1, 'first')).toBe(true);
    expect(await store.startCodes(1, 'second')).toBe(true);
    expect(await store.findCodes(1)).toEqual({ secret: 'second', isConfirmed: false, recoveryCodes: 0 });
    expect(await store.confirmCodes(1, { secret: 'first', hashes: ['a'] }, author)).toBe(false);
    expect(await store.replaceRecoveryCodes(1, ['a'], author)).toBe(false);
    expect(await store.confirmCodes(1, { secret: 'second', hashes: ['a', 'b', 'c'] }, author)).toBe(true);
    expect(await store.confirmCodes(1, { secret: 'second', hashes: ['d'] }, author)).toBe(false);
    expect(await store.startCodes(1, 'third')).toBe(false);
    expect(await store.findCodes(1)).toEqual({ secret: 'second', isConfirmed: true, recoveryCodes: 3 });
  });

  it('a key that several revoke at once has one event of its end', async () => {
    const { store } = api;
    const { id } = await api.makeKey('read');
    const revoked = await Promise.all(Array.from({ length: 8 }, () => store.revokeKey(id, author)));
    expect(revoked).toEqual(revoked.map(() => true));
    const ends = (await store.searchAudit({ limit: 100 })).filter(({ action }) => action === 'revoke');
    expect(ends.map(({ recordId }) => recordId)).toEqual([id]);
    expect(await store.revokeKey(id + 1, author)).toBe(false);
  });

  it('the code of a window and a recovery code are taken once, by whoever is first', async () => {
    const { store } = api;
    const race = (take: () => Promise<boolean>) => Promise.all([take(), take(), take()]);
    expect((await race(() => store.takeStep(1, 7))).filter(Boolean)).toHaveLength(1);
    expect(await store.takeStep(1, 6)).toBe(false);
    expect(await store.takeStep(1, 8)).toBe(true);
    expect(await store.takeStep(2, 8)).toBe(false);
    expect(await store.findRecoveryCode(1, 1)).toBe('b');
    expect((await race(() => store.takeRecoveryCode(1, 1))).filter(Boolean)).toHaveLength(1);
    expect(await store.findRecoveryCode(1, 1)).toBeUndefined();
    expect((await store.findCodes(1))?.recoveryCodes).toBe(2);
  });

  it('new recovery codes replace the old ones, and a removal leaves nothing behind', async () => {
    const { store } = api;
    expect(await store.replaceRecoveryCodes(1, ['x', 'y'], author)).toBe(true);
    expect([await store.findRecoveryCode(1, 0), await store.findRecoveryCode(1, 2)]).toEqual(['x', undefined]);
    expect(await store.removeCodes(1, author)).toBe(true);
    expect(await store.removeCodes(1, author)).toBe(false);
    expect([await store.findCodes(1), await store.findRecoveryCode(1, 0)]).toEqual([undefined, undefined]);
    const events = (await store.searchAudit({ limit: 100 })).filter(({ resource }) => resource === 'OneTimeCodes');
    expect(events.map(({ action, recordId, changes }) => [action, recordId, changes])).toEqual([
      ['enrol', 1, {}],
      ['renew', 1, {}],
      ['remove', 1, {}],
    ]);
  });

  it('failures are counted for a name and an address, and those of long ago are not', async () => {
    const { store } = api;
    await Promise.all([1, 2, 3].map(() => addFailure(store, 'name', ['192.0.2.1', ''], day(2), day(1))));
    await addFailure(store, 'name', ['192.0.2.2', ''], day(3), day(2));
    await addFailure(store, 'other', ['192.0.2.1'], day(3), day(2));
    expect(await findFailures(store, 'name', ['192.0.2.2', '192.0.2.9', ''])).toEqual([
      { failures: 1, lastAt: day(3) },
      undefined,
      { failures: 4, lastAt: day(3) },
    ]);
    await addFailure(store, 'name', [''], day(9), day(8));
    expect(await findFailures(store, 'name', [''])).toEqual([{ failures: 1, lastAt: day(9) }]);
    expect(await store.clearFailures('name', ['192.0.2.1'])).toBe(1);
    expect(await store.clearFailures('name')).toBe(2);
    expect(await findFailures(store, 'other', ['192.0.2.1'])).toEqual([{ failures: 1, lastAt: day(3) }]);
  });

  it('thirty attempts at once count one after the other, and only as many as may be tried', async () => {
    const { store } = api;
    const attempt = { name: 'many', addresses: ['192.0.2.1', ''], at: day(2), since: day(1) };
    const all = await Promise.all(
      Array.from({ length: 30 }, () => store.countAttempt(attempt, ([here]) => (here?.failures ?? 0) < 10)),
    );
    expect(all.map(([here]) => here?.failures ?? 0).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, index) => Math.min(index, 10)),
    );
    expect(await findFailures(store, 'many', ['192.0.2.1', ''])).toEqual(
      Array(2).fill({ failures: 10, lastAt: day(2) }),
    );
  });

  it('an attempt that was taken back leaves what was there before, and one that may not be tried leaves nothing', async () => {
    const { store } = api;
    await addFailure(store, 'back', [''], day(2));
    const attempt = { name: 'back', addresses: ['192.0.2.1', ''], at: day(3), since: day(1) };
    const before = await store.countAttempt(attempt, () => true);
    expect(before).toEqual([undefined, { failures: 1, lastAt: day(2) }]);
    expect(await findFailures(store, 'back', attempt.addresses)).toMatchObject([{ failures: 1 }, { failures: 2 }]);
    await store.takeBackAttempt(attempt, before);
    expect(await findFailures(store, 'back', attempt.addresses)).toEqual(before);
    await store.countAttempt(attempt, () => false);
    expect(await store.clearFailures('back')).toBe(1);
  });

  it('failures are forgotten by age and by number, the oldest first', async () => {
    const { store } = api;
    for (const n of [4, 5, 6, 7]) await addFailure(store, 'name', [`192.0.2.${n}`], day(n), day(1));
    const left = async () => {
      const found = await findFailures(
        store,
        'name',
        [4, 5, 6, 7].map((n) => `192.0.2.${n}`),
      );
      return found.flatMap((row) => (row ? [row.lastAt] : []));
    };
    await store.trimFailures(day(5), 100);
    expect(await left()).toEqual([5, 6, 7].map(day));
    await store.trimFailures(day(5), 2);
    expect(await left()).toEqual([6, 7].map(day));
  });
});
