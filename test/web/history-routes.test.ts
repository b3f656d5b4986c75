import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { databaseAway } from '../../src/lib/database-failure.ts';
import type { HistoryChange, HistoryStore } from '../../src/model/history.ts';
import { answerChanges, answerUptimes } from '../../src/web/history-routes.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { openHistory } from '../support/history-stores.ts';
import { useDatabases } from '../support/use-api.ts';

const appOn = (store: () => Promise<HistoryStore>) => {
  const app = new Hono();
  app.get('/history.json', answerChanges(store));
  app.get('/history.json/uptime', answerUptimes(store));
  return async (path: string) => {
    const answer = await app.request(path);
    const text = await answer.text();
    return { status: answer.status, text, read: () => JSON.parse(text) };
  };
};

const AT = Date.UTC(2026, 10, 21, 12);
const change = (at: number, name: string, more: Partial<HistoryChange> = {}): HistoryChange => ({
  at: AT + at,
  subnet: 'devnet',
  component: 'node',
  name,
  kind: 'check',
  what: 'peers',
  was: 'pass',
  is: 'fail',
  reason: 'it has no peers; connect it',
  ...more,
});

describe.each(DATABASE_KINDS)('the history for programs, on %s', (kind) => {
  const databases = useDatabases(kind);

  it('lists changes, the newest first, page by page, of a subnet, a target and a time', async () => {
    const store = openHistory(await databases.create());
    const problem = { kind: 'problem', what: 'subnet_halted', was: 'none', is: 'open', reason: 'r' } as const;
    const whole: HistoryChange = { at: AT + 3_000, subnet: 'other', ...problem };
    // Three at the same moment, so that a page ends between them.
    await (await store()).addChanges([
      change(1_000, 'a'),
      change(2_000, 'a'),
      change(2_000, 'b'),
      change(2_000, 'c'),
      whole,
    ]);
    const get = appOn(() => store());
    const all = (await get('/history.json')).read();
    expect(all.next).toBeUndefined();
    expect(all.changes[0]).toEqual({
      at: '2026-11-21T12:00:03.000Z',
      subnet: 'other',
      problem: 'subnet_halted',
      was: 'none',
      is: 'open',
      reason: 'r',
    });
    expect(all.changes[1]).toEqual({
      at: '2026-11-21T12:00:02.000Z',
      subnet: 'devnet',
      component: 'node',
      name: 'c',
      check: 'peers',
      was: 'pass',
      is: 'fail',
      reason: 'it has no peers; connect it',
    });
    const namesOf = ({ changes }: { changes: { name?: string }[] }) => changes.map(({ name }) => name ?? '-').join(' ');
    expect(namesOf(all)).toBe('- c b a a');
    const pages: string[] = [];
    for (let after: string | undefined = ''; after !== undefined && pages.length < 9; ) {
      const page = (await get(`/history.json?limit=2${after && `&after=${encodeURIComponent(after)}`}`)).read();
      pages.push(namesOf(page));
      after = page.next;
    }
    expect(pages).toEqual(['- c', 'b a', 'a']);
    const names = async (query: string) => namesOf((await get(`/history.json?${query}`)).read());
    expect(await names('subnet=devnet&name=a')).toBe('a a');
    expect(await names('subnet=nothing')).toBe('');
    expect(await names('from=2026-11-21T12:00:02Z&to=2026-11-21T12:00:03Z')).toBe('c b a');
    expect(await names('to=2026-11-21')).toBe('');
    expect(await names('from=2026-11-21&subnet=other')).toBe('-');
  });

  it('gives a percent that is whole as that, and not as the number just below', async () => {
    const store = openHistory(await databases.create());
    const day = { subnet: 'devnet', component: 'node', span: 'day', start: AT, unseen: 0, planned: 0 } as const;
    const all = Array.from({ length: 101 }, (_, ok) => ({ ...day, name: `n${ok}`, ok, fail: 100 - ok }));
    await (await store()).addTimes(all);
    const { targets } = (await appOn(() => store())('/history.json/uptime')).read();
    const percents = targets.map(({ name, days }: { name: string; days: { percent: number }[] }) => [
      name,
      days[0]?.percent,
    ]);
    expect(Object.fromEntries(percents)).toEqual(Object.fromEntries(all.map(({ name, ok }) => [name, ok])));
  });

  it('gives uptimes by day and month, in seconds and percent', async () => {
    const store = openHistory(await databases.create());
    const target = { subnet: 'devnet', component: 'node', name: 'a', span: 'day' } as const;
    const none = { ok: 0, fail: 0, unseen: 0, planned: 0 };
    await (await store()).addTimes([
      { ...target, start: Date.UTC(2026, 9, 31), ...none, ok: 2_000, fail: 1_000 },
      { ...target, start: Date.UTC(2026, 10, 1), ...none, ok: 7_000, planned: 1_000, fail: 2_000 },
      { ...target, start: Date.UTC(2026, 10, 2), ...none, unseen: 5_000 },
      { ...target, name: 'b', start: Date.UTC(2026, 10, 2), ...none, ok: 1 },
      { ...target, span: 'hour', start: Date.UTC(2026, 10, 2), ...none, fail: 99 },
    ]);
    const get = appOn(() => store());
    const zero = { ok: 0, fail: 0, unseen: 0, planned: 0 };
    expect((await get('/history.json/uptime?subnet=devnet&name=a')).read()).toEqual({
      targets: [
        {
          subnet: 'devnet',
          component: 'node',
          name: 'a',
          days: [
            { day: '2026-10-31', ...zero, ok: 2, fail: 1, percent: 66.666 },
            { day: '2026-11-01', ...zero, ok: 7, fail: 2, planned: 1, percent: 80 },
            { day: '2026-11-02', ...zero, unseen: 5, percent: null },
          ],
          months: [
            { month: '2026-10', ...zero, ok: 2, fail: 1, percent: 66.666 },
            { month: '2026-11', ...zero, ok: 7, fail: 2, planned: 1, unseen: 5, percent: 80 },
          ],
        },
      ],
    });
    await (await store()).addTimes(
      [100, 200].map((ok, day) => ({ ...target, name: 'c', start: Date.UTC(2026, 10, 1 + day), ...none, ok })),
    );
    // Not 0.30000000000000004, as seconds would add up.
    expect((await get('/history.json/uptime?name=c')).read()).toMatchObject({ targets: [{ months: [{ ok: 0.3 }] }] });
    const of = async (query: string) =>
      (await get(`/history.json/uptime${query}`))
        .read()
        .targets.map(({ name, days }: { name: string; days: unknown[] }) => `${name} ${days.length}`);
    expect(await of('')).toEqual(['a 3', 'b 1', 'c 2']);
    expect(await of('?from=2026-11-01&to=2026-11-02')).toEqual(['a 1', 'c 1']);
  });
});

describe('the history for programs', () => {
  it.each([
    ['from=yesterday', 'from must be a day or time such as 2026-01-31 or 2026-01-31T10:00:00Z'],
    ['from=2026-02-31', 'from must be a day or time such as 2026-01-31 or 2026-01-31T10:00:00Z'],
    ['to=2026-01-31T10:00', 'to must be a day or time such as 2026-01-31 or 2026-01-31T10:00:00Z'],
    ['from=2026-02-02&to=2026-02-01', 'from must be before to'],
    ['subnet=', 'subnet must be the name of a subnet'],
    ['name=a%00', 'name must be the name of a target'],
    ['name=a&name=b', 'name is given twice; name it once'],
    ['subnte=a', 'unknown parameter "subnte"; use subnet, name, from, to, limit, after'],
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
    ['after=5', 'after must be the value of next in the previous answer'],
  ])('refuses ?%s with a sentence', async (query, sentence) => {
    const get = appOn(async () => expect.fail('a bad request needs no database'));
    const { status, text } = await get(`/history.json?${query}`);
    expect([status, text]).toEqual([400, `${sentence}\n`]);
  });

  it('refuses pages of uptimes, and more of them than an answer holds', async () => {
    const day = {
      subnet: 'd',
      component: 'node',
      name: 'n',
      span: 'day',
      start: AT,
      ok: 1,
      fail: 0,
      unseen: 0,
      planned: 0,
    } as const;
    const days: HistoryStore['days'] = async ({ limit }) => Array.from({ length: limit }, () => day);
    const get = appOn(async () => ({ days }) as unknown as HistoryStore);
    expect((await get('/history.json/uptime?limit=1')).text).toBe(
      'unknown parameter "limit"; use subnet, name, from, to\n',
    );
    const { status, text } = await get('/history.json/uptime');
    expect([status, text]).toEqual([
      400,
      'the answer would exceed 20000 target days; ask for a subnet, a target or a shorter time\n',
    ]);
  });

  it('says that the database is away', async () => {
    const get = appOn(async () => {
      throw databaseAway();
    });
    for (const path of ['/history.json', '/history.json/uptime']) {
      const { status, text } = await get(path);
      expect([status, text]).toEqual([
        503,
        'the database does not answer, so the history cannot be read; the log of subnetd says why\n',
      ]);
    }
  });
});
