import { expect, test } from 'vitest';
import type { RelayerLogFacts } from '../../../src/model/facts.ts';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../src/watch/logs/match/line-form.ts';
import { createPatternCounters } from '../../../src/watch/logs/match/pattern-counters.ts';
import { packs } from '../../../src/watch/logs/packs.ts';
import { foldRelayerLog } from '../../../src/watch/rules/fold-relayer-log.ts';
import { judgeSubmissions } from '../../../src/watch/rules/judge-submissions.ts';
import { asRead, aView, serviceTarget } from '../../support/views.ts';

const START = Date.parse('2026-11-21T23:25:00.000Z');

/** Lines as the relayer prints them, each so many seconds after the start, and what is made of them. */
function read(...lines: readonly (readonly [seconds: number, message: string])[]) {
  const counters = createPatternCounters(packs.relayer, []);
  let relayer: RelayerLogFacts | undefined;
  let at = START;
  const reader = createLogReader({
    pack: packs.relayer,
    own: [],
    timezone: 'UTC',
    now: () => at,
    onHit: (hit) => {
      counters.add({ ...hit, counted: true });
      relayer = foldRelayerLog(relayer, { ...hit, counted: true });
    },
  });
  for (const [seconds, msg] of lines) {
    at = START + seconds * 1_000;
    if (msg === STOPPED) {
      reader.read(msg, 0, msg.length);
      continue;
    }
    const time = new Date(at).toISOString();
    const line = toLatin1(
      `[1] ${JSON.stringify({ name: 'xdc-relayer', hostname: '9461439dcdac', pid: 46, level: 50, msg, time, v: 0 })}`,
    );
    reader.read(line, 0, line.length);
  }
  const patterns = counters.read();
  return {
    facts: relayer as RelayerLogFacts | undefined,
    patterns: Object.keys(patterns),
    judge: (seconds: number) =>
      asRead(
        judgeSubmissions(
          aView(
            serviceTarget('relayer'),
            {
              logs: {
                sources: { container: { up: true, lines: 1, since: START - 60_000 } },
                patterns,
                ...(relayer && { relayer }),
              },
            },
            { now: START + seconds * 1_000 },
          ),
        ),
      ),
  };
}

/** As concurrently prints it. */
const STOPPED = '[1] sleep 5s; npm run start exited with code SIGTERM';
const FULL = '⏰ Full Relayer: Executing normal flow periodically';
const ZERO = '⏰ Executing xdc-zero periodically';
const FAILED = "Fail to process full relayer job { message: 'Returned error: execution reverted' }";
const CRASHED =
  "Error getLastCommittedBlockInfo while trying to fetch blockInfo by number from subnet { message: 'Returned error: method handler crashed' }";

test('the heartbeat of a zero mode is a cycle and no submission', () => {
  const { facts, judge } = read([0, "Running modes:  [ 'ZERO' ]"], [0, ZERO], [10, ZERO], [20, ZERO]);
  expect(facts).toMatchObject({ submissions: 0, byMode: { zero: { cycleAt: START + 20_000, phase: 'done' } } });
  expect(facts).not.toHaveProperty('submittedAt');
  expect(judge(25)).toEqual({ verdict: 'pass', reason: 'the relayer (ZERO) runs its cycles, and has time to submit' });
});

test.each([
  ['between two cycles', [1, 'Full CSC Sync completed!']],
  ['within a cycle', [1, 'Start syncing with smart contract']],
  ['while it submits', [1, 'submitDynamic startblock 5 to endblock 9 of 5 blocks into PARENTNET']],
] as const)('a relayer that was stopped %s is said to be, and no node or redis is blamed', (_, line) => {
  const { judge } = read([0, FULL], line, [2, STOPPED]);
  expect(judge(59).verdict).toBe('pass');
  expect(judge(61)).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(
      /^the relayer \(FULL\) was stopped 59s ago \(23:25:02 UTC\), and has not been started since; start its container/,
    ),
  });
  expect(read([0, FULL], line, [2, STOPPED], [50, FULL]).judge(61).verdict).toBe('pass');
});

test('a success marker of a zero mode beside a full one counts for the full one alone', () => {
  const { facts } = read([0, FULL], [1, 'Full CSC Sync completed!'], [5, ZERO], [15, ZERO]);
  expect(facts).toMatchObject({ submissions: 1, submittedAt: START + 1_000 });
});

test('a zero mode whose cycles all fail does not pass by its heartbeat, and passes after a good cycle', () => {
  const job = "Fail to process xdc-zero job { message: 'Returned error: execution reverted' }";
  const failing = [
    [0, ZERO],
    [1, job],
    [10, ZERO],
  ] as const;
  expect(read(...failing).judge(12)).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('the relayer (ZERO) has been failing since its last submission: a cycle failed'),
  });
  expect(read(...failing, [20, ZERO]).judge(22)).toMatchObject({ verdict: 'pass' });
});

test('a cause belongs to the cycle that it was printed in, so that a later failure does not renew it', () => {
  const lines = [
    [0, FULL],
    [1, CRASHED],
    [1, FAILED],
  ] as const;
  const { facts, judge } = read(...lines);
  expect(facts?.byMode.full?.error).toEqual({ pattern: 'subnet_unreachable', at: START + 1_000 });
  expect(judge(2).reason).toContain('the subnet node of the relayer does not answer properly');
  const later = read(...lines, [20, FULL], [21, FAILED], [40, FULL], [41, FAILED]);
  expect(later.facts?.byMode.full?.error).toEqual({ pattern: 'job_failed', at: START + 41_000 });
  expect(later.judge(42).reason).toContain('a cycle failed; look at the lines of the relayer');
  expect(later.judge(42).reason).not.toContain('subnet node');
  // One that its cycle outlived is none of the next cycle.
  const outlived = read([0, FULL], [1, CRASHED], [20, FULL], [21, FAILED]);
  expect(outlived.facts?.byMode.full?.error?.pattern).toBe('job_failed');
});

test.each([
  [
    "Fail to get block hash by number from PARENTNET { height: 11, message: 'Returned error: execution reverted' }",
    'full',
    'block_not_in_contract',
    'wait for the next cycle; if that fails too, compare the heights of both, and if the subnet was wiped, deploy a new one',
  ],
  [
    "Fail to get block hash by number from SUBNET { height: 11, message: 'Returned error: execution reverted' }",
    'reverse_full',
    'block_not_in_contract',
    'wait for the next cycle; if that fails too, compare the heights of both, and if the subnet was wiped, deploy a new one',
  ],
  [
    "Fail to get block hash by number from PARENTNET { height: 11, message: 'Invalid JSON RPC response: {}' }",
    'full',
    'contract_unreadable',
    'PARENTNET_URL',
  ],
  [
    "Fail to getGapAndEpoch from PARENTNET { message: 'Invalid JSON RPC response: {}' }",
    'full',
    'contract_unreadable',
    'PARENTNET_URL',
  ],
  [
    'Fail to get mode from SUBNET smart contract',
    'reverse_full',
    'reverse_mode_unreadable',
    'REVERSE_CHECKPOINT_CONTRACT',
  ],
  ['Fail to get mode from mainnet smart contract', 'full', 'mode_unreadable', 'CHECKPOINT_CONTRACT'],
  ['Fail to get mode from PARENTNET smart contract', 'full', 'mode_unreadable', 'CHECKPOINT_CONTRACT'],
  [
    "Error while trying to fetch the transaction receipt proof on SUBNET { message: 'Returned error: not found' }",
    'zero',
    'proof_unreadable',
    'eth_getTransactionAndReceiptProof',
  ],
  [
    'Error while trying to fetch the last audited subnet\'s block in XDC PARENTNET {\n  message: "Returned values aren\'t valid, did it run Out of Gas? You might also see this error if you are not using the correct ABI"\n}',
    'full',
    'contract_missing',
    'no longer a contract',
  ],
  [
    'Error while trying to fetch the last audited subnet\'s block in XDC SUBNET {\n  message: "Returned values aren\'t valid, did it run Out of Gas?"\n}',
    'reverse_full',
    'contract_missing',
    'no longer a contract',
  ],
  [
    "Error while trying to fetch the last audited subnet's block in XDC SUBNET { message: 'Invalid JSON RPC response: {}' }",
    'reverse_full',
    'reverse_contract_unreadable',
    'SUBNET_URL',
  ],
  [
    "Error getLastCommittedBlockInfo while trying to fetch blockInfo by number from PARENTNET { message: 'Invalid JSON RPC response: {}' }",
    'reverse_full',
    'parent_head_unreadable',
    'PARENTNET_URL',
  ],
] as const)('the relayer’s line %j is reported with its own cause', (line, mode, pattern, reason) => {
  const { facts, patterns, judge } = read([0, line]);
  expect(patterns).toEqual([pattern]);
  expect(facts?.byMode[mode]?.error).toEqual({ pattern, at: START });
  expect(judge(1)).toMatchObject({ verdict: 'fail', reason: expect.stringContaining(reason) });
});

test('a removed contract shows in a failed cycle alone, too', () => {
  const job =
    'Fail to process full relayer job {\n  message: "Returned values aren\'t valid, did it run Out of Gas?"\n}';
  expect(read([0, FULL], [1, job]).facts?.byMode.full?.error?.pattern).toBe('contract_missing');
});

test('a subnet that was wiped under its contract is explained by the contract, not by the node that was down meanwhile', () => {
  const hash = (height: number) =>
    `Fail to get block hash by number from PARENTNET { height: ${height}, message: 'Returned error: execution reverted' }`;
  const { judge } = read(
    [0, FULL],
    [1, CRASHED],
    [1, "Fail to process full relayer job { message: 'Returned error: method handler crashed' }"],
    [20, FULL],
    [21, hash(1)],
    [21, FAILED],
    [40, FULL],
    [41, hash(11)],
    [41, FAILED],
  );
  expect(judge(45)).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('deploy a new one') });
});

test('cycles of XDC-Zero that only wait for the checkpoint make no progress after ten minutes', () => {
  const cycle = (seconds: number, block = 1_200) =>
    [
      [seconds, '⏰ Executing xdc-zero periodically'],
      [seconds + 1, `Wait for csc block lastBlockNumber: 1234, cscBlockNumber: ${block}`],
    ] as const;
  const cycles = Array.from({ length: 181 }, (_, index) => cycle(index * 10)).flat();
  const { judge } = read(...cycles);
  expect(judge(1_805)).toEqual({
    verdict: 'degraded',
    reason:
      'the cycles of the relayer (ZERO) make no progress: for 30m 4s they have waited for block 1234 in the checkpoint contract, which stays at block 1200; see that its mode FULL submits blocks; read the log of the relayer',
  });
  expect(read(...cycles.slice(0, 120)).judge(596)).toMatchObject({ verdict: 'pass' });
  // The contract follows.
  expect(read(...cycles, ...cycle(1_810, 1_220)).judge(1_815)).toMatchObject({ verdict: 'pass' });
  const delivered = [1_812, 'Completed the xdc-zero sync up till 5 from subnet, wait for the next cycle'] as const;
  expect(read(...cycles, [1_810, '⏰ Executing xdc-zero periodically'], delivered).judge(1_815)).toMatchObject({
    verdict: 'pass',
  });
});
