import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Component } from '../../../../src/model/target.ts';
import { createLogReader } from '../../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../../src/watch/logs/match/line-form.ts';
import { packs } from '../../../../src/watch/logs/packs.ts';
import { LOG_PREFIXES, NODE_FORMATS, type NodeRecord } from '../../../support/log-formats.ts';

/** The names that the pack finds in a log, in order. */
function find(component: Component, log: string): readonly string[] {
  const names: string[] = [];
  const reader = createLogReader({
    pack: packs[component],
    own: [],
    timezone: 'UTC',
    now: () => 0,
    onHit: ({ pattern, value }) => names.push(value === undefined ? pattern : `${pattern} ${value}`),
  });
  for (const line of toLatin1(log).split('\n')) reader.read(line, 0, line.length);
  return names;
}

const prefixed = (prefix: string, log: string): string =>
  log
    .split('\n')
    .map((line) => prefix + line)
    .join('\n');

/** Lines that mean something, each as its program prints it, and what else somebody would try. */
const claims = (component: Component) =>
  fc.oneof(
    fc
      .constantFrom(...packs[component].map(({ literal }) => literal))
      .chain((literal) =>
        fc.constantFrom(
          ...[literal, `${literal} number=9 num=9 blockNum=9 QcNumber=9 x`, `${literal} err=y from PARENTNET `],
          ...[`[1] ${literal}`, `[1] {"msg":"${literal}"}`, `"msg":"${literal}`, ` HTTP  ${literal}`],
        ),
      ),
    fc.constantFrom(
      'Fatal: Failed to unlock account',
      'write /x: no space left on device',
      'open /x: too many open files"',
      'Error: leveldb: not found',
      'flag provided but not defined: -x',
      'Running modes:  []',
      'INFO  Accepting connections at http://a',
      'error: SUBNET_URL and PARENTNET_URL configuration must be set!',
      '[GET] /x >> StatusCode:: 500, Message::',
      'GET / Returned 500 in 3 ms',
    ),
  );

const heads = [
  ...['', ' ', 'CRIT [11-25|12:00:00] ', 'WARN [11-25|12:00:00.123] ', 'a | INFO [11-25|12:00:00] '],
  ...[
    't=1 lvl=crit msg="',
    '{"t":"1","lvl":"crit","msg":"',
    '25 Nov 12:00:00 | ',
    '\u001b[31mERROR\u001b[0m[11-25|12:00:00] ',
  ],
  ...['{"log":"', '{"log":"CRIT [11-25|12:00:00] ', '[pod/subnet1-0/node] ', 'Nov 25 12:00:00 h subnet1: '],
  ...['2026-11-25 12:00:00 error: ', '2026-11-25 12:00:00.0000|ERROR|1|', '[0] 1:M 25 Nov 2026 12:00:00.000 # '],
];

const forged = (component: Component) =>
  fc.tuple(fc.constantFrom(...heads), claims(component)).map(([head, claim]) => head + claim);

/** A geth client's records that hold what a stranger sent. */
const CARRIERS: readonly ((text: string) => NodeRecord)[] = [
  (text) => ({
    level: 'WARN',
    message: `Served ${text}`,
    fields: [
      ['conn', '192.0.2.7:5123'],
      ['reqid', '1'],
      ['t', '12.4µs'],
      ['err', `the method ${text} does not exist/is not available`],
    ],
  }),
  (text) => ({ level: 'DEBUG', message: `Served ${text}`, fields: [['t', '12.4µs']] }),
  (text) => ({
    level: 'WARN',
    message: 'Served eth_call',
    fields: [
      ['reqid', text],
      ['t', '1ms'],
      ['err', `execution reverted: ${text}`],
    ],
  }),
  (text) => ({ level: 'DEBUG', message: 'Ethereum peer connected', fields: [['name', text]] }),
  (text) => ({
    level: 'INFO',
    message: 'Imported new chain segment',
    fields: [
      ['miner', text],
      ['number', '12'],
    ],
  }),
];
const own = /^(?:rpc_refused|imported_segment 12)$/;

test.each(Object.entries(NODE_FORMATS))('nothing that a stranger sends to a node is a finding: %s', (name, format) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CARRIERS),
      forged('node'),
      fc.constantFrom(...LOG_PREFIXES),
      fc.constantFrom('', 'x\n', 'x\ny\n'),
      fc.constantFrom('', '\n', '\nz'),
      (carrier, claim, prefix, before, after) => {
        // A terminal keeps line breaks of a message, and XDC-Subnet's even beside `=`, which ends the message.
        const isRaw = name.includes('terminal') && before + after !== '';
        const text = before + (isRaw ? claim.replaceAll('=', ' ') : claim) + after;
        expect(find('node', prefixed(prefix, format(carrier(text)))).filter((found) => !own.test(found))).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each(Object.entries(NODE_FORMATS))('a line after a forged one is read as before: %s', (_, format) => {
  const [refused] = CARRIERS;
  const log = [
    format(refused?.('x\npanic: y\nz') as NodeRecord),
    format({ level: 'WARN', message: 'Stop reorg, blockchain is under forking attack', fields: [['old', '1']] }),
  ].join('\n');
  expect(find('node', log).filter((found) => found !== 'rpc_refused')).toEqual(['refused_reorg']);
});

test('nothing that a stranger sends to a Nethermind node is a finding', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        '25 Nov 12:00:00 | ',
        '2026-11-25 12:00:00.1234|DEBUG|7|',
        '2026-11-25 12:00:00.1234|',
        'subnet4-1  | 25 Nov 12:00:00 | ',
      ),
      fc.constantFrom('Sending error response, method: ', 'Error during method execution, request: ', 'Peer '),
      // Whoever sends a line break can imitate a whole line.
      forged('node').filter((claim) => !/^(?:25 Nov|2026)/.test(claim)),
      fc.constantFrom('', '\n', 'x\ny\n'),
      fc.constantFrom('', '\n', '\nz\n'),
      (head, words, claim, before, after) => {
        expect(find('node', `${head}${words}${before}${claim}${after}, id: 1`)).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('nothing that a stranger asks the stats server, or calls itself, is a finding', () => {
  const at = '2026-11-25 12:00:00';
  const carriers: readonly ((text: string) => string)[] = [
    (text) => `${at} info: 192.0.2.7 - - [Wed, 25 Nov 2026 12:00:00 GMT] "GET /x HTTP/1.1" 200 2 "${text}" "${text}"`,
    (text) => `${at} info: 192.0.2.7 - ${text.replaceAll(':', '')} [Wed] "GET /${text} HTTP/1.1" 200 2 "-" "-"`,
    // The name of basic authentication may hold line breaks, but no colon.
    (text) => `${at} info: 192.0.2.7 - x\n${text.replaceAll(':', '').replace('>', '')}\ny [Wed] "GET / HTTP/1.1" 200`,
    (text) => `${at} error: [POST] /health >> StatusCode:: 400, Message:: Unexpected token ${text} in JSON`,
    (text) => `${at} debug: RECEIVER: stats, data: ${JSON.stringify({ id: text })}`,
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...carriers),
      forged('stats'),
      fc.constantFrom(...LOG_PREFIXES),
      (carrier, claim, prefix) => {
        expect(find('stats', prefixed(prefix, carrier(claim)))).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('nothing that a chain answers the relayer, or a client redis, is a finding of another kind', () => {
  const message = (msg: string) =>
    `[1] ${JSON.stringify({ name: 'xdc-relayer', hostname: 'h', pid: 1, level: 30, msg, time: '2026-11-25T12:00:00.000Z', v: 0 })}`;
  const carriers: readonly ((text: string) => string)[] = [
    (text) => message(`Zero: sync index ${text} success`),
    (text) => message(`Nothing {\n  message: '${text}'\n}`),
    (text) => `[0] 1:M 25 Nov 2026 12:00:00.000 # Connecting to MASTER ${text}:6379`,
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...carriers),
      // That web3 found no contract is said in the middle of several messages.
      forged('relayer').filter((claim) => !claim.includes('Returned values aren')),
      fc.constantFrom(...LOG_PREFIXES),
      (carrier, claim, prefix) => {
        expect(find('relayer', prefixed(prefix, carrier(claim)))).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('no address that a browser asks for is a finding', () => {
  fc.assert(
    fc.property(forged('frontend'), fc.constantFrom(...LOG_PREFIXES), (claim, prefix) => {
      // Node's parser accepts no blank and no line break in the address of a request.
      const line = ` HTTP  11/25/2026 9:03:44 AM 192.0.2.7 GET /${claim.replaceAll(' ', '+')}`;
      expect(find('frontend', prefix + line)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

const TRUE_RECORDS: readonly (readonly [NodeRecord, string])[] = [
  [
    {
      level: 'INFO',
      message: 'Imported new chain segment',
      fields: [
        ['blocks', '1'],
        ['elapsed', '245.345 µs'],
        ['number', '1234'],
      ],
    },
    'imported_segment 1234',
  ],
  [
    {
      level: 'WARN',
      message: 'Stop reorg, blockchain is under forking attack',
      fields: [['old committed num', '12']],
    },
    'refused_reorg',
  ],
  [
    {
      level: 'CRIT',
      message: 'Error when update masternodes set. Stopping node',
      fields: [['err', 'a b']],
    },
    'masternode_update_failed',
  ],
  [{ level: 'CRIT', message: 'Failed to write block', fields: [['err', 'a b']] }, 'critical'],
  [{ level: 'ERROR', message: 'Failed to write', fields: [['err', 'write /x: no space left on device']] }, 'disk_full'],
  [{ level: 'INFO', message: '⑂ block  became a side fork', fields: [['number', '3']] }, 'side_fork'],
  [
    {
      level: 'WARN',
      message: 'Served eth_x',
      fields: [
        ['reqid', '1'],
        ['err', 'no such method'],
      ],
    },
    'rpc_refused',
  ],
];

test.each(Object.entries(NODE_FORMATS))('what the node itself says is found: %s', (_, format) => {
  for (const prefix of LOG_PREFIXES)
    for (const [record, expected] of TRUE_RECORDS) expect(find('node', prefix + format(record))).toEqual([expected]);
});

test.each(LOG_PREFIXES)('what runs beside the logger is found behind “%s”', (prefix) => {
  const found = (line: string) => find('node', prefix + line);
  expect(found('panic: runtime error: index out of range')).toEqual(['panic']);
  expect(found('Fatal: Failed to unlock account 0')).toEqual(['unlock_failed']);
  expect(found("Fatal: Failed to load the private key: invalid character '1' at end of key file")).toEqual([
    'key_unreadable',
  ]);
  expect(found('Set the log level to 2')).toEqual(['log_level 2']);
  expect(found('tee: /work/xdcchain/xdc.log: No space left on device')).toEqual(['disk_full']);
  expect(find('frontend', `${prefix} INFO  Accepting connections at http://localhost:5214`)).toEqual(['serving']);
});

test('what ended Nethermind has the time of its own line, though the next start shows that it was the end', () => {
  const hits: unknown[] = [];
  const reader = createLogReader({
    ...{ pack: packs.node, own: [], timezone: 'UTC', now: () => 90_000 },
    onHit: ({ pattern, at }) => hits.push([pattern, at]),
  });
  const read = (line: string, at: number) => reader.read(line, 0, line.length, at);
  read('25 Nov 13:00:03 | Peers: 4 | node diversity : ', 1_000);
  read('Unhandled exception. System.IO.IOException: x', 2_000);
  read('   at Nethermind.Main()', 2_001);
  expect(hits).toEqual([]);
  read('25 Nov 13:00:09 | Nethermind is starting up', 9_000);
  expect(hits).toEqual([
    ['crashed', 2_000],
    ['nethermind_started', 9_000],
  ]);
});

test('what a geth node was called has ended nothing where the log ends', () => {
  const hits: unknown[] = [];
  const options = { pack: packs.node, own: [], timezone: 'UTC', now: () => 0 };
  const reader = createLogReader({ ...options, onHit: ({ pattern }) => hits.push(pattern) });
  for (const line of ['INFO [11-25|12:00:00] Served eth_x', 'Out of memory.']) reader.read(line, 0, line.length);
  reader.end();
  expect(hits).toEqual([]);
});
