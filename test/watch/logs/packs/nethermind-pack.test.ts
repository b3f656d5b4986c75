import { expect, test } from 'vitest';
import { judgeLinesOf } from '../../../support/judge-lines.ts';

const judge = judgeLinesOf('node');

/** What stands before a message: on the console, on an older one, and in the file, which alone tells the level. */
const HEADS: Readonly<Record<string, (clock: string) => string>> = {
  console: (clock) => `25 Nov ${clock} | `,
  'older console': (clock) => `2026-11-25 ${clock}.1234|`,
  file: (clock) => `2026-11-25 ${clock}.1234|INFO|7|`,
};
const heads = Object.entries(HEADS);

const PROGRESS: readonly (readonly [name: string, text: string])[] = [
  [
    'round',
    'Round 1244, prev=1243 in 2.01s: head=#1241 round=1243 (0xfaeceb...eceb09) | Committed=#1239 round=1241 (0xbe7df7...7df7a7) | Leader=0x111111...111111, MyTurn=false, Committee=4 nodes ',
  ],
  [
    'round',
    'Round 1244: head=#1241 round=1243 (0xfaeceb...eceb09) | Committed=none | Leader=0x1, MyTurn=true, Committee=4 nodes ',
  ],
  ['round', 'Round 1243: Block #1241 built successfully, hash=0xfaeceb '],
  ['round', 'Round 1243: Checking header #1241, hash=0xfaeceb, round=1243 '],
  ['processed', 'Processed                1241         |        3.1 ms  | slot          2,004 ms | '],
  ['processed', 'Processed          1181...     1241   |       41.0 ms  | slot            903 ms | '],
  ['processed', 'Processed   x4      1238 ..     1241  |       41.0 ms  | slot            903 ms | '],
  ['committed', 'Committed new block 1241 (0xbe7df7...7df7a7) round=1243 '],
  [
    'loaded_tree',
    'Block tree initialized, last processed is 1241, best queued is 1241, best known is 1241, lowest inserted header ',
  ],
];

test.each(heads)('the height and the time of each line that tells them: %s', async (_, head) => {
  for (const [name, text] of PROGRESS) {
    const known = await judge(head('12:00:00') + text, `${head('12:00:30')}Peers: 1 | node diversity : `);
    expect(known.matches).toEqual({ [name]: 1 });
    expect(known.reason).toBe('the log of node is at block 1241, which it reached 30s ago');
    const silent = await judge(head('12:00:00') + text, `${head('12:01:00')}Peers: 1 | node diversity : `);
    expect(silent.verdict).toBe('fail');
    expect(silent.reason).toContain('the height in the log of node has been 1241 for 1m');
  }
});

test('a colour within a message hides nothing of it', async () => {
  const { matches } = await judge(
    '25 Nov 12:00:00 | Committed new block \u001b[32m1241\u001b[39m (0xbe7df7...7df7a7) round=1243 ',
  );
  expect(matches).toEqual({ committed: 1 });
});

test('a start forgets the height of the run before, and a stop is named', async () => {
  const at = HEADS.console as (clock: string) => string;
  const block = (clock: string, number: number) => `${at(clock)}Committed new block ${number} (0x1a) round=9 `;
  const start = `${at('12:00:05')}Nethermind is starting up `;
  const again = await judge(block('12:00:00', 1_000), start, block('12:00:09', 900));
  expect(again.reason).toBe('the log of node is at block 900, which it reached just now');
  const stop = `${at('12:00:05')}Nethermind is shutting down... Please wait until all activities are stopped. `;
  const stopped = await judge(block('12:00:00', 1_000), stop, `${at('12:01:05')}Nethermind is shut down `);
  expect(stopped.reason).toBe('node was stopped 1m ago (12:00:05 UTC), as its log says; start it again');
});

test.each([
  [
    'rpc_not_bound',
    'Error during jsonRpc runner start System.AggregateException: One or more errors occurred. (Failed to bind to address http://0.0.0.0:8548: address already in use.) ',
    /the node runs without RPC; free the port of its RPC, then restart it/,
  ],
  [
    'port_in_use',
    'Port 20306 is in use. You can change the port used by adding: --Network.P2PPort 30303 ',
    /end that program, then restart the node/,
  ],
  [
    'folder_locked',
    "If your database did not close properly you need to call 'find -type f -name '*LOCK*' -delete' from the databse folder ",
    /another node runs on its data folder; end that one/,
  ],
  [
    'database_marked',
    'Corrupted DB detected on path /work/xdcchain/nethermind_db/xdc-nmc/blocks. Please restart Nethermind to attempt repair. ',
    /its database is corrupt; restart it: it repairs the database as it starts/,
  ],
  [
    'disk_below_limit',
    'Free disk space is below 1.00% - shutting down... ',
    /ended itself, as its disk is nearly full; free space on it/,
  ],
  [
    'snapshot_recovery_failed',
    'Snapshot recovery failed for block 1350 (0x588bbb): Missing trie node ',
    /lacks a snapshot; remove nethermind_db/,
  ],
  [
    'parent_corrupt',
    'Parent header 0x1a does not have required consensus data! Chain might be corrupt! ',
    /has a gap; remove nethermind_db/,
  ],
  [
    'cannot_sign',
    'XDC signer 0x4444 could not sign vote for block 0xeca8 (round 1253) — skipping broadcast. ',
    /cannot sign; check NETHERMIND_KEYSTORECONFIG_TESTNODEKEY/,
  ],
  [
    'block_failed',
    'Issue processing block 1249 (0xeca8) Nethermind.Core.InvalidBlockException: HeaderStateRootMismatch ',
    /read the exception that its log gives with that line/,
  ],
  [
    'processing_failed',
    'Processing block failed. Block: 1249 (0xeca8b8...a8b891), Exception: System.NullReferenceException ',
    /read the exception that its log gives with that line/,
  ],
  [
    'processing_dead',
    'BlockchainProcessor encountered an exception. System.ObjectDisposedException ',
    /no longer processes blocks; .*restart it/,
  ],
  [
    'genesis_unexpected',
    'Unexpected genesis hash, expected 0x9e37, but was 0x3c6e ',
    /run scripts\/check-chainspec\.sh/,
  ],
  [
    'critical_error',
    'A critical error has occurred. System.IO.FileNotFoundException: Configuration file not found ',
    /ended itself/,
  ],
])('%s fails with a fix of its own, and is over a minute after the next start', async (name, text, said) => {
  for (const [, head] of heads) {
    const failed = await judge(head('12:00:00') + text, '   at Program.Main() ');
    expect(failed.matches).toEqual({ [name]: 1 });
    expect(failed.verdict).toBe('fail');
    expect(failed.reason).toMatch(said);
    const start = `${head('12:00:01')}Nethermind is starting up `;
    expect((await judge(head('12:00:00') + text, start, `${head('12:01:00')}x`)).verdict).toBe('fail');
    expect((await judge(head('12:00:00') + text, start, `${head('12:01:01')}x`)).verdict).not.toBe('fail');
  }
});

test('a port for peers that is taken is named by its exception too', async () => {
  const { matches, reason } = await judge(
    '25 Nov 13:00:03 | A critical error has occurred. Nethermind.Network.Rlpx.PortInUseException: Port 20306 is in use ',
  );
  expect(matches).toEqual({ peer_port_in_use: 1, critical_error: 1 });
  expect(reason).toContain('a port is taken by another program; end that program, then restart the node');
});

const UNHANDLED = 'Unhandled exception. System.TypeInitializationException: The type initializer threw';
const INTERNAL = 'Fatal error. Internal CLR error. (0x80131506)';
const NAME_OF: Readonly<Record<string, string>> = {
  'Out of memory.': 'memory_used_up',
  [INTERNAL]: 'runtime_failed',
  [UNHANDLED]: 'crashed',
};

test.each([
  ['Out of memory.', 'the node ran out of memory; give the container or its machine more memory'],
  [INTERNAL, 'the runtime of the node crashed'],
  [UNHANDLED, 'the node crashed'],
])('what the runtime prints without a stamp is a crash, unless a message goes on with it: %s', async (text, said) => {
  expect((await judge(text)).reason).toContain(said);
  const message = '25 Nov 13:00:03 | Sending error response, method: x';
  const next = 'Peers: 4 | node diversity : ';
  for (const head of ['25 Nov 13:00:04 | ', '\u001b[37m25 Nov 13:00:04 | ', 'subnet2  | 25 Nov 13:00:04 | ']) {
    expect((await judge(message, text, `${head}${next}`)).matches).toEqual({});
    expect((await judge(message, text, '   at Nethermind.Main()', `${head}Nethermind is starting up`)).matches).toEqual(
      {
        [NAME_OF[text] ?? '']: 1,
        nethermind_started: 1,
      },
    );
  }
  // Where the log ends, the program has.
  expect((await judge(message, text, '   at Nethermind.Main()')).reason).toContain(said);
  expect((await judge(message, text, text)).matches).toEqual({ [NAME_OF[text] ?? '']: 1 });
  expect((await judge(message, `x ${text}`)).matches).toEqual({});
});

test('the cause of a dead loop is named before it', async () => {
  const { matches, reason } = await judge(
    '25 Nov 13:00:10 | BlockchainProcessor encountered an exception. System.IO.IOException: No space left on device ',
  );
  expect(matches).toEqual({ processing_dead: 1, disk_full: 1 });
  expect(reason).toMatch(/no block; free its disk if that is full, and restart it|the disk of the node is full/);
});

test.each([
  ['disk_nearly_full', 'Running out of free disk space - only 1.23 GB (4.20%) left! '],
  [
    'database_repairs',
    'Corrupted DB marker detected for db /work/xdcchain/nethermind_db/xdc-nmc/blocks. Attempting repair... ',
  ],
  ['database_repaired', 'Repair completed. Some data may be lost. Consider a full resync. '],
  ['config_misspelt', 'Invalid configuration settings:'],
  ['snapshot_lacking', 'Cannot recover snapshot for block 1350 (0x588bbb): state unavailable '],
  ['state_unavailable', 'Round 1254: HighestQC block #1249 body not available, skipping proposal. '],
  ['vote_failed', 'Round 1254: Failed to cast vote. '],
  ['build_failed', 'Failed to build block in round 1255 System.InvalidOperationException: state unavailable '],
])('%s is counted and no fault by itself', async (name, text) => {
  const { matches, verdict } = await judge(`25 Nov 12:00:00 | ${text}`);
  expect(matches).toEqual({ [name]: 1 });
  expect(verdict).toBe('unknown');
});

test.each([
  'Round 1244: Voting for block #1242, hash=0x992464 ',
  'Round 1247: Voting rule not satisfied for block #1245, hash=0x73cad1: Already voted at round 1247, current round 1249 ',
  'Discovered new block 1242 (0x992464...2464ba), tx count: 0 sealer 0x111111...111111 sent by peer ',
  'Changing sync Full to WaitingForBlock at pivot: 0 | header: 1240 | target: 1240 | peer: 1240 | state: 1240 ',
  '--datadir option is deprecated. Use --data-dir instead. ',
])('what a peer tells, and harmless words, show nothing: %s', async (text) => {
  expect((await judge(`25 Nov 12:00:00 | ${text}`)).matches).toEqual({});
});
