import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startApiDaemon } from '../../support/api-daemon.ts';
import { eventually, temporaryFolder } from '../../support/cli.ts';
import { openHistory } from '../../support/history-stores.ts';

// The database is first read 15 s after the start, and changes are found every five seconds.
it('a daemon shows the bars of the one before it, goes on with its changes, and adds its own', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path('data'), 'subnetd.db');
  const store = await openHistory({ kind: 'sqlite', path })(hostname());
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const target = { subnet: 'devnet', component: 'node', name: 'subnet1' } as const;
  const none = { ok: 0, fail: 0, unseen: 0, planned: 0 };
  await store.addTimes([
    { ...target, span: 'hour', start: hour - 5 * 3_600_000, ...none, ok: 3_000_000 },
    { ...target, span: 'hour', start: hour - 7 * 3_600_000, ...none, ok: 2_000_000, fail: 1_000_000 },
  ]);
  const bars = async (url: string) =>
    [...(await (await fetch(`${url}/targets/devnet/subnet1`)).text()).matchAll(/class="(?:up|part)" d="([^"]+)"/g)].map(
      ([, path]) => path,
    );
  const changes = async (url: string) => {
    const answer = await fetch(`${url}/history.json?name=subnet1`);
    return ((await answer.json()) as { changes: { check?: string; was: string; is: string }[] }).changes;
  };

  const seen: unknown[] = [];
  for (const run of [1, 2]) {
    const daemon = await startApiDaemon({ SUBNETD_DATABASE_URL: `sqlite:${path}` });
    onTestFinished(() => void daemon.end('SIGKILL'));
    await eventually(async () => expect(await bars(daemon.url)).toHaveLength(2), 60_000);
    seen.push(await bars(daemon.url));
    const time = async () =>
      (await store.uptimesAt('hour', hour)).concat(await store.uptimesAt('hour', hour + 3_600_000));
    await eventually(async () =>
      expect((await changes(daemon.url)).filter(({ check }) => check === 'latest_block')).toEqual([
        expect.objectContaining({ was: 'unknown', is: 'fail' }),
      ]),
    );
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toContain('\nsubnetd_history_dropped_total 0\n');
    const before = (await time()).reduce((sum, { unseen }) => sum + unseen, 0);
    // What was recorded since the last minute is written at the stop.
    expect(await daemon.end()).toBe(0);
    expect(
      (await time()).reduce((sum, { unseen }) => sum + unseen, 0),
      `run ${run}`,
    ).toBeGreaterThan(before);
    const broke = (await store.changes({ limit: 99 })).filter(({ what }) => what === 'latest_block');
    expect(broke, `run ${run}`).toHaveLength(1);
  }
  expect(seen[1]).toEqual(seen[0]);
}, 180_000);
