import { expect, test } from 'vitest';
import { judgeLinesOf } from '../../../support/judge-lines.ts';
import { NODE_FORMATS, type NodeRecord } from '../../../support/log-formats.ts';

const judge = judgeLinesOf('node');

const info = (clock: string, text: string): string => `INFO [11-25|${clock}.123] ${text}`;

test.each([
  ['imported_segment', 'Imported new chain segment               blocks=1 number=71,550,093 hash=024936..664ce5'],
  ['committing_new_block', 'Committing new block                     number=71,550,093 txs=0'],
  ['commit_block', 'Successfully commit and confirm block from continuous 3 blocks num=71,550,093 round=14,882,400'],
  ['process_qc', '[processQC] update x.highestQuorumCert   blockNum=71,550,093 round=14,882,400'],
  ['your_turn', '[yourturn] Masternode:                   index=0 address=xdc00 parentBlockNum=71,550,093'],
  ['produced_qc', 'Successfully processed the vote and produced QC! QcRound=14,882,400 QcNumber=71,550,093'],
  ['chain_head', 'New ChainHeadEvent from fetcher          number=71,550,093 hash=024936..664ce5'],
  ['inserted_block', 'Inserted new block from fetcher          number=71,550,093 hash=024936..664ce5'],
  ['loaded_head', 'Loaded most recent local full block      number=71,550,093 hash=024936..664ce5'],
])('%s gives a height with commas whole', async (name, text) => {
  const { matches, verdict, reason } = await judge(info('12:00:00', text));
  expect(matches).toEqual({ [name]: 1 });
  expect(verdict).toBe('pass');
  expect(reason).toContain('at block 71550093,');
});

test.each([
  [1, 'Loaded most recent local header          number=0 hash=4a9d74..42d6b1 td=1 age=7y7mo6d'],
  [1, 'Loaded most recent local block           number=0 hash=a6d142..d964a4 td=1 age=2m48s'],
  // After a kill the headers are still there.
  [undefined, 'Loaded most recent local full block      number=0 hash=4a9d74..42d6b1 td=1 age=7y7mo6d'],
  [undefined, 'Loaded most recent local header          number=230 hash=4a9d74..42d6b1 td=1 age=9s'],
])('an empty data folder is seen %s times in a line of the start', async (times, text) => {
  const { matches } = await judge(info('12:00:00', text));
  expect(matches.loaded_genesis).toBe(times);
});

test('a height goes on rising over 99,999', async () => {
  const at = (number: string, clock: string) => info(clock, `Imported new chain segment  number=${number} hash=1a`);
  const { reason } = await judge(at('99999', '12:00:00'), at('100,000', '12:00:02'), info('12:01:02', 'Other'));
  expect(reason).toContain('has been 100000 for 1m');
});

test('a number with a comma elsewhere is none that is cut', async () => {
  const { matches } = await judge(info('12:00:00', 'Imported new chain segment  number=71,55 hash=1a'));
  expect(matches).toEqual({});
});

const IMPORTED: NodeRecord = {
  level: 'INFO',
  message: 'Imported new chain segment',
  fields: [
    ['blocks', '1'],
    ['number', '173'],
  ],
};

test.each(Object.entries(NODE_FORMATS))(
  'the time of a line is known, so that silence after it counts: %s',
  async (_, format) => {
    const later = (line: string) => line.replace('12:00:00', '12:01:05');
    const { verdict, reason } = await judge(
      format(IMPORTED),
      later(format({ level: 'DEBUG', message: 'Other', fields: [] })),
    );
    expect(verdict).toBe('fail');
    expect(reason).toMatch(/has been 173 for 1m [45]s/);
  },
);

test.each([
  [
    'other_genesis',
    'Fatal: Failed to register the Ethereum service: database contains incompatible genesis (have 15c39f, new 3c636c)',
    /its data folder holds the chain of another genesis; compare its genesis.json with that of the others/,
  ],
  [
    'folder_in_use',
    'Fatal: Failed to create the protocol stack: datadir already used by another process',
    /another node runs on its data folder; end that one, or give each a folder of its own/,
  ],
  ['unknown_flag', 'flag provided but not defined: -nope', /started with a flag it does not know; correct its command/],
  [
    'unlock_failed',
    'Fatal: Failed to unlock account xdc00 (no key for given address or file)',
    /check its PRIVATE_KEY/,
  ],
  [
    'address_in_use',
    'Fatal: Error starting protocol stack: listen tcp :30403: bind: address already in use',
    /a port is taken by another program; end that program/,
  ],
  [
    'ipc_path_too_long',
    'Fatal: Error starting protocol stack: listen unix /a/XDC.ipc: bind: invalid argument',
    /move the folder .* to a shorter path, or, .* change DATA_DIR or the volume/,
  ],
  [
    'database_corrupt',
    'Fatal: Error starting protocol stack: leveldb/table: corruption on data-block (pos=1): checksum mismatch [file=1.ldb]',
    /its database is corrupt; check its disk/,
  ],
])(
  'a start that ends by %s has a cause and a fix of its own, which are over after a good start',
  async (name, line, said) => {
    const start = 'Starting nodes with enode://aa@192.0.2.1:30401 ...';
    const ended = await judge(info('12:00:00', 'Maximum peer count'), start, line);
    expect(ended.matches).toEqual({ started: 1, [name]: 1 });
    expect(ended.verdict).toBe('fail');
    expect(ended.reason).toMatch(said);
    const again = info('12:00:30', 'Starting peer-to-peer node               instance=XDC/v2.7.0');
    expect((await judge(info('12:00:00', 'x'), line, again, info('12:01:29', 'y'))).verdict).toBe('fail');
    expect((await judge(info('12:00:00', 'x'), line, again, info('12:01:30', 'y'))).verdict).not.toBe('fail');
  },
);

const CRIT = 'CRIT [11-25|12:00:00.123] ';
test('a disk that is full explains that the node ended by it, in any format', async () => {
  const record: NodeRecord = {
    level: 'CRIT',
    message: 'Failed to write block into disk',
    fields: [['err', 'write /x/000003.log: no space left on device']],
  };
  for (const format of Object.values(NODE_FORMATS)) {
    const { matches, reason } = await judge(format(record));
    expect(matches).toEqual({ write_failed: 1, disk_full: 1, critical: 1 });
    expect(reason).toMatch(/the disk of the node is full; free space on it/);
  }
  expect((await judge(`${CRIT}Failed to write block into disk err="closed"`)).reason).toMatch(
    /could not write a block/,
  );
});

test.each([
  ['write /x: no space left on device', /the disk of the node is full/],
  ['write /x: disk quota exceeded', /the quota of the disk/],
  ['open /x: read-only file system', /cannot be written to; find what is wrong with it/],
  ['read /x: input/output error', /the disk of the node is failing/],
  [
    'open /x: too many open files',
    /run out of file descriptors; raise its limit of file descriptors: `ulimits.*LimitNOFILE/,
  ],
])('an error of the system is known wherever its field stands: %s', async (error, said) => {
  const line = `ERROR[11-25|12:00:00] Failed to store             `;
  for (const text of [
    `err="${error}" number=42`,
    `number=42 err="${error}"`,
    `name="a b" error="${error}" hash=0xaa`,
  ]) {
    const { verdict, reason } = await judge(line + text);
    expect(verdict).toBe('fail');
    expect(reason).toMatch(said);
  }
  const others = `WARN [11-25|12:00:00] Served eth_call reqid=1 err="${error}"`;
  expect((await judge(others, `${line}peer="${error}"`, `${line}err="${error}, they said"`)).verdict).toBe('unknown');
});

test('another process on the folder explains the panic after it', async () => {
  const { matches, reason } = await judge(
    `ERROR[08-15|16:04:18] Can't create new DB                      error="resource temporarily unavailable"`,
    'panic: runtime error: invalid memory address or nil pointer dereference',
  );
  expect(matches).toEqual({ database_locked: 1, panic: 1 });
  expect(reason).toMatch(/another node runs on its data folder/);
});

test.each([
  [
    'leveldb: not found',
    /has lost the state or the snapshot for a block; restore its data, or move only XDC\/chaindata out/,
  ],
  ['missing trie node 00f80973ba25c01f (path )', /has lost the state or the snapshot/],
  ['invalid merkle root (remote: 1a local: 2b)', /its result differs; compare the versions of all nodes/],
  ['invalid gas used (remote: 1 local: 2)', /its result differs/],
  ['unknown ancestor', /the node refused a block; read the line "Error:"/],
])('a bad block is explained by its error: %s', async (error, said) => {
  const block = `########## BAD BLOCK #########\nNumber: 1800\n\n\nError: ${error}\n##############################`;
  expect((await judge('ERROR[11-25|12:00:00] ', ...block.split('\n'))).reason).toMatch(said);
  for (const name of ['JSON', 'logfmt'])
    expect(
      (await judge(NODE_FORMATS[name]?.({ level: 'ERROR', message: `\n${block}\n`, fields: [] }) ?? '')).reason,
    ).toMatch(said);
});

test('starts, stops and the level are known from the log alone', async () => {
  const start = 'Starting nodes with enode://aa@192.0.2.1:30401 ...';
  const { matches, verdict, reason } = await judge('Log level found, set to 2', start, info('12:00:00', 'x'));
  expect(matches).toEqual({ log_level_found: 1, started: 1 });
  expect([verdict, reason]).toEqual(['degraded', expect.stringContaining('runs with log level 2')]);
  const before = info('11:00:00', 'Imported new chain segment  number=5 hash=1a');
  // The height of the run before says nothing about this one.
  expect((await judge(before, 'Log level found, set to 2', start, info('12:00:00', 'x'))).verdict).toBe('degraded');
  const stopped = await judge(before, info('11:00:01', 'Got interrupt, shutting down...'), info('12:00:00', 'x'));
  expect([stopped.verdict, stopped.reason]).toEqual([
    'fail',
    'node was stopped 59m 59s ago (11:00:01 UTC), as its log says; start it again',
  ]);
});

test.each([
  ['chain_reorg', 'Chain reorg detected                     number=100,000 drop=1 add=1'],
  ['penalised', '[HookPenalty] Final penalty list         index=0 addr=xdc00'],
  [
    'vote_too_late',
    'Failed to pass the voting rule verification, blockRound is not equal currentRound x.currentRound=201 blockInfo.Round=202',
  ],
  ['snapshot_missing', 'Cannot find snapshot from last gap block err="leveldb: not found" number=45 hash=0x1a'],
  [
    'rpc_refused',
    'Served eth_x                             conn=127.0.0.1:1 reqid=1 err="the method eth_x does not exist"',
  ],
])('%s is counted and no fault', async (name, text) => {
  const { matches, verdict } = await judge(info('12:00:00', text));
  expect(matches).toEqual({ [name]: 1 });
  expect(verdict).toBe('unknown');
});
