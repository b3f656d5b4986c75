import { expect, it } from 'vitest';
import type { KnownTarget } from '../../src/model/facts.ts';
import { foldChain } from '../../src/rules/fold-chain.ts';
import { diagnosed, diagnosedNode, NOW } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const OLD = { chainId: 5551, genesis: '0x7f83aaaaaaaa' };
const NEW = { chainId: 5552, genesis: '0xa6d1bbbbbbbb' };

/** A node whose height fell from 176 to 6 as its chain became another one, so long ago. */
function replaced(name: string, agoMs: number, fallenMs = agoMs): KnownTarget {
  const { target, facts } = diagnosedNode(name, NAMES, { height: 6, chain: NEW });
  const { node } = facts;
  if (node?.latest === undefined) return { target, facts };
  const fall = { from: 176, to: 6, at: NOW - fallenMs, repeated: false };
  const before = diagnosedNode(name, NAMES, { chain: OLD }).facts.node?.chain;
  const said = { ...node.observation, chain: { ...NEW, missing: {} } };
  const chain = foldChain(before, said, NOW - agoMs);
  const known = chain && node.chain && { ...node.chain, replaced: chain.replaced };
  return {
    target,
    facts: { ...facts, node: { ...node, latest: { ...node.latest, fall }, ...(known && { chain: known }) } },
  };
}
const found = (targets: readonly KnownTarget[]) =>
  diagnosed(targets).filter(({ problem }) => ['chain_replaced', 'head_regression', 'other_chain'].includes(problem));

it('a network that was replaced is one statement, and nobody was killed', () => {
  expect(found(NAMES.map((name) => replaced(name, 30_000)))).toMatchObject([
    {
      problem: 'chain_replaced',
      summary: 'the network was replaced by a new one',
      evidence:
        'all 4 nodes that answer have the genesis block 0xa6d1bbbb… instead of 0x7f83aaaa… and the chain id 5552 instead of 5551',
    },
  ]);
});

it('one node on another chain than before is that alone, and was not killed either', () => {
  const others = NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, { height: 200, chain: OLD }));
  expect(found([replaced('n1', 30_000), ...others]).map(({ problem }) => problem)).toEqual(['other_chain']);
});

it('that is said for ten minutes, and a fall of the height after it is a loss again', () => {
  expect(found(NAMES.map((name) => replaced(name, 11 * 60_000)))).toEqual([]);
  const lossOf = (fallenMs: number) =>
    judgeTargets([replaced('n1', 11 * 60_000, fallenMs)], NOW)[0]?.shownFailures.map(({ name }) => name);
  expect(lossOf(20_000)).toEqual(['head_regression']);
  expect(lossOf(11 * 60_000)).toEqual([]);
});
