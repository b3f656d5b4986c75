import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { judgeSavedLog } from '../../../../src/cli/judge-saved-log.ts';
import { COMPONENTS, type Component } from '../../../../src/model/target.ts';
import { readRecording, writeLog } from '../../../support/recordings.ts';

/** What each recording ends in, and a part of the reason. */
const SCENARIOS: readonly [file: string, verdicts: Readonly<Record<string, string>>, reason?: RegExp][] = [
  ['relayer-full-healthy.log', { submissions: 'pass' }],
  ['relayer-lite-healthy.log', { submissions: 'pass' }],
  ['relayer-lite-uncommitted-bug.log', { submissions: 'fail' }, /cannot commit headers in lite mode/],
  ['relayer-lite-sequence.log', { submissions: 'fail' }, /nothing forked/],
  ['relayer-subnet-down.log', { submissions: 'pass' }],
  ['relayer-parent-down.log', { submissions: 'pass' }],
  ['relayer-fork.log', { submissions: 'pass' }],
  ['relayer-stop.log', { submissions: 'pass' }],
  ['relayer-subnet-down-at-start.log', { submissions: 'fail' }, /could not be reached at the start/],
  ['relayer-parent-down-at-start.log', { submissions: 'fail' }, /could not be reached at the start/],
  ['relayer-parent-dns-at-start.log', { submissions: 'fail' }, /could not be reached at the start/],
  ['relayer-no-funds.log', { submissions: 'fail' }, /out of funds/],
  ['relayer-gas-price-too-low.log', { submissions: 'fail' }, /wants a higher gas price/],
  ['relayer-no-csc-idle.log', { submissions: 'fail' }, /runs in no mode/],
  ['relayer-csc-empty.log', { submissions: 'fail' }, /CHECKPOINT_CONTRACT is empty/],
  ['relayer-csc-wrong-address.log', { submissions: 'fail' }, /no contract at CHECKPOINT_CONTRACT/],
  ['relayer-redis-killed-dash.log', { submissions: 'fail' }, /the redis of the relayer died/],
  ['relayer-redis-missing.log', { submissions: 'fail' }, /redis did not start/],
  ['relayer-killed-dash.log', { submissions: 'fail' }, /died .* while its container lives on/],
  ['stats-debug.log', { block_data: 'pass', history_data: 'pass' }],
  ['stats-console.log', { block_data: 'unknown', history_data: 'unknown' }, /logs\/debug/],
  ['stats-no-csc.log', { block_data: 'fail', history_data: 'fail' }, /deploy the checkpoint contract/],
  ['stats-no-url.log', { block_data: 'fail', history_data: 'fail' }, /set SUBNET_URL and PARENTNET_URL/],
  ['frontend-console.log', { logs: 'pass' }],
  ['frontend-vite-url-missing-serve.log', { logs: 'pass' }],
  ['frontend-build-failed.log', { logs: 'fail' }, /could not be built/],
  ['frontend-build-sigkill.log', { logs: 'fail' }, /memory/],
  ['frontend-registry-tls.log', { logs: 'fail' }, /npm registry/],
];

const judge = (file: string) => judgeSavedLog(file.split('-')[0] as Component, writeLog(readRecording(file)));

test.each(SCENARIOS)('%s is judged as what happened in it', async (file, verdicts, reason) => {
  const { checks } = await judge(file);
  expect(Object.fromEntries(checks.map(({ check, verdict }) => [check, verdict]))).toEqual(verdicts);
  if (reason) for (const { reason: said } of checks) expect(said).toMatch(reason);
});

test('every recording has its scenario', () => {
  const files = readdirSync(new URL('../../../fixtures/recordings/', import.meta.url)).sort();
  expect(SCENARIOS.map(([file]) => file).sort()).toEqual(files);
});

test.each(SCENARIOS)('%s is a log of its own component, and of none besides', async (file) => {
  const text = writeLog(readRecording(file));
  for (const component of COMPONENTS) {
    const { hasForm } = await judgeSavedLog(component, text);
    expect(hasForm, component).toBe(file.startsWith(component));
  }
});

/** The end of a recording up to what its recorder noted. */
const upTo = (file: string, last: string): string => {
  const text = readRecording(file);
  const at = text.lastIndexOf(last);
  expect(at).toBeGreaterThan(0);
  return text.slice(0, text.indexOf('\n', at) + 1);
};

test.each([
  ['when subnet and smart contract having the same height'],
  ['when subnet is ahead of smart contract'],
  ['when smart contract is ahead of subnet'],
])('a relayer that stops at a fork %s fails by it', async (kind) => {
  const { checks } = await judgeSavedLog('relayer', writeLog(upTo('relayer-fork.log', kind)));
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('detected a fork') });
});

test('a relayer whose parent chain refuses fails, and names that side', async () => {
  const text = upTo('relayer-parent-down.log', 'Invalid JSON RPC response');
  const { checks } = await judgeSavedLog('relayer', writeLog(text));
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('PARENTNET_URL') });
});

test('a relayer whose subnet knows of no committed block fails by that', async () => {
  const text = upTo('relayer-subnet-down.log', 'Unable to get latest committed block information');
  const { checks } = await judgeSavedLog('relayer', writeLog(text));
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('no committed block') });
});

const later = (seconds: number): string =>
  new Date(Date.parse('2026-11-21T09:04:41.165Z') + seconds * 1000).toISOString();
const relayerLine = (msg: string, seconds: number): string =>
  `[1] ${JSON.stringify({ name: 'xdc-relayer', hostname: 'h', pid: 1, level: 30, msg, time: later(seconds), v: 0 })}\n`;
const redisLine = (seconds: number): string => {
  const [date = '', time = ''] = later(seconds).split('T');
  const [, , day] = date.split('-');
  return `[0] 2354:M ${day} Nov 2026 ${time.slice(0, 12)} * 100 changes in 300 seconds. Saving...\n`;
};
const healthyThen = (...lines: readonly string[]): string =>
  writeLog(readRecording('relayer-full-healthy.log') + lines.join(''));

test('silence after the first line of a cycle is a hang', async () => {
  const text = healthyThen(relayerLine('⏰ Full Relayer: Executing normal flow periodically', 20), redisLine(110));
  const { checks } = await judgeSavedLog('relayer', text);
  const reason = expect.stringMatching(
    /and has printed nothing since, so it hangs, or waits for the node that SUBNET_URL or PARENTNET_URL names; see that the nodes of SUBNET_URL and PARENTNET_URL answer from where the relayer runs, and restart the relayer/,
  );
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason });
});

test('silence after an attempt is normal for as long as a transaction may take, and then it is not', async () => {
  const attempt = relayerLine(
    'submitDynamic startblock 1476 pushing 10 blocks, 10 remaining(inclusive) into PARENTNET',
    20,
  );
  const waiting = await judgeSavedLog('relayer', healthyThen(attempt, redisLine(130)));
  expect(waiting.checks[0]).toMatchObject({ verdict: 'pass' });
  const stuck = await judgeSavedLog('relayer', healthyThen(attempt, redisLine(150)));
  expect(stuck.checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('to be mined') });
});

test('a catch-up of an hour without a success marker is not a fault while its blocks rise', async () => {
  const lines = Array.from({ length: 360 }, (_, index) =>
    relayerLine(
      `submitDynamic startblock ${1476 + index} pushing 1 blocks, 90 remaining(inclusive) into PARENTNET`,
      index * 10,
    ),
  );
  const { checks } = await judgeSavedLog('relayer', healthyThen(...lines));
  expect(checks[0]).toMatchObject({ verdict: 'pass' });
});

test('the end of all cycles is explained by a dead redis', async () => {
  const { checks } = await judgeSavedLog('relayer', healthyThen(redisLine(100)));
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('redis may be dead') });
});

test('cycles without anything to submit fail after the limit', async () => {
  const cycles = Array.from({ length: 20 }, (_, index) =>
    relayerLine('⏰ Full Relayer: Executing normal flow periodically', 20 + index * 20),
  );
  const { checks } = await judgeSavedLog('relayer', healthyThen(...cycles));
  expect(checks[0]).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('submitted nothing') });
});
