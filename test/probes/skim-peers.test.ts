import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readId } from '../../src/probes/chain-values.ts';
import { countPeers, namePeers } from '../../src/probes/skim-peers.ts';

const count = (text: string): string => countPeers(Buffer.from(text));
const name = (text: string): string => namePeers(Buffer.from(text));
const [A, B, C] = ['a', 'b', 'C'].map((digit) => digit.repeat(128)) as [string, string, string];

const peer = (id: string) => ({
  id,
  name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
  caps: ['eth/62', 'eth/100'],
  network: { localAddress: '192.168.25.11:20303', inbound: true, trusted: false, static: false },
  protocols: { eth: { version: 100, difficulty: 1235, head: `0x${'d'.repeat(64)}` } },
});
const answer = (result: unknown) => JSON.stringify([{ jsonrpc: '2.0', id: 3, result }]);

/** What a parser makes of a text: undefined when it is no JSON. */
function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** An answer as far as it is read: of lists in a `result` what is read of their items' ids. */
const asRead = (text: string, read: (id: unknown) => unknown): string | undefined => {
  const parsed = parse(text);
  const shorten = (member: string, value: unknown) =>
    member === 'result' && Array.isArray(value)
      ? value.map((item: { readonly id?: unknown } | null) => read(item?.id) ?? 'none')
      : value;
  return parsed && JSON.stringify(parsed.value, shorten);
};
/** What is read of an answer is the same as without skimming. */
const expectSame = (text: string) => {
  expect(asRead(count(text), (id) => typeof id)).toBe(asRead(text, (id) => typeof id));
  expect(asRead(name(text), readId)).toBe(asRead(text, readId));
};

describe('a list of peers', () => {
  it('is cut down to one id a peer, empty or as far as it is read', () => {
    const text = answer([A, B, C].map(peer));
    expect(count(text)).toBe(answer([{ id: '' }, { id: '' }, { id: '' }]));
    expect(name(text)).toBe(answer([A, B, C].map((id) => ({ id: id.slice(0, 16) }))));
  });

  it.each([
    ['is empty', answer([])],
    ['has a peer without an id', answer([peer(A), { name: 'x' }])],
    ['has an id that is too short', answer([peer(A.slice(0, 15))])],
    ['has an id that is too long', answer([peer(`${A}a`)])],
    ['has an id that is no number', answer([peer(`${A.slice(1)}g`)])],
    ['ends an id with a control character', answer([peer(A)]).replace(`${A}"`, `${A}\u0001`)],
    ['has an id that is no string', answer([{ ...peer(A), id: 5 }])],
    ['has an id twice', answer([peer(A)]).replace('"name":', '"id":7,"name":')],
    ['is spread over lines', JSON.stringify(JSON.parse(answer([peer(A)])), null, 1)],
    ['holds an escape', answer([{ ...peer(A), name: 'a "quoted" one' }])],
    ['is cut off', answer([peer(A), peer(B)]).slice(0, -200)],
    ['ends in a comma', answer([peer(A)]).replace(/\]\}\]$/, ',]}]')],
    ['holds a word that is none', answer([peer(A)]).replace('true', 'tru')],
    ['holds a control character', answer([peer(A)]).replace('XDC', 'X\u0001C')],
    ['ends a string with a control character', answer([peer(A)]).replace(/"XDC[^"]*"/, '"X\u0001')],
    ['closes a list as an object', answer([peer(A)]).replace('"eth/100"]', '"eth/100"}')],
    ['holds a number that begins with zero', answer([peer(A)]).replace('1235', '01235')],
    ['lacks a value', answer([peer(A)]).replace(':1235', ':')],
    ['ends within a string', answer([peer(A)]).replace(/dddd".*$/, 'dddd')],
  ])('that %s is left to the parser', (_what, text) => {
    expectSame(text);
    expect(count(text)).toBe(text);
  });

  it('keeps the number of peers, and damaged JSON stays damaged', () => {
    const item = fc.oneof(
      fc.oneof(fc.string(), fc.constantFrom(A, C, A.slice(0, 16))).map(peer),
      fc.record({ id: fc.string(), more: fc.jsonValue({ maxDepth: 4 }) }),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.constantFrom('', '"', '{', '}', ']', ',', '\\', '0'),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), fc.option(damage), (items, harm) => {
        const whole = answer(items);
        const at = harm === null ? 0 : harm.at % whole.length;
        const text = harm === null ? whole : whole.slice(0, at) + harm.put + whole.slice(at + harm.cut);
        expectSame(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('that is deeper than a stack is left to the parser', () => {
    const deep = answer([peer(A)]).replace('1235', `${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(count(deep)).toBe(deep);
  });

  it('of names in other scripts is cut down, too', () => {
    const text = answer([{ ...peer(A), name: '子网 ü' }]);
    expect(count(text)).toBe(answer([{ id: '' }]));
  });

  it('that is hostile is given up in time that grows with its length', () => {
    const hostile = `[{"jsonrpc":"2.0","id":1,"result":[{"id":"${A}"${',"k":{"a":[1,2,3]}'.repeat(50_000)}`;
    expect(count(hostile)).toBe(hostile);
  });
});
