import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skimPeers } from '../../src/probes/skim-peers.ts';

const skim = (text: string): string => skimPeers(Buffer.from(text));

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

/** An answer as far as it is read: lists in a `result` as the kinds of their items' ids. */
const asRead = (text: string): string | undefined => {
  const parsed = parse(text);
  const shorten = (name: string, value: unknown) =>
    name === 'result' && Array.isArray(value)
      ? value.map((item: { readonly id?: unknown } | null) => typeof item?.id)
      : value;
  return parsed && JSON.stringify(parsed.value, shorten);
};

describe('a list of peers', () => {
  it('is cut down to one bare id a peer', () => {
    const text = answer(['aa', 'bb', 'cc'].map(peer));
    expect(skim(text)).toBe(answer([{ id: '' }, { id: '' }, { id: '' }]));
  });

  it.each([
    ['is empty', answer([])],
    ['has a peer without an id', answer([peer('aa'), { name: 'x' }])],
    ['has an id that is no string', answer([{ ...peer('aa'), id: 5 }])],
    ['has an id twice', answer([peer('aa')]).replace('"name":', '"id":7,"name":')],
    ['is spread over lines', JSON.stringify(JSON.parse(answer([peer('aa')])), null, 1)],
    ['holds an escape', answer([{ ...peer('aa'), name: 'a "quoted" one' }])],
    ['is cut off', answer([peer('aa'), peer('bb')]).slice(0, -200)],
    ['ends in a comma', answer([peer('aa')]).replace(/\]\}\]$/, ',]}]')],
    ['holds a word that is none', answer([peer('aa')]).replace('true', 'tru')],
    ['holds a control character', answer([peer('aa')]).replace('XDC', 'X\u0001C')],
    ['ends a string with a control character', answer([peer('aa')]).replace(/"XDC[^"]*"/, '"X\u0001')],
    ['closes a list as an object', answer([peer('aa')]).replace('"eth/100"]', '"eth/100"}')],
    ['holds a number that begins with zero', answer([peer('aa')]).replace('1235', '01235')],
    ['lacks a value', answer([peer('aa')]).replace(':1235', ':')],
    ['ends within a string', answer([peer('aa')]).replace(/dddd".*$/, 'dddd')],
  ])('that %s is left to the parser', (_what, text) => {
    const skimmed = skim(text);
    expect(asRead(skimmed)).toBe(asRead(text));
    expect(parse(skimmed) === undefined).toBe(parse(text) === undefined);
  });

  it('keeps the number of peers, and damaged JSON stays damaged', () => {
    const item = fc.oneof(
      fc.string().map(peer),
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
        expect(asRead(skim(text))).toBe(asRead(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('that is deeper than a stack is left to the parser', () => {
    const deep = answer([peer('aa')]).replace('1235', `${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(skim(deep)).toBe(deep);
  });

  it('of names in other scripts is cut down, too', () => {
    const text = answer([{ ...peer('aa'), name: '子网 ü' }]);
    expect(skim(text)).toBe(answer([{ id: '' }]));
  });

  it('that is hostile is given up in time that grows with its length', () => {
    const hostile = `[{"jsonrpc":"2.0","id":1,"result":[{"id":"a"${',"k":{"a":[1,2,3]}'.repeat(50_000)}`;
    expect(skim(hostile)).toBe(hostile);
  });
});
