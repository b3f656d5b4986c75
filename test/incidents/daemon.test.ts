import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually, NO_BROWSER, startCli, startDaemon, temporaryFolder } from '../support/cli.ts';

interface Exported {
  readonly id: string;
  readonly end: string | null;
  readonly capsule: {
    readonly targets: readonly { readonly name: string }[];
    readonly logs: readonly { readonly lines: readonly unknown[] }[];
  } | null;
  readonly timeline: { readonly changes: readonly { readonly kind: string; readonly is: string }[] };
}

// The container is confirmed to be down after 20 s, and the database is first used 15 s after the start.
it('a fault becomes an incident with a capsule and what changed, which a reload without the target ends', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const demo = startCli(['demo', '--config-only', '--fault', 'node-down'], { TMPDIR: folder.path(''), ...NO_BROWSER });
  onTestFinished(() => void demo.child.kill('SIGTERM'));
  await demo.waitFor(/docker:\n.*\n +port: \d+\n/);
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, demo.output());
  const environment = { SUBNETD_DATABASE_URL: `sqlite:${join(folder.path('data'), 'subnetd.db')}` };
  const daemon = await startDaemon(config, environment);
  onTestFinished(() => void daemon.child.kill('SIGTERM'));

  const link = `${daemon.url}/incidents?alert=SubnetContainerDown&subnet=demo&name=subnet2`;
  const found = await eventually(async () => {
    const answer = await fetch(link, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    return answer.headers.get('location') ?? '';
  }, 90_000);
  const read = async () => (await (await fetch(`${daemon.url}${found}.json`)).json()) as Exported;
  await eventually(async () => {
    const { capsule, timeline, end } = await read();
    expect(end).toBeNull();
    expect(capsule?.targets[0]?.name).toBe('subnet2');
    expect(capsule?.logs[0]?.lines.length).toBeGreaterThan(1);
    expect(timeline.changes.map(({ kind, is }) => `${kind} ${is}`)).toContain('check fail');
  });
  expect(daemon.output()).not.toContain('please report this');

  const inventory = parse(demo.output());
  const [subnet] = inventory.subnets;
  subnet.nodes = subnet.nodes.filter(({ name }: { readonly name: string }) => name !== 'subnet2');
  writeFileSync(config, stringify(inventory));
  await eventually(async () => expect((await read()).end).toBe('removed'), 30_000);
  expect(await (await fetch(`${daemon.url}${found}.md`)).text()).toMatch(
    /^# demo: the container of subnet2 does not run\n/,
  );
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);

  const later = await startDaemon(config, environment);
  onTestFinished(() => void later.child.kill('SIGTERM'));
  const kept = (await (await fetch(`${later.url}${found}.json`)).json()) as Exported;
  expect([kept.end, kept.capsule?.targets[0]?.name]).toEqual(['removed', 'subnet2']);
  expect(kept.timeline.changes.map(({ kind }) => kind)).toContain('inventory');
}, 180_000);
