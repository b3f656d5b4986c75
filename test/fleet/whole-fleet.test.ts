import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shardOf } from '../../src/model/shard.ts';
import type { FleetStatus } from '../../src/web/fleet-route.ts';
import { auditPage } from '../support/audit-page.ts';
import { launchChromium } from '../support/chromium.ts';
import { eventually, startDaemon, temporaryFolder } from '../support/cli.ts';
import { words } from '../support/page-words.ts';
import { type Postgres, usePostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';

const SUBNETS = Array.from({ length: 6 }, (_, index) => `net${index}`);
const ownedBy = (index: number) => SUBNETS.filter((name) => shardOf(name, 3) === index);

const folder = temporaryFolder();
let postgres: Postgres;
let browser: Browser;
const daemons: Awaited<ReturnType<typeof startDaemon>>[] = [];
beforeAll(async () => {
  postgres = await usePostgres();
  browser = await launchChromium();
  const database = await postgres.createDatabase();
  const subnets = SUBNETS.map((name) => ({ name, nodes: [{ name: 'n', rpc: 'http://127.0.0.1:1' }] }));
  writeFileSync(folder.path('subnetd.yaml'), JSON.stringify({ subnets }));
  const start = (index: number) =>
    startDaemon(folder.path('subnetd.yaml'), {
      ...{ SUBNETD_DATABASE_URL: database, SUBNETD_SHARD: `${index}/3`, SUBNETD_INSTANCE: `subnetd-${index}` },
    });
  daemons.push(...(await Promise.all([0, 1, 2].map(start))));
}, 120_000);
afterAll(async () => {
  for (const { child } of daemons) child.kill('SIGKILL');
  await Promise.all(daemons.map(({ finished }) => finished));
  await browser?.close();
  await postgres?.stop();
  folder.remove();
});

const ask = async (index: number, path: string) => (await fetch(`${daemons[index]?.url}${path}`)).text();
const fleetOf = async (index: number) => JSON.parse(await ask(index, '/fleet.json')) as FleetStatus;
const statesOf = async (index: number) => {
  const { shards, subnets } = await fleetOf(index);
  return [
    shards.map(({ shard, state }) => `${shard} ${state}`),
    subnets.map(({ name, instance, state }) => `${name} ${instance} ${state}`),
  ];
};
const statesWith = (dead?: number) => [
  [0, 1, 2].map((index) => `${index}/3 ${index === dead ? 'unseen' : 'seen'}`),
  SUBNETS.map((name) => {
    const owner = shardOf(name, 3);
    return `${name} subnetd-${owner} ${owner === dead ? 'unseen' : 'seen'}`;
  }),
];

it('every instance shows the whole fleet, and a shard that is killed as unseen with its subnets in grey', async () => {
  for (const index of [0, 1, 2]) expect(ownedBy(index), 'each shard has a subnet').not.toEqual([]);
  await eventually(async () => {
    for (const index of [0, 1, 2]) expect(await statesOf(index)).toEqual(statesWith());
  });
  const [lost = ''] = ownedBy(1);
  expect(await ask(0, `/targets/${lost}/n`)).toBe(
    `${lost} is watched by subnetd-1 (shard 1/3), which also has the pages of its targets; see /\n`,
  );
  const before = words(await ask(0, '/'));
  for (const name of SUBNETS) expect(before).toContain(name);
  expect(before).not.toContain('unseen');
  expect(before).toMatch(/0\/3 subnetd-0 \(this one\) seen .* 1\/3 subnetd-1 seen .* 2\/3 subnetd-2 seen/);

  daemons[1]?.child.kill('SIGKILL');
  await eventually(async () => {
    for (const index of [0, 2]) expect(await statesOf(index)).toEqual(statesWith(1));
  });
  for (const index of [0, 2]) {
    const page = await ask(index, '/');
    expect(words(page)).toMatch(
      /Shard 1\/3 has not been seen since \d\d:\d\d:\d\d UTC \d of its subnets (is|are) not watched by anyone\./,
    );
    for (const name of ownedBy(1)) {
      const card = page.match(new RegExp(`<li class="panel off"><h3><a href="/\\?subnet=${name}"[\\s\\S]*?</li>`))?.[0];
      expect(words(card ?? '')).toMatch(
        new RegExp(
          `unseen ${name} has not been seen since .* UTC Last known state: .*watched by subnetd-1 \\(shard 1/3\\)`,
        ),
      );
    }
    expect(await ask(index, '/metrics')).toContain('subnetd_shard_seen{shard="1"} 0\n');
  }
  const status = await runCommand(['status', '--url', `${daemons[0]?.url}`]);
  expect([status.code, status.stdout]).toEqual([
    1,
    expect.stringMatching(
      /✗ shard 1\/3 \(subnetd-1\) has not been seen since .* UTC, for .*: restart it, or restore its connection to the database/,
    ),
  ]);
  const page = await browser.newPage({ bypassCSP: true });
  for (const path of ['/', `/?subnet=${lost}`]) {
    await page.goto(`${daemons[0]?.url}${path}`);
    await auditPage(page);
  }
  await page.close();
}, 240_000);
