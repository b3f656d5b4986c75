import { expect, test } from 'vitest';
import { judgeLinesOf } from '../../../support/judge-lines.ts';

const at = (second: number): string =>
  `11-21|07:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
const info = (second: number, text: string): string => `INFO [${at(second)}] ${text}\n`;
const debug = (second: number, text: string): string => `DEBUG[${at(second)}] ${text}\n`;
const warn = (second: number, text: string): string => `WARN [${at(second)}] ${text}\n`;

const judge = judgeLinesOf('node');

const PROGRESS: readonly [string, string][] = [
  [
    'imported_segment',
    'Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=1.204ms mgasps=0.000 number=1234 hash=1a2b3c…9f8e7d cache=12.31kB',
  ],
  [
    'commit_block',
    'Successfully commit and confirm block from continuous 3 blocks num=1234 round=1248 hash=aa11bb…cc22dd',
  ],
  ['committing_new_block', 'Committing new block                     number=1234 txs=0 special-txs=0'],
  ['sealed_block', 'Successfully sealed new block            number=1234 hash=1a2b3c…9f8e7d'],
  [
    'produced_qc',
    'Successfully processed the vote and produced QC! QcRound=1251 QcNumOfSig=3 QcHash=1a2b3c…9f8e7d QcNumber=1234',
  ],
  ['process_qc', '[processQC] update x.highestQuorumCert   blockNum=1234 round=1251 hash=1a2b3c…9f8e7d'],
  ['inserted_block', 'Inserted new block from fetcher          number=1234 hash=1a2b3c…9f8e7d'],
];

test.each(PROGRESS)('%s gives the height by its message and its key', async (name, text) => {
  const { check, matches } = await judge(info(0, text));
  expect(matches).toEqual({ [name]: 1 });
  expect(check).toMatchObject({ verdict: 'pass', reason: expect.stringContaining('block 1234') });
});

test('the first start with an empty data folder is known by what it writes', async () => {
  // As real nodes printed it, twice: for the chain and for the light chain.
  const { matches } = await judge(info(0, 'Writing custom genesis block ').repeat(2));
  expect(matches).toEqual({ genesis_written: 2 });
});

test('a node that has lost its state is known by the block that it cannot make', async () => {
  // As a real node printed it each two seconds after it was killed.
  const { matches } = await judge(
    'ERROR[11-23|08:51:15] Failed to create mining context          err="missing trie Node 930af59260eb7c83b708e3c0c99335ac6ef7c389f8b5c3bc2c11c60fb30394c6 (path )"\n',
  );
  expect(matches).toEqual({ state_missing: 1 });
});

test('xdc.log gives the height at any level', async () => {
  const { check } = await judge(
    'Set the log level to 2\n[yourturn] Masternode: index 0 address 0xAbC parentBlockNum 1234\nyourturn 0 2\n',
  );
  expect(check).toMatchObject({ verdict: 'pass', reason: expect.stringContaining('block 1234') });
});

test.each([
  '[voteHandler] collect votes                  number=2 votePool=3',
  '[timeoutHandler] collect timeout             number=3',
  '[getEpochSwitchInfo] cache hit               number=900 hash=1a2b3c…9f8e7d',
  'get snapshot from gap block                  number=1350 hash=1a2b3c…9f8e7d',
])('a number that is not a height is ignored: %s', async (text) => {
  const { check } = await judge(
    debug(0, '[processQC] update x.highestQuorumCert   blockNum=1234 round=1251') + debug(1, text),
  );
  expect(check).toMatchObject({ reason: expect.stringContaining('block 1234') });
});

test('a stalled height fails, as of the time of the last line', async () => {
  const text =
    info(0, PROGRESS[0]?.[1] ?? '') +
    warn(30, '[sendTimeout] Timeout message generated, ready to send! timeoutMsgRound=1');
  expect((await judge(text)).check).toMatchObject({ verdict: 'pass' });
  expect((await judge(text + warn(61, 'Stats server unreachable err="dial tcp"'))).check).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('has been 1234'),
  });
});

test('a log level too low to show progress degrades, and an unknown one is unknown', async () => {
  expect((await judge('Set the log level to 2\n')).check).toMatchObject({
    verdict: 'degraded',
    reason: expect.stringContaining('LOG_LEVEL=3'),
  });
  expect((await judge('Network Id set to 1\n')).check).toMatchObject({ verdict: 'unknown' });
});

test.each([
  [
    'ipc_path_too_long',
    'Fatal: Error starting protocol stack: listen unix /work/xdcchain/XDC.ipc: bind: invalid argument\n',
    'shorter path',
  ],
  [
    'address_in_use',
    'Fatal: Error starting protocol stack: listen tcp 0.0.0.0:30303: bind: address already in use\n',
    'taken by another program',
  ],
  [
    'disk_full',
    `ERROR[${at(1)}] Can't create new DB                      error="write /work/xdcchain/XDCx/MANIFEST-000011: no space left on device"\n`,
    'the disk of the node is full',
  ],
  [
    'refused_reorg',
    warn(1, 'Stop reorg, blockchain is under forking attack old committed num=12 hash=1a'),
    'reorganisation',
  ],
  [
    'bad_block',
    `ERROR[${at(1)}] \n########## BAD BLOCK #########\nNumber: 12\nHash: 0x12\n##############################\n`,
    'refused a block',
  ],
  ['critical', `CRIT [${at(1)}] Failed to insert header number err="closed"\n`, 'ended itself'],
  [
    'masternode_update_failed',
    `CRIT [${at(1)}] Error when update masternodes set. Stopping node err="x" blockNum=450\n`,
    'gap block',
  ],
  ['panic', 'panic: runtime error: index out of range [0] with length 0\n', 'crashed'],
])(
  '%s at the end of a log fails with what to do, and passes when the node works again after it',
  async (name, text, reason) => {
    const ended = await judge(info(0, PROGRESS[0]?.[1] ?? '') + text);
    expect(ended.matches[name]).toBe(1);
    expect(ended.check?.verdict).toBe('fail');
    expect(ended.check?.reason).toContain(reason);
    const recovered = await judge(text + info(5, PROGRESS[0]?.[1] ?? ''));
    expect(recovered.check).toMatchObject({ verdict: 'pass' });
  },
);

test('a restart resets the height, however low it is then', async () => {
  const text = `${info(0, 'Imported new chain segment  number=5000 hash=1a')}Set the log level to 3\nStarting nodes with bootnodes of: enode\n${info(20, 'Imported new chain segment  number=4800 hash=1a')}`;
  expect((await judge(text)).check).toMatchObject({ reason: expect.stringContaining('block 4800') });
});

test('no text of a line is in a reason', async () => {
  const { check } = await judge('Fatal: Failed to unlock account 0xdeadbeef (s3cret)\n');
  expect(check?.verdict).toBe('fail');
  expect(check?.reason).not.toMatch(/deadbeef|s3cret/);
});

test.each([
  'tee: /work/xdcchain/xdc.log: No space left on device\n',
  warn(
    1,
    'Propagated block import failed           peer=85618cfdd1942ecc number=784 hash=281b41…f73548 err="write /work/xdcchain/XDC/chaindata/000012.log: no space left on device"',
  ),
])('a full disk is known by the line %s', async (text) => {
  expect((await judge(text)).matches.disk_full).toBe(1);
});

test.each([
  ['panic: write /work/x.log: no space left on device', 'the disk of the node is full; free space on it'],
  [warn(1, 'Failed to flush   err="write /x: no space left on device; closed"'), 'the disk of the node is full'],
  [
    "A critical error has occurred System.IO.IOException: No space left on device : '/x'",
    'the disk of the node is full',
  ],
  [
    warn(1, 'Low disk space. Gracefully shutting down XDC to prevent database corruption. available=1.5GiB'),
    'the node ended itself, as its disk is nearly full; free space on it',
  ],
  [
    '2026/11/21 07:00:01 http: Accept error: accept tcp [::]:8545: accept4: too many open files; retrying in 1s',
    'the node has run out of file descriptors; raise its limit',
  ],
  ['Fatal: Could not open database: open /x/1.ldb: too many open files', 'the node has run out of file descriptors'],
  ['fatal error: runtime: cannot allocate memory', 'the node ran out of memory; give its container'],
  [
    '/work/start.sh: line 95:    12 Killed                  XDC --gcmode archive',
    'the node was killed, as happens when memory runs out; give its container',
  ],
  [
    'Fatal: Failed to write genesis block: database already contains an incompatible genesis block (have 1, new 2)',
    'its data folder holds the chain of another genesis',
  ],
  [
    'Fatal: Could not open database: resource temporarily unavailable',
    'another node runs on its data folder; end that one',
  ],
  [
    'A critical error has occurred RocksDbSharp.RocksDbException: IO error: While lock file: /db/LOCK: Resource temporarily unavailable',
    'another node runs on its data folder',
  ],
  [
    'Fatal: Failed to open database: leveldb/journal: block/chunk corrupted: checksum mismatch',
    'its database is corrupt; check its disk; restore its data',
  ],
  [
    warn(1, 'Unhandled trie error: leveldb/table: corruption on data-block (pos=1): checksum mismatch, want=0x1'),
    'its database is corrupt',
  ],
  [
    'A critical error has occurred RocksDbSharp.RocksDbException: Corruption: block checksum mismatch',
    'its database is corrupt',
  ],
  ['Fatal: Failed to open database: leveldb/storage: file missing [file=000341.ldb]', 'its database is corrupt'],
  [
    '########## BAD BLOCK #########\nError: could not apply tx 0 [0x12]: missing trie node 5b0c (path )',
    'the node has lost the state or the snapshot for a block',
  ],
  [
    'Fatal: Could not start HTTP endpoint: listen tcp 0.0.0.0:8545: bind: address already in use',
    'a port is taken by another program',
  ],
  [
    'Fatal: Error starting protocol stack: open /work/XDC/LOCK: permission denied',
    'the node may not use a file of its data folder; give its data folder to the user that its container runs as (`chown -R`)',
  ],
  ['/bin/bash: /work/start.sh: Permission denied', 'its start script is not executable'],
  [
    '/work/start.sh: line 95:    12 Segmentation fault      (core dumped) XDC --gcmode archive',
    'its program crashed with a segmentation fault or an abort; start it again; if it crashes once more, test the memory',
  ],
  ['Segmentation fault', 'its program crashed with a segmentation fault or an abort'],
  ['Aborted (core dumped)', 'its program crashed with a segmentation fault or an abort'],
  [
    '/work/start.sh: line 95: XDC: command not found',
    'a command that its start script calls is not there; read in its log which one',
  ],
  // Neither is about its data folder, or has a cause that is known.
  [
    'Fatal: Error starting protocol stack: listen tcp 0.0.0.0:303: bind: permission denied',
    'the node ended while it started',
  ],
  [
    'Fatal: Error starting protocol stack: listen unix /work/xdcchain/XDC.ipc: bind: file exists',
    'the node ended while it started',
  ],
])(
  'a cause is known in the words of any client, and before what only says that the node ended: %s',
  async (text, begin) => {
    const { check } = await judge(`${info(0, PROGRESS[0]?.[1] ?? '')}${text}\n`);
    expect(check?.verdict).toBe('fail');
    expect(check?.reason.replace(/^.*? \(\d.*?\): /, '').slice(0, begin.length)).toBe(begin);
  },
);

test('what has the words of such a cause and is none shows none', async () => {
  for (const text of [
    'Ethereum peer connected                  name="x: leveldb: corrupted"',
    'Served eth_call err="execution reverted: y: no space left on device"',
    'Dropping peer                            peer=12 reason="x: permission denied"',
    'Ethereum peer connected                  name="Segmentation fault (core dumped)"',
    'Served eth_call err="sh: 1: x: not found"',
  ]) {
    const { check } = await judge(info(0, PROGRESS[0]?.[1] ?? '') + warn(1, text));
    expect(check?.verdict).toBe('pass');
  }
});

test('a line in which others name a full disk shows none', async () => {
  const text = warn(1, 'Served eth_call reqid=1 err="no space left on device, they said" t=1ms');
  expect((await judge(text)).matches.disk_full ?? 0).toBe(0);
});
