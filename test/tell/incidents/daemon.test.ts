import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually, NO_BROWSER, startCli, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { runCommand } from '../../support/run-command.ts';

interface Exported {
  readonly id: string;
  readonly end: string | null;
  readonly capsule: {
    readonly targets: readonly { readonly name: string }[];
    readonly logs: readonly { readonly lines: readonly unknown[] }[];
  } | null;
  readonly timeline: { readonly changes: readonly { readonly kind: string; readonly is: string }[] };
}

// The container is confirmed to be down after 20 s.
it('a fault becomes an incident with a capsule and what changed, which goes on after a kill and ends with its target', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const demo = startCli(['demo', '--config-only', '--fault', 'node-down'], { TMPDIR: folder.path(''), ...NO_BROWSER });
  onTestFinished(() => void demo.child.kill('SIGTERM'));
  await demo.waitFor(/docker:\n.*\n +port: \d+\n/);
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, demo.output());
  const environment = { SUBNETD_DATABASE_URL: `sqlite:${join(folder.path('data'), 'subnetd.db')}` };
  const first = await startDaemon(config, environment);
  onTestFinished(() => void first.child.kill('SIGTERM'));

  const link = `${first.url}/incidents?alert=SubnetContainerDown&subnet=demo&name=subnet2`;
  const found = await eventually(async () => {
    const answer = await fetch(link, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    return answer.headers.get('location') ?? '';
  }, 90_000);
  const read = async ({ url }: { readonly url: string }) =>
    (await (await fetch(`${url}${found}.json`)).json()) as Exported;
  await eventually(async () => {
    const { capsule, timeline, end } = await read(first);
    expect(end).toBeNull();
    expect(capsule?.targets[0]?.name).toBe('subnet2');
    expect(capsule?.logs[0]?.lines.length).toBeGreaterThan(1);
    expect(timeline.changes.map(({ kind, is }) => `${kind} ${is}`)).toContain('check fail');
  });
  expect(first.output()).not.toContain('please report this');
  const exported = folder.path('incident.json');
  writeFileSync(exported, JSON.stringify(await read(first)));
  const replayed = await runCommand(['replay', exported]);
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  expect(replayed.stdout).toContain('container_down node subnet2  warning  open\n');
  expect(replayed.stdout).toMatch(/the same as version \d+\.\d+\.\d+ told\n$/);

  interface Status {
    readonly subnets: readonly { readonly problems: readonly Readonly<Record<string, string>>[] }[];
  }
  const openOf = async ({ url }: { readonly url: string }) => {
    const { subnets } = (await (await fetch(`${url}/status.json`)).json()) as Status;
    const { problem, state, since } = subnets[0]?.problems.find(({ name }) => name === 'subnet2') ?? {};
    return { problem, state, since };
  };
  const before = await openOf(first);
  expect(before).toMatchObject({ problem: 'container_down', state: 'open' });
  first.child.kill('SIGKILL');
  await first.finished;
  const daemon = await startDaemon(config, environment);
  onTestFinished(() => void daemon.child.kill('SIGTERM'));
  await eventually(async () => expect(await openOf(daemon)).toEqual(before), 30_000);
  expect(daemon.output()).not.toContain('problem opened');

  const inventory = parse(demo.output());
  const [subnet] = inventory.subnets;
  subnet.nodes = subnet.nodes.filter(({ name }: { readonly name: string }) => name !== 'subnet2');
  writeFileSync(config, stringify(inventory));
  await eventually(async () => expect((await read(daemon)).end).toBe('removed'), 30_000);
  expect(await (await fetch(`${daemon.url}${found}.md`)).text()).toMatch(
    /^# demo: the container of subnet2 does not run\n/,
  );
  expect((await read(daemon)).timeline.changes.map(({ kind }) => kind)).toContain('inventory');
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);

  const later = await startDaemon(config, environment);
  onTestFinished(() => void later.child.kill('SIGTERM'));
  const kept = (await (await fetch(`${later.url}${found}.json`)).json()) as Exported;
  expect([kept.end, kept.capsule?.targets[0]?.name]).toEqual(['removed', 'subnet2']);
  expect(kept.timeline.changes.map(({ kind }) => kind)).toContain('check');
}, 180_000);
