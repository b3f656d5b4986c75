import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { readRecording, useFolder, writeLog } from '../support/recordings.ts';
import { runCommand } from '../support/run-command.ts';

const tryLog = (component: string, file: string) => runCommand(['logs', 'test', '--component', component, file]);

const BLOCK =
  'INFO [11-21|07:00:00] Imported new chain segment               blocks=1 txs=0 mgas=0.000 number=1234 hash=1a2b3c…9f8e7d\n';
const FATAL = 'Fatal: Error starting protocol stack: listen unix /work/xdcchain/XDC.ipc: bind: invalid argument\n';
const ABORTED = `FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
Aborted (core dumped)
`;
const PING = 'TRACE[11-21|07:00:00] << PING XDC/v4                           addr=192.168.25.11:20303 err=nil\n';

test('prints the lines, each pattern with its count, first and last, and the verdict of each check', async () => {
  const { code, stdout, stderr } = await tryLog('relayer', writeLog(readRecording('relayer-full-healthy.log')));
  expect([code, stderr]).toEqual([0, '']);
  const [lines, ...rest] = stdout.trimEnd().split('\n');
  expect(lines).toBe('138 lines');
  expect(rest).toContainEqual(
    expect.stringMatching(
      /^ {2}full_submitted +18 {2}first 2026-11-21T08:59:37.684Z {2}last 2026-11-21T09:04:41.165Z$/,
    ),
  );
  expect(rest.at(-1)).toMatch(/^submissions {2}pass {2}the relayer \(FULL\) submitted blocks/);
});

test('prints JSON for programs, with the same exit code', async () => {
  const file = writeLog(readRecording('relayer-full-healthy.log'));
  const { code, stdout } = await runCli(['logs', 'test', '--component', 'relayer', '--json', file]);
  expect(code).toBe(0);
  const { lines, patterns, checks } = JSON.parse(stdout);
  expect(lines).toBe(138);
  expect(patterns).toContainEqual({
    name: 'full_submitted',
    matches: 18,
    first: '2026-11-21T08:59:37.684Z',
    last: '2026-11-21T09:04:41.165Z',
  });
  expect(checks).toMatchObject([{ check: 'submissions', verdict: 'pass' }]);
  const bad = writeLog(readRecording('relayer-no-funds.log'));
  const failed = await runCommand(['logs', 'test', '--component', 'relayer', '--json', bad]);
  expect([failed.code, JSON.parse(failed.stdout).checks[0].verdict]).toEqual([1, 'fail']);
});

test.each([
  ['relayer', 'relayer-no-funds.log', /submissions {2}fail {2}.*out of funds/],
  ['relayer', 'relayer-killed-dash.log', /submissions {2}fail {2}.*died/],
  ['stats', 'stats-no-csc.log', /block_data {2}fail .*\nhistory_data {2}fail /],
  ['frontend', 'frontend-build-sigkill.log', /logs {2}fail {2}.*memory/],
])('ends with 1 for a log of the %s that ends in a fault: %s', async (component, recording, said) => {
  const { code, stdout } = await tryLog(component, writeLog(readRecording(recording)));
  expect(code).toBe(1);
  expect(stdout).toMatch(said);
});

test.each([
  ['relayer', 'relayer-fork.log', /fork +6 .*\n(?:.*\n)*submissions {2}pass/],
  ['stats', 'stats-debug.log', /block_data {2}pass .*\nhistory_data {2}pass /],
  ['stats', 'stats-console.log', /block_data {2}unknown .*logs\/debug/],
  ['frontend', 'frontend-console.log', /logs {2}pass /],
])(
  'ends with 0 for a log of the %s without a fault, or that recovered from it: %s',
  async (component, recording, said) => {
    const { code, stdout } = await tryLog(component, writeLog(readRecording(recording)));
    expect(stdout).toMatch(said);
    expect(code).toBe(0);
  },
);

test.each([
  ['node', BLOCK, 0, /imported_segment +1 .*\nlog_block {2}pass .* at block 1234/],
  ['node', BLOCK + FATAL, 1, /ipc_path_too_long +1 .*\nlog_block {2}fail .*shorter path/],
  // Also what only follows from the line before it.
  ['frontend', ABORTED, 1, /heap_exhausted +1 .*\n {2}build_aborted +1 /],
  ['bootnode', PING, 0, /received +1 .*\nmessages {2}pass {2}the bootnode has heard the only node/],
  ['bootnode', `${PING}Fatal: bad key\n`, 1, /messages {2}fail .*fatal_start/],
] as const)('judges what a %s printed: %j', async (component, text, code, said) => {
  const done = await tryLog(component, writeLog(text));
  expect(done.stdout).toMatch(said);
  expect(done.code).toBe(code);
});

test.each([
  ['node', /log_block {2}unknown/],
  ['bootnode', /messages {2}unknown/],
  ['relayer', /submissions {2}unknown/],
  ['stats', /block_data {2}unknown .*\nhistory_data {2}unknown/],
  ['frontend', /logs {2}pass/],
])('an empty log of the %s shows no fault', async (component, said) => {
  const { code, stdout } = await tryLog(component, writeLog(''));
  expect(stdout).toMatch(/^0 lines\n/);
  expect(stdout).toMatch(said);
  expect(code).toBe(0);
});

const NETHERMIND = '25 Nov 12:00:00 | Committed new block 1234 (0x1a...2b) round=9 \n';
const asJsonFile = (line: string) =>
  `${JSON.stringify({ log: line, stream: 'stderr', time: '2026-11-21T07:00:00.5Z' })}\n`;
const colour = (line: string) =>
  line.replace(/^\w+ */, '\u001b[32m$&\u001b[0m').replaceAll(/ (\w+)=/g, ' \u001b[32m$1\u001b[0m=');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each([
  ['compose', (text: string) => `subnet1-1  | ${text}`],
  ['compose with times', (text: string) => `subnet1-1  | 2026-11-21T07:00:00.123456789Z ${text}`],
  ['docker logs -t', (text: string) => `2026-11-21T07:00:00.123456789Z ${text}`],
  ['journald', (text: string) => `Nov 21 07:00:00 host1 subnet1[812]: ${text}`],
  ['journald, short-iso', (text: string) => `2026-11-21T07:00:00+0000 host1 subnet1[812]: ${text}`],
  ['CRI', (text: string) => `2026-11-21T07:00:00.123456789+00:00 stderr F ${text}`],
  ['kubectl --prefix', (text: string) => `[pod/subnet1-0/node] ${text}`],
  ['a file of Docker', asJsonFile],
  ['a terminal in colour', colour],
  ['a page that lost the escapes', (text: string) => colour(text).replaceAll('\u001b', '')],
  ['journald, short-precise', (text: string) => `Nov 21 07:00:00.123456 host1 subnet1[812]: ${text}`],
  ['journald, short-full', (text: string) => `Fri 2026-11-20 07:00:00 UTC host1 subnet1[812]: ${text}`],
  ['journald, json', (text: string) => `${JSON.stringify({ _PID: '812', MESSAGE: text })}\n`],
  ['journald, json of bytes', (text: string) => `${JSON.stringify({ MESSAGE: [...Buffer.from(text)] })}\n`],
  ['syslog', (text: string) => `<30>1 2026-11-20T07:00:00.123Z host1 subnet1 812 - - ${text}`],
  ['fluentd', (text: string) => `2026-11-20T07:00:00+00:00\tdocker.ab12\t${JSON.stringify({ log: text })}\n`],
  ['a cloud', (text: string) => `${JSON.stringify({ jsonPayload: { message: text } })}\n`],
  ['stern', (text: string) => `\u001b[36msubnet1-0\u001b[0m \u001b[32mnode\u001b[0m ${text}`],
  ['podman-compose', (text: string) => `[subnet1] | ${text}`],
  ['pm2', (text: string) => `0|subnet1  | ${text}`],
  ['nerdctl', (text: string) => `subnet1   |${text}`],
  ['grep', (text: string) => `xdc.log:1204:${text}`],
  ['an issue, as a quote', (text: string) => `> ${text}`],
  ['gzip', (text: string) => gzipSync(text)],
  ['UTF-16', (text: string) => utf16(text)],
  ['zstd', (text: string) => zstdCompressSync(text)],
  ['UTF-16 without its mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16, big-endian', (text: string) => utf16(text).swap16()],
  ['UTF-8 with a mark', (text: string) => `\ufeff${text}`],
  ['Windows', (text: string) => text.replace('\n', '\r\n')],
  ['gzip of UTF-16', (text: string) => gzipSync(utf16(text))],
] as const)('a log saved by %s is judged as without that', async (_by, save) => {
  for (const [line, height] of [
    [BLOCK, 'imported_segment'],
    [NETHERMIND, 'committed'],
  ] as const) {
    const { code, stdout } = await tryLog('node', writeLog(save(line)));
    expect(stdout).toMatch(
      new RegExp(
        `^1 lines\n {2}${height} +1 {2}first 2\\d{3}-11-2[15]T\\d\\d:00:00.*\nlog_block {2}pass .* at block 1234`,
      ),
    );
    expect(code).toBe(0);
  }
});

test('what a program says beside its logger is found however the log was saved', async () => {
  for (const save of [
    asJsonFile,
    (line: string) => `[pod/subnet1-0/node] ${line}`,
    (line: string) => `Nov 21 07:00:00 h node: ${line}`,
  ]) {
    const { code, stdout } = await tryLog('node', writeLog(save(FATAL)));
    expect(stdout).toMatch(/ipc_path_too_long +1 .*\nlog_block {2}fail/);
    expect(code).toBe(1);
  }
  // Here only its other lines show where it begins to speak.
  for (const save of [
    (line: string) => `${JSON.stringify({ MESSAGE: line, PRIORITY: '6' })}\n`,
    (line: string) => `subnet1-0 node ${line}`,
    (line: string) => `0|subnet1  | 2026-11-21T07:00:00: ${line}`,
  ]) {
    const { code, stdout } = await tryLog('node', writeLog(save(BLOCK) + save('\n') + save(FATAL)));
    expect(stdout).toMatch(/ipc_path_too_long +1 .*\nlog_block {2}fail/);
    expect(code).toBe(1);
  }
});

test.each([
  ['node', 'relayer-full-healthy.log'],
  ['bootnode', 'relayer-full-healthy.log'],
  ['relayer', 'stats-debug.log'],
  ['stats', 'relayer-full-healthy.log'],
  ['frontend', 'stats-debug.log'],
])('ends with 2 and says so when no line is of %s: %s', async (component, recording) => {
  const { code, stdout, stderr } = await tryLog(component, writeLog(readRecording(recording)));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    new RegExp(`none of \\d+ lines looks like a ${component}'s log; is it from another component, or compressed\\?`),
  );
});

test('a few lines in which others are quoted do not show how all are wrapped', async () => {
  const quoted = `the last line was ${BLOCK}`;
  const { code, stderr } = await tryLog('node', writeLog(`${quoted}something else\nanother thing\nand more\n`));
  expect([code, stderr]).toEqual([2, expect.stringContaining("none of 4 lines looks like a node's log")]);
});

test('a log that is packed in another way is not taken for one without a fault', async () => {
  const { code, stderr } = await tryLog('node', writeLog(brotliCompressSync(BLOCK.repeat(100))));
  expect(code).toBe(2);
  expect(stderr).toMatch(/or compressed\?/);
});

test('never quotes the log: a secret in it stays in it', async () => {
  const secret = 'hunter2hunter2';
  const text = readRecording('relayer-no-funds.log').replaceAll('Insufficient funds', `${secret} Insufficient funds`);
  expect((await tryLog('relayer', writeLog(text))).stdout).not.toContain(secret);
});

test('reads binary output, invalid UTF-8, and a line of 100 MB without a newline, in bounded memory', async () => {
  const garbage = Buffer.alloc(100 * 2 ** 20, 0xff);
  const file = writeLog(Buffer.concat([Buffer.from(BLOCK), garbage]));
  const { code, stdout } = await runCli(['logs', 'test', '--component', 'node', file], {
    NODE_OPTIONS: '--max-old-space-size=48',
  });
  expect(stdout).toMatch(/^2 lines\n/);
  expect(stdout).toMatch(/log_block {2}pass/);
  expect(code).toBe(0);
}, 60_000);

test.each([
  ['a file that is not there', () => `${useFolder()}/none.log`, 'ENOENT'],
  ['a directory', () => useFolder(), 'is not a file; name a file that holds a log'],
])('ends with 2 and what to do for %s', async (_what, file, said) => {
  const { code, stdout, stderr } = await tryLog('node', file());
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(said);
});

test('ends with 2 for a file that may not be read', async () => {
  const file = writeLog('x\n');
  chmodSync(dirname(file), 0o755);
  chmodSync(file, 0o000);
  // Root may read everything.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const program = fileURLToPath(new URL('../../bin/subnetd', import.meta.url));
  const done = promisify(execFile)(program, ['logs', 'test', '--component', 'node', file], user);
  await expect(done).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('cannot be read (EACCES)'),
  });
});

test.each([
  ['a component that there is not', ['logs', 'test', '--component', 'parent', '/dev/null'], 'must be one of node,'],
  ['no component', ['logs', 'test', '/dev/null'], '--component'],
  ['no file', ['logs', 'test', '--component', 'node'], 'file'],
])('ends with 2 for %s', async (_what, words, said) => {
  const { code, stderr } = await runCommand(words);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
