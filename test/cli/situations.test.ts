import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, startDaemon } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const root = new URL('../../', import.meta.url);
const pages = globSync('docs/situations/*.md', { cwd: root }).sort();

/** The addresses of the examples, as others that are all on this machine, and answer nothing. */
const toLoopback = (text: string): string =>
  text
    .replaceAll(/\b10\.(\d+\.\d+\.\d+)\b/g, '127.$1')
    .replaceAll(/\b([a-z]+)(\d?)\.example\.com\b/g, (_, __, digit: string) => `127.200.0.${digit || 9}`)
    .replaceAll(/\/\/((?:subnet|relayer|stats|frontend)\d?):/g, '//$1.localhost:');

describe('the inventory of each situation', () => {
  const { cleanups, pathOf } = useCleanups();

  test('covers those that the first hour names', () => {
    const named = readFileSync(new URL('docs/first-hour.md', root), 'utf8').matchAll(/\((situations\/[\w-]+\.md)\)/g);
    expect([...named].map(([, file]) => `docs/${file}`).sort()).toEqual(pages);
  });

  test.each(pages)(
    'starts a daemon that watches every target: %s',
    async (page) => {
      const text = readFileSync(new URL(page, root), 'utf8');
      const [, inventory = ''] = /```yaml title="subnetd.yaml"\n([\s\S]*?)```/.exec(text) ?? [];
      const config = pathOf(`${basename(page)}.yaml`);
      writeFileSync(config, toLoopback(inventory));
      const daemon = await startDaemon(config, { RPC_PASSWORD: 'secret', HOOK_TOKEN: 'token' });
      cleanups.push(async () => {
        daemon.child.kill('SIGTERM');
        await daemon.finished;
      });
      await eventually(async () => expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200));
      const { subnets } = (await (await fetch(`${daemon.url}/status.json`)).json()) as {
        subnets: { targets: { name: string; checks: { check: string; verdict: string; reason: string }[] }[] }[];
      };
      const nodes = subnets.flatMap(({ targets }) =>
        targets.filter(({ checks }) => checks.some(({ check }) => check === 'latest_block')),
      );
      expect(nodes.length).toBe(inventory.match(/\brpc: ['h]/g)?.length);
      for (const { name, checks } of nodes) {
        const height = checks.find(({ check }) => check === 'latest_block');
        expect(height, name).toMatchObject({
          verdict: 'fail',
          reason: expect.stringMatching(/nothing listens|host name/),
        });
      }
    },
    60_000,
  );
});
