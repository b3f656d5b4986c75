import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createReloader, createReloads } from '../../../src/watch/inventory/create-reloader.ts';
import { temporaryFolder } from '../../support/cli.ts';

test('reloads run one at a time, and one that waits serves everybody who asks meanwhile', async () => {
  const log: string[] = [];
  const reload = createReloads(async (why) => {
    log.push(`begin ${why}`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${why}`);
    return [why];
  });
  const first = reload('first');
  await Promise.resolve();
  const answers = await Promise.all([first, reload('second'), reload('third')]);
  expect(answers).toEqual([['first'], ['second'], ['second']]);
  expect(log).toEqual(['begin first', 'end first', 'begin second', 'end second']);
  expect(await reload('fourth')).toEqual(['fourth']);
});

test('a good inventory that breaks what loads it is a bug, and the one before stays in force', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const configPath = folder.path('subnetd.yaml');
  await writeFile(configPath, "subnets: [{ name: d, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n");
  const bugs: unknown[] = [];
  const error = new Error('it cannot be loaded');
  const reloader = createReloader({
    configPath,
    environment: {},
    hash: 1,
    log: pino({ level: 'silent' }),
    now: () => 7,
    onBug: (...bug) => bugs.push(bug),
  });
  onTestFinished(reloader.stop);
  reloader.start(undefined, () => {
    throw error;
  });
  expect(await reloader.reload('request')).toEqual([
    `${configPath}: the inventory could not be loaded; the log says more, please report it`,
  ]);
  expect(bugs).toEqual([[error, { why: 'request' }]]);
  expect(reloader.last()).toEqual({ successful: false, successAt: 7, hash: 1 });
});
