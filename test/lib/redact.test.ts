import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEFT_OUT, redactLines } from '../../src/lib/redact.ts';
import { findKnownSecrets } from '../../src/watch/monitor/known-secrets.ts';
import { nodeTarget, serviceTarget } from '../support/views.ts';

const S = 'hunter2-Xy9';
const KEY = '3f5e6d7c8b9aa0b1c2d3e4f5061728394a5b6c7d3f5e6d7c8b9aa0b1c2d3e4f5';
const one = (line: string, known: readonly string[] = []): string => redactLines([line], known)[0] ?? '';

describe('a line of a log is shown without', () => {
  test.each([
    [
      `Sending events to stats service at subnet1-0xf9b4:${S}@192.168.25.10:5213`,
      'Sending events to stats service at [redacted]@192.168.25.10:5213',
    ],
    [
      `debug: RECEIVER: Hello, Data: {"id":"subnet1","info":{"name":"n"},"secret":"${S}"}`,
      'debug: RECEIVER: Hello, Data: {"id":"subnet1","info":{"name":"n"},"secret":[redacted]}',
    ],
    [String.raw`{"msg":"{\"secret\":\"${S}\"}"}`, String.raw`{"msg":"{\"secret\":[redacted]}`],
    [`STATS_SECRET=${S} PORT=20303`, 'STATS_SECRET=[redacted] PORT=20303'],
    [`PARENTNET_WALLET_PK=0x${KEY}`, 'PARENTNET_WALLET_PK=[redacted]'],
    [`password : '${S} and more' x`, 'password : [redacted] x'],
    [`XDC --password ${S} --port 1`, 'XDC --password [redacted] --port 1'],
    [`GET /x?apiKey=${S}&y=1`, 'GET /x?apiKey=[redacted]'],
    [`"tokens":["${S}","${S}"],"n":1`, '"tokens":[redacted],"n":1'],
    [`Authorization: Digest username="a", response="${S}"`, 'Authorization: [redacted]'],
    [`{"authorization":"Bearer ${S}","n":1}`, '{"authorization":[redacted],"n":1}'],
    [`set-cookie: sid=${S}; path=/`, 'set-cookie: [redacted]'],
    [`with Bearer ${S} sent`, 'with [redacted] sent'],
    [`dial http://me:${S}@10.0.0.1:8545/x: refused`, 'dial http://[redacted]@10.0.0.1:8545/x: refused'],
    [`dial ws://me:a@b/${S}@10.0.0.1:8545`, 'dial ws://[redacted]@10.0.0.1:8545'],
    [`dial http://${S}@10.0.0.1`, 'dial http://[redacted]@10.0.0.1'],
    [`mnemonic: correct horse battery ${S}`, 'mnemonic: [redacted]'],
    [`Creating account from private key ${KEY} done`, 'Creating account from private key [redacted] done'],
    [`0x${KEY} is the secret`, '[redacted] is the secret'],
    [`it printed ${KEY} alone`, 'it printed [redacted] alone'],
    [`POST https://hooks.slack.com/services/T0/B0/${S}`, 'POST https://hooks.slack.com/[redacted]'],
    [
      `CONNECTION ERROR: https://sepolia.infura.io/v3/0123456789abcdef0123456789abcdef.`,
      'CONNECTION ERROR: https://sepolia.infura.io/v3/[redacted].',
    ],
    [`key subnetd_0123456789012345678901234567890123456789012`, 'key [redacted]'],
    [`jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh end`, 'jwt [redacted] end'],
  ])('%s', (line, shown) => {
    expect(one(line)).toBe(shown);
  });

  test('what is not a secret stays', () => {
    for (const line of [
      `INFO [11-21|22:34:45] Successfully commit and confirm block num=41060 round=41225 hash=0x${KEY}`,
      `enode://${'a'.repeat(128)}@192.168.25.11:20303`,
      'Disconnect a node who does not have the correct WS secret: ::ffff:192.168.25.5 ',
      'RECEIVER: block, data: {"block":{"number":7,"hash":"0xabc"}}',
      `parent chain https://devnetstats.hashlabs.apothem.network/devnet/tx/0x${KEY}`,
    ])
      expect(one(line)).toBe(line);
  });

  test('the secrets that the inventory holds are left out, in each form', () => {
    const known = findKnownSecrets(
      {
        targets: [
          nodeTarget('n1', { rpc: 'http://me:p%40ss%2Fw@10.0.0.1:8545/rpc/0f0f0f0f?key=querytoken' }),
          {
            ...serviceTarget('frontend', 'http://x:letmein@10.0.0.2/'),
            browser: { cdpUrl: 'ws://10.0.0.3/devtools-id-1' },
          },
        ],
        parentChain: { rpc: 'https://u:parent-pass@parent.example/v3/parent-token-1' },
      },
      {
        alertmanager: { urls: ['http://10.0.0.4/alert-token-1'] },
        channels: [
          {
            name: 'ops',
            target: { kind: 'webhook', url: 'https://u:hook-pass@h/hook-token-1' },
            severities: ['critical'],
          },
          { name: 'file', target: { kind: 'webhook', urlFile: '/run/secrets/in-a-file' }, severities: ['critical'] },
        ],
      },
    );
    for (const secret of [
      'p@ss/w',
      'p%40ss%2Fw',
      btoa('me:p@ss/w'),
      '0f0f0f0f',
      'querytoken',
      'letmein',
      'devtools-id-1',
      'alert-token-1',
      'hook-pass',
      'parent-pass',
      'parent-token-1',
      'hook-token-1',
    ])
      expect(one(`it says ${secret}!`, known), secret).toBe(`it says ${LEFT_OUT}!`);
    expect(one('the path /rpc of 10.0.0.1:8545', known)).toBe('the path /rpc of 10.0.0.1:8545');
  });

  test('the lines of a key, even when its start is too far back', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
    const lines = [
      'a',
      '-----BEGIN RSA PRIVATE KEY-----',
      body,
      'short=',
      '-----END RSA PRIVATE KEY-----',
      'b',
      body,
      '-----END PRIVATE KEY-----',
      'c',
    ];
    expect(redactLines(lines)).toEqual(['a', ...Array(4).fill(LEFT_OUT), 'b', LEFT_OUT, LEFT_OUT, 'c']);
  });

  test('colours, control characters, and the end of a long line', () => {
    expect(one('\u001b[31mred\u001b[0m\tand\u202eback\u0000')).toBe('red and back ');
    expect(one('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`);
    const cutInUserInfo = `secret=${'s'.repeat(1_900)} http://me:${S}`;
    expect(one(cutInUserInfo.padEnd(3_000, 'z'))).toBe('secret=[redacted] …');
    expect(one(`data: {"block":${'1'.repeat(3_000)}`)).toBe(`data: {"block":${'1'.repeat(485)}…`);
  });

  test('a secret that follows a word or stands in an address, wherever it stands', () => {
    const noise = fc.string({
      unit: fc.constantFrom(' ', 'a', '{', '"', ':', '=', ',', '/', '@', '\\', "'", '\n'),
      maxLength: 40,
    });
    const around = fc.constantFrom(
      (s: string) => `secret=${s}`,
      (s: string) => `{"password":"${s}"}`,
      (s: string) => `https://user:${s}@host`,
      (s: string) => `name:${s}@host:1`,
    );
    fc.assert(
      fc.property(noise, around, noise, (before, put, after) => {
        const line = `${before.replaceAll('\n', ' ')} ${put('Zq7Zq7Zq7')} ${after.replaceAll('\n', ' ')}`;
        expect(one(line)).not.toContain('Zq7');
      }),
      { numRuns: 2_000 },
    );
  });
});

test('lines of real programs stay readable: few of them have anything to leave out', () => {
  const lines = readFileSync(new URL('../fixtures/recordings/stats-debug.log', import.meta.url), 'utf8').split('\n');
  const changed = redactLines(lines).filter(
    (line, index) => line.includes(LEFT_OUT) && !lines[index]?.includes('Hello'),
  );
  expect(changed).toEqual([]);
});

test('a hostile line costs little', () => {
  for (const piece of ['://', 'secret', 'a:', '@', 'key ', 'pk=', '\\"', 'a://b:', "token='", 'private '])
    expect(one(piece.repeat(10_000)).length).toBeLessThan(600);
});
