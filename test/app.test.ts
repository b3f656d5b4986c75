import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../src/app.ts';
import { listen } from '../src/http/listen.ts';
import { createProcessClock } from '../src/model/clock.ts';
import { parsePlatformSettings } from '../src/settings.ts';
import { temporaryFolder } from './support/cli.ts';

const inventory = (name: string) => `subnets: [{ name: ${name}, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n`;

test('a reload that is still reading the inventory when subnetd stops loads nothing and breaks nothing', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const configPath = folder.path('subnetd.yaml');
  await writeFile(configPath, inventory('before'));
  const lines: string[] = [];
  const platform = parsePlatformSettings(
    (name) => (name === 'SUBNETD_DATABASE_URL' ? `sqlite:${folder.path('subnetd.db')}` : undefined),
    [],
  );
  const started = await startApp({
    configPath,
    environment: {},
    build: { version: '0', commit: 'c' },
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    listener: await listen('127.0.0.1', 0),
    platform: platform ?? expect.fail('bad settings'),
    instance: 'i',
    history: { incidents: 1, changes: 30, days: 365 },
    clock: createProcessClock(),
  });
  if (!started.ok) expect.fail(started.errors.join());
  const { app } = started;
  await writeFile(configPath, inventory('after'));
  const [errors] = await Promise.all([app.reload('test'), app.stop()]);
  expect(errors).toEqual(['subnetd is stopping, so the inventory was not loaded; it is read at the next start']);
  expect(app.status().subnets.map(({ name }) => name)).toEqual(['before']);
  expect(lines).toEqual([]);
});
