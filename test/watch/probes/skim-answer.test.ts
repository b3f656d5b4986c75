import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readId } from '../../../src/watch/probes/chain-values.ts';
import { type CallResult, parseAnswer } from '../../../src/watch/probes/json-rpc.ts';
import {
  countPeers,
  namePeers,
  type SkimValue,
  skimAnswer,
  skimMembers,
  skimWhole,
} from '../../../src/watch/probes/skim-answer.ts';
import type { TransportResponse } from '../../../src/watch/probes/transport.ts';

const [A, B, C] = ['a', 'b', 'C'].map((digit) => digit.repeat(128)) as [string, string, string];

const peer = (id: string) => ({
  id,
  name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
  caps: ['eth/62', 'eth/100'],
  network: { localAddress: '192.168.25.11:20303', inbound: true, trusted: false, static: false },
  protocols: { eth: { version: 100, difficulty: 1235, head: `0x${'d'.repeat(64)}` } },
});

const message = (result: unknown, id = 1) => ({ jsonrpc: '2.0', id, result });
const single = (result: unknown) => JSON.stringify(message(result));
const batch = (...results: readonly unknown[]) =>
  JSON.stringify(results.map((result, index) => message(result, index + 1)));

const toResponse = (text: string, contentType = 'application/json', status = 200): TransportResponse => ({
  status,
  contentType,
  body: Buffer.from(text),
});
const skim = (text: string, ...readers: readonly SkimValue[]) => skimAnswer(toResponse(text), readers);
const parse = (text: string, calls = 1) => parseAnswer(toResponse(text), calls);

/** What is read of the ids in a list: by the reader that is left to parse. */
const readIds = (results: readonly CallResult[] | undefined, read: (id: unknown) => unknown): unknown =>
  Array.isArray(results)
    ? results.map((result: CallResult) =>
        result.ok && Array.isArray(result.value)
          ? result.value.map((item: { readonly id?: unknown } | null) => read(item?.id) ?? 'none')
          : result,
      )
    : results;

describe('an answer', () => {
  it('is read in the order of the calls, whatever the order of its messages, with a newline at the end', () => {
    const [first, second] = [message(5, 1), message('0x1', 2)];
    const wanted = [
      { ok: true, value: 5 },
      { ok: true, value: '0x1' },
    ];
    expect(skim(`${JSON.stringify([second, first])}\n`, skimWhole, skimWhole)).toEqual(wanted);
    expect(skim(`${single(null)}\n`, skimWhole)).toEqual([{ ok: true, value: null }]);
  });

  it.each([
    ['an error', JSON.stringify([message(5, 1), { jsonrpc: '2.0', id: 2, error: { code: -32601 } }])],
    ['too few messages', JSON.stringify([message(5, 1)])],
    ['too many messages', JSON.stringify([message(5, 1), message(6, 2), message(7, 3)])],
    ['an id twice', JSON.stringify([message(5, 1), message(6, 1)])],
    ['an id that nobody gave', JSON.stringify([message(5, 1), message(6, 0)])],
    ['an id that is text', batch(5, 6).replace('"id":2', '"id":"2"')],
    ['another version', batch(5, 6).replace('2.0', '1.0')],
    ['spaces', JSON.stringify(JSON.parse(batch(5, 6)), null, 1)],
    ['members in another order', '[{"id":1,"jsonrpc":"2.0","result":5},{"id":2,"jsonrpc":"2.0","result":5}]'],
    ['a member behind the result', batch(5, 6).replace('5}', '5,"error":null}')],
    ['something behind it', `${batch(5, 6)}5`],
    ['no list', single(5)],
    ['no end', batch(5, 6).slice(0, -1)],
    ['nothing', ''],
  ])('with %s is left to the parser', (_what, text) => {
    expect(skim(text, skimWhole, skimWhole)).toBeUndefined();
  });

  it('that is no JSON by its status is left to the parser, whatever its type', () => {
    expect(skimAnswer(toResponse(single(5), 'application/json', 500), [skimWhole])).toBeUndefined();
    for (const type of ['text/html; charset=utf-8', 'text/plain', ''])
      expect(skimAnswer(toResponse(single(5), type), [skimWhole])).toEqual([{ ok: true, value: 5 }]);
  });

  it.each([
    ['true', true],
    ['"\\u00e9\\n\\"x"', 'é\n"x'],
    ['"子网"', '子网'],
    ['-0.5e-3', -0.0005],
    ['1E2', 100],
    ['999999999999999', 999_999_999_999_999],
    ['9289299715626895337691', 9.289299715626895e21],
    ['{"a":{"b":[[],{},1.5,null]}}', { a: { b: [[], {}, 1.5, null] } }],
  ])('with %s is read', (result, value) => {
    const text = single(0).replace(':0}', `:${result}}`);
    expect(skim(text, skimWhole)).toEqual([{ ok: true, value }]);
    expect(parse(text)).toEqual([{ ok: true, value }]);
  });

  it.each([
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '-',
    'tru',
    '"\\x"',
    '"\\u12g4"',
    '"\\u123g"',
    '"\u0001"',
    '[1,]',
    '{"a"}',
    '{"a":1,}',
    '',
  ])('with the result %j is left to the parser', (result) => {
    const text = single(0).replace(':0}', `:${result}}`);
    expect(skim(text, skimWhole)).toBeUndefined();
    expect(parse(text)).toMatchObject([{ ok: false, fault: { kind: 'not-json' } }]);
  });

  it('is as the parser says, whole or damaged, or left to it', () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.constantFrom('', '"', '{', '}', ']', ',', '\\', '0', '-', '.', 'e', ' '),
    });
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 2, maxLength: 4 }), fc.option(damage), (results, harm) => {
        const whole = batch(...results);
        const at = harm === null ? 0 : harm.at % whole.length;
        const text = harm === null ? whole : whole.slice(0, at) + harm.put + whole.slice(at + harm.cut);
        const skimmed = skim(text, ...results.map(() => skimWhole));
        if (skimmed !== undefined) expect(skimmed).toEqual(parse(text, results.length));
      }),
      { numRuns: 2000 },
    );
  });

  it('that is deeper than a stack is left to the parser', () => {
    expect(skim(single(0).replace(':0}', `:${'['.repeat(200_000)}${']'.repeat(200_000)}}`), skimWhole)).toBeUndefined();
  });
});

describe('an object', () => {
  const skimBlock = skimMembers('Error', 'Number');
  const skimOne = (result: unknown) => skim(single(result), skimBlock);

  it('is read as far as its members are asked for', () => {
    expect(skimOne({ Hash: '0x1', Number: 7, Miner: { Number: 8 }, EncodedRLP: 'QQ', Error: '' })).toEqual([
      { ok: true, value: { Number: 7, Error: '' } },
    ]);
    expect(skimOne({ Hash: '0x1', Numbers: 7 })).toEqual([{ ok: true, value: {} }]);
    expect(skimOne({})).toEqual([{ ok: true, value: {} }]);
    expect(skimOne('text')).toEqual([{ ok: true, value: 'text' }]);
    expect(skimOne(null)).toEqual([{ ok: true, value: null }]);
  });

  it('whose member comes twice has the last one, as the parser has it', () => {
    expect(skim(single(0).replace(':0}', ':{"Number":1,"Number":2}}'), skimBlock)).toEqual([
      { ok: true, value: { Number: 2 } },
    ]);
  });

  it.each([
    ['a name in disguise', '{"\\u004eumber":7}'],
    ['no value', '{"Number":}'],
    ['no end', '{"Number":7'],
    ['the end of a list', '{"Number":7]'],
    ['a comma at its end', '{"Number":7,}'],
  ])('with %s is left to the parser', (_what, result) => {
    expect(skim(single(0).replace(':0}', `:${result}}`), skimBlock)).toBeUndefined();
  });
});

describe('a list of peers', () => {
  const expectSame = (text: string) => {
    const [counted, named] = [skim(text, countPeers), skim(text, namePeers)];
    const parsed = parse(text);
    if (counted) expect(readIds(counted, (id) => typeof id)).toEqual(readIds(parsed, (id) => typeof id));
    if (named) expect(readIds(named, readId)).toEqual(readIds(parsed, readId));
  };

  it('is read as one id a peer, empty or as far as it is read', () => {
    const text = single([A, B, C].map(peer));
    expect(skim(text, countPeers)).toEqual([{ ok: true, value: [{ id: '' }, { id: '' }, { id: '' }] }]);
    expect(skim(text, namePeers)).toEqual([{ ok: true, value: [A, B, C].map((id) => ({ id: id.slice(0, 16) })) }]);
  });

  it('of names in other scripts and with escapes is read so, too', () => {
    expect(skim(single([{ ...peer(A), name: '子网 "ü"' }]), countPeers)).toEqual([{ ok: true, value: [{ id: '' }] }]);
  });

  it.each([
    ['is empty', []],
    ['is none', null],
    ['has a peer without an id', [peer(A), { name: 'x' }]],
    ['has an id that is too short', [peer(A.slice(0, 15))]],
    ['has an id that is too long', [peer(`${A}a`)]],
    ['has an id that is no number', [peer(`${A.slice(1)}g`)]],
    ['has an id that is no string', [{ ...peer(A), id: 5 }]],
    ['has an id at another place', [{ name: 'x', id: A }]],
  ])('that %s is read whole', (_what, peers) => {
    expect(skim(single(peers), countPeers)).toEqual([{ ok: true, value: peers }]);
    expect(skim(single(peers), namePeers)).toEqual([{ ok: true, value: peers }]);
  });

  it('that has an id twice is read whole', () => {
    const text = single([peer(A)]).replace('"name":', '"id":7,"name":');
    expect(skim(text, countPeers)).toEqual(parse(text));
  });

  it.each([
    ['ends an id with a control character', single([peer(A)]).replace(`${A}"`, `${A}\u0001`)],
    ['is cut off', single([peer(A), peer(B)]).slice(0, -200)],
    ['ends in a comma', single([peer(A)]).replace(/\]\}$/, ',]}')],
    ['holds a word that is none', single([peer(A)]).replace('true', 'tru')],
    ['closes a list as an object', single([peer(A)]).replace('"eth/100"]', '"eth/100"}')],
    ['is itself closed as an object', single([peer(A)]).replace(/\]\}$/, '}}')],
    ['lacks a value', single([peer(A)]).replace(':1235', ':')],
    ['ends within a string', single([peer(A)]).replace(/dddd".*$/, 'dddd')],
  ])('that %s is left to the parser', (_what, text) => {
    expect(skim(text, countPeers)).toBeUndefined();
  });

  it('has as many peers as by the parser, whole or damaged', () => {
    const item = fc.oneof(
      fc.oneof(fc.string(), fc.constantFrom(A, C, A.slice(0, 16))).map(peer),
      fc.record({ id: fc.string(), more: fc.jsonValue({ maxDepth: 4 }) }),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const damage = fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.constantFrom('', '"', '{', '}', ']', ',', '\\') });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), fc.option(damage), (items, harm) => {
        const whole = single(items);
        const at = harm === null ? 0 : harm.at % whole.length;
        expectSame(harm === null ? whole : whole.slice(0, at) + harm.put + whole.slice(at + harm.cut));
      }),
      { numRuns: 2000 },
    );
  });

  it('that is hostile is given up in time that grows with its length', () => {
    const hostile = `{"jsonrpc":"2.0","id":1,"result":[{"id":"${A}"${',"k":{"a":[1,2,3]}'.repeat(50_000)}`;
    expect(skim(hostile, countPeers)).toBeUndefined();
  });
});
