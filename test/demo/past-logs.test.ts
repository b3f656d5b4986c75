import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeSavedLog } from '../../src/cli/judge-saved-log.ts';
import type { FaultName } from '../../src/demo/faults.ts';
import { judgeLinesOf } from '../support/judge-lines.ts';
import { start } from './simulation.ts';

/** What the log of the stats server says when the demo has just started. */
const judgeStats = async (fault: FaultName) => {
  const { simulation } = await start([fault]);
  const [, folder = ''] = /(\S+)\/\*\.log/.exec(simulation.inventory()) ?? [];
  const [file = ''] = readdirSync(folder);
  const { checks } = await judgeSavedLog('stats', join(folder, file));
  return checks.map(({ check, reason }) => `${check}: ${reason}`);
};

test('a stats server that is stopped at the start of the demo had the nodes and their blocks before', async () => {
  expect(await judgeStats('service-down')).toEqual([
    'block_data: the stats server got block 2499 just now',
    'history_data: a node sent its history to the stats server 59m 57s ago',
  ]);
});

test('a stats server to which no node is connected never had one', async () => {
  expect((await judgeStats('stats-stale')).join()).toMatch(
    /has shown no block yet.*no node has sent its history since the stats server started/,
  );
});

test.each(['node-down', 'rolling-restart'] as const)('the bootnode heard every node until %s', async (fault) => {
  const { simulation } = await start([fault]);
  const log = await fetch(`${simulation.docker}/containers/demo-bootnode-1/logs?stdout=1&stderr=1`);
  const lines = (await log.text()).split('\n').map((line) => line.replace(/^.*?(?=TRACE)/, ''));
  expect((await judgeLinesOf('bootnode')(...lines)).reason).toBe('the bootnode has heard all 4 nodes within 10m');
});
