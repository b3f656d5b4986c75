import { expect, test } from 'vitest';
import type { KnownTarget, PatternFacts } from '../../../src/model/facts.ts';
import { diagnosed, diagnosedNode, NOW } from '../../support/diagnosed.ts';

/** A halt of nodes of which the first has printed so long ago that its state is missing, as a real one did after a kill. */
function findHalt(
  names: readonly string[],
  agoMs: number,
  hasContainer = true,
  ipc?: string,
  height = 1_000,
  stalledMs = 240_000,
  startedMs?: number,
) {
  const missing: PatternFacts = { means: 'note', count: 9, at: NOW - agoMs, order: 1, what: '', own: false };
  const nodes = names.map((name, index): KnownTarget => {
    const { target, facts } = diagnosedNode(name, names, {
      stalledMs,
      height,
      ...(startedMs && { container: { startedAt: NOW - startedMs } }),
    });
    const patterns: Readonly<Record<string, PatternFacts>> = index === 0 ? { state_missing: missing } : {};
    const node = { height: 1_000, heightBefore: 1_000, advancedAt: NOW - (startedMs ?? 240_000) };
    const logs = { sources: {}, ...facts.logs, patterns, node };
    const { container, ...withoutContainer } = target;
    if (hasContainer || container === undefined) return { target, facts: { ...facts, logs } };
    const { container: _, ...others } = facts;
    return { target: { ...withoutContainer, ...(ipc && { ipc }) }, facts: { ...others, logs } } as KnownTarget;
  });
  const halt = diagnosed(nodes).find(({ problem }) => problem === 'subnet_halted');
  return [halt?.evidence, halt?.fix];
}

const LOST =
  'no block after 1000 for 4m; 1 of 1 masternodes can vote, 1 needed; a kill has cost n1 the state of its newest blocks, and no other node has them';
const SET_BACK = "XDC attach --exec 'debug.setHead(web3.toHex(eth.blockNumber))' /work/xdcchain/XDC.ipc";
const begin = 'set its head back to the last block that has its state';
const end = 'the console may print an error although the head is set back; the blocks after that one are lost';

test('the only node of a subnet that has lost its state in a kill is told so, and how it goes on', () => {
  expect(findHalt(['n1'], 29_999)).toEqual([
    LOST,
    `${begin} with \`docker exec generated-n1-1 ${SET_BACK}\`, then \`docker restart generated-n1-1\`; ${end}`,
  ]);
  expect(findHalt(['n1'], 29_999, false)).toEqual([
    LOST,
    `${begin} with \`${SET_BACK.replace('/work/xdcchain/', '')}\` where it runs, and restart it; ${end}`,
  ]);
  expect(findHalt(['n1'], 29_999, false, '/srv/my node/XDC.ipc')[1]).toContain(
    "(web3.toHex(eth.blockNumber))' '/srv/my node/XDC.ipc'` where it runs",
  );
});

test('a halt has another reason when the line was not repeated, or when other nodes may have the blocks', () => {
  const other = /^if no block has come by .* UTC, restart (n1, n2, n3 and n4|n1) with /;
  expect(findHalt(['n1'], 30_000)[1]).toMatch(other);
  expect(findHalt(['n1', 'n2', 'n3', 'n4'], 0)[1]).toMatch(other);
});

test('all nodes that have lost the same blocks in a kill are told so', () => {
  const all = ['n1', 'n2', 'n3', 'n4'];
  expect(findHalt(all, 119_999, true, undefined, 988)).toEqual([
    'no block after 1000 for 4m; 4 of 4 masternodes can vote, 3 needed; a kill has cost all nodes the state of the newest blocks: n1 cannot make another',
    `set the head of each node back to the last block that has its state, for n1 with \`docker exec generated-n1-1 ${SET_BACK}\`, then \`docker restart generated-n1-1\`; restart them when all are set back; ${end}`,
  ]);
  // Each makes a block in its turn.
  expect(findHalt(all, 120_000, true, undefined, 988)[1]).toMatch(
    /^if no block has come by .* UTC, restart (n1, n2, n3 and n4|n1) with /,
  );
});

test('all nodes that rise again after a start, below the blocks that they have lost, are told so half a minute after it', () => {
  const all = ['n1', 'n2', 'n3', 'n4'];
  const find = (startedMs: number) => findHalt(all, 1_000, true, undefined, 988, 5_000, startedMs);
  expect(find(30_000)[0]).toBe(
    'no block after 1000 for 30s; 0 of 4 masternodes can vote, 3 needed, and 4 have just started; a kill has cost all nodes the state of the newest blocks: n1 cannot make another',
  );
  // Until then they may find their state by themselves.
  expect(find(29_999)[1]).not.toContain('debug.setHead');
  expect(find(27_999)).toEqual([undefined, undefined]);
});

test('all nodes that have made a gap block again, and have the snapshot of the other one, are told how to go on', () => {
  const all = ['n1', 'n2', 'n3', 'n4'];
  const find = (printed: readonly string[], agoMs: number, startedMs = 600_000) => {
    const line: PatternFacts = { means: 'note', count: 9, at: NOW - agoMs, order: 1, what: '', own: false };
    const nodes = all.map((name): KnownTarget => {
      const { target, facts } = diagnosedNode(name, all, {
        stalledMs: 240_000,
        container: { startedAt: NOW - startedMs },
      });
      const patterns = printed.includes(name) ? { snapshot_missing: line } : {};
      return { target, facts: { ...facts, logs: { sources: {}, ...facts.logs, patterns } } } as KnownTarget;
    });
    const halt = diagnosed(nodes).find(({ problem }) => problem === 'subnet_halted');
    return [halt?.evidence, halt?.fix];
  };
  expect(find(['n1', 'n2'], 119_999)).toEqual([
    'no block after 1000 for 4m; 4 of 4 masternodes can vote, 3 needed; n1, n2 cannot make the next block, by the log: block 1000 was made more than once, and nobody has the snapshot of the one that was voted for',
    `set the head of each node back to block 999, for n1 with \`docker exec generated-n1-1 XDC attach --exec 'debug.setHead("0x3e7")' /work/xdcchain/XDC.ipc\`, then \`docker restart generated-n1-1\`; restart them when all are set back; ${end}`,
  ]);
  // Those that were set back and started again have not said so since.
  expect(find(['n1', 'n2'], 90_000, 90_000)[1]).not.toContain('setHead');
  // One node may lack it by itself, and what was printed before the turns of all have passed is of another time.
  expect(find(['n1'], 0)[1]).toMatch(/^if no block has come by .* UTC, restart (n1, n2, n3 and n4|n1) with /);
  expect(find(['n1', 'n2'], 120_000)[1]).toMatch(
    /^if no block has come by .* UTC, restart (n1, n2, n3 and n4|n1) with /,
  );
});
