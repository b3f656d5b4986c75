import { expect, test } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { ChainFacts } from '../../../src/model/facts.ts';
import { foldChain } from '../../../src/watch/rules/fold-node.ts';

/** What is known of the key of a node that gives these addresses, one a minute. */
function follow(...addresses: readonly (string | undefined)[]) {
  let facts: ChainFacts | undefined;
  for (const [minute, address] of addresses.entries()) {
    const chain = { chainId: 1, ...(address !== undefined && { address }), missing: {} };
    facts = foldChain(facts, { answered: true, latest: { ok: true, value: { number: 7 } }, chain }, minute);
  }
  return facts?.keyBefore;
}

test('the key that a node had before is known with when it gave another one', () => {
  expect(follow('a', 'a')).toBeUndefined();
  expect(follow('a', 'b', 'b')).toEqual({ address: 'a', at: 1 });
  expect(follow('a', 'b', 'a')).toEqual({ address: 'b', at: 2 });
  // It has not said its address.
  expect(follow('a', undefined, undefined)).toBeUndefined();
});

test('a node that is slow to say by which address it signs signs by the one that it has said', () => {
  const look = (chain: Pick<ChainObservation, 'address' | 'missing'>) =>
    ({ answered: true, latest: { ok: true, value: { number: 7 } }, chain: { chainId: 1, ...chain } }) as const;
  const said = foldChain(undefined, look({ address: 'a', missing: {} }), 1);
  const slow = foldChain(said, look({ missing: { address: 'no-answer' } }), 2);
  expect(slow?.observation.address).toBe('a');
  expect(foldChain(slow, look({ address: 'b', missing: {} }), 3)).toMatchObject({
    observation: { address: 'b' },
    keyBefore: { address: 'a', at: 3 },
  });
  // It has none any more.
  expect(foldChain(said, look({ missing: { address: 'error' } }), 2)?.observation.address).toBeUndefined();
});

test('since when a node lists its peers is known from its first answer with them, in any order', () => {
  const listsSince = (...lists: readonly (readonly string[] | undefined)[]) => {
    let facts: ChainFacts | undefined;
    for (const [minute, peerIds] of lists.entries()) {
      const chain = { chainId: 1, ...(peerIds && { peerIds }), missing: {} };
      facts = foldChain(facts, { answered: true, latest: { ok: true, value: { number: 7 } }, chain }, minute);
    }
    return facts?.listsSince;
  };
  expect(listsSince(['a', 'b'], ['b', 'a'])).toBe(0);
  expect(listsSince(['a', 'b'], ['a'], ['a'])).toBe(1);
  expect(listsSince(['a'], ['a', 'b'], ['a'])).toBe(2);
  expect(listsSince(['a'], undefined)).toBeUndefined();
  expect(listsSince(['a'], undefined, ['a'])).toBe(2);
});

test('since when a node waits in its round is known from its first answer with that round', () => {
  const waitsSince = (...rounds: readonly number[]) => {
    let facts: ChainFacts | undefined;
    for (const [minute, timeoutRound] of rounds.entries()) {
      const pool = { voteRounds: 0, neverSigned: [], timeouts: 1, timeoutRound };
      const chain = { chainId: 1, pool, missing: {} };
      facts = foldChain(facts, { answered: true, latest: { ok: true, value: { number: 7 } }, chain }, minute);
    }
    return facts?.waitsSince;
  };
  expect(waitsSince(919)).toBe(0);
  expect(waitsSince(919, 919, 919)).toBe(0);
  expect(waitsSince(919, 920, 920)).toBe(1);
  expect(waitsSince(920, 920, 919)).toBe(2);
  expect(waitsSince(919, 0)).toBeUndefined();
  expect(waitsSince(919, 0, 919)).toBe(2);
});
