import { expect, test } from 'vitest';
import type { Container } from '../../../src/model/observation.ts';
import { addressOf, diagnosed, diagnosedNode, NOW } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** The round that a node waits in, and how long ago it said so. */
type Said = readonly [round: number, agoMs: number, container?: Partial<Container> | undefined, firstAgoMs?: number];

/** The halt of four masternodes, and perhaps another node, that answer and have their peers, as real ones were seen after two of them had been killed at once. */
const findHalt = (...said: readonly Said[]) => findHaltWith(450, ...said);

/** The same where the chain chooses its masternodes so many blocks before an epoch of 900. */
function findHaltWith(gap: number, ...said: readonly Said[]) {
  const settings = { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900 };
  const names = [...NAMES, 'n5'].slice(0, Math.max(NAMES.length, said.length));
  const active = NAMES.map(addressOf);
  const nodes = names.map((name, index) => {
    const [timeoutRound, agoMs, container, firstAgoMs = agoMs] = said[index] ?? [0, 0];
    const pool = { voteRounds: 8, neverSigned: [], timeouts: 1 };
    const known = diagnosedNode(name, names, {
      stalledMs: 240_000,
      ...(container && { container }),
      chain: {
        ...{ pool: { ...pool, timeoutRound }, consensus: { ...settings, gap } },
        masternodes: { number: 1_000, round: 2_000, active, standby: [], penalised: [] },
      },
    });
    const node = known.facts.node as NonNullable<typeof known.facts.node>;
    const chain = { ...(node.chain as NonNullable<typeof node.chain>), at: NOW - agoMs, waitsSince: NOW - firstAgoMs };
    return { ...known, facts: { ...known.facts, node: { ...node, chain } } };
  });
  const [halt, ...others] = diagnosed(nodes);
  expect([halt?.problem, others]).toEqual(['subnet_halted', []]);
  return [halt?.evidence, halt?.fix];
}

const halted = 'no block after 1000 for 4m; 4 of 4 masternodes can vote, 3 needed';
const UNSPLIT = [
  halted,
  expect.stringMatching(
    /^if no block has come by 02:4.:.0 UTC, restart n1, n2, n3 and n4 with `docker stop generated-n1-1 generated-n2-1 generated-n3-1 generated-n4-1 && docker start generated-n1-1 generated-n2-1 generated-n3-1 generated-n4-1`, all of them at once; (?:wait until then, as|that time has passed, so)/,
  ),
];
const split = (...groups: readonly string[]) => `${halted}; ${groups.join(', ')}, and 3 must wait in the same one`;
const REST =
  'If no block comes within a minute, restart the others too, one after another. A second vote shows as double_vote, and needs nothing';
const fixWith = (restart: string, round: number, takes = 'it takes') =>
  `wait a minute, as the sync messages that nodes send at their third time-out often end this. If no block comes, restart ${restart}: ${takes} round ${round} from the others. ${REST}`;
const SEVERAL = 'they take';

test('a halt of nodes that wait in different rounds says who must be restarted to join the higher one, and who must not', () => {
  const groups = split('n1 and n2 wait in round 385', 'n3 and n4 wait in round 384');
  const fix = fixWith('n3 with `docker restart generated-n3-1`', 385);
  expect(findHalt([385, 60_000], [385, 55_000], [384, 20_000], [384, 5_000])).toEqual([groups, fix]);
  expect(findHalt([385, 80_000], [390, 75_000], [384, 20_000], [0, 5_000])).toEqual([
    split('n2 waits in round 390', 'n1 waits in round 385', 'n3 waits in round 384'),
    fixWith(
      'n1 and n3 with `docker stop generated-n1-1 generated-n3-1 && docker start generated-n1-1 generated-n3-1`',
      390,
      SEVERAL,
    ),
  ]);
});

test('where all were started since the last block, those of the higher round must come back to the others, who cannot leave theirs', () => {
  const all = (startedAgoMs: number) => {
    const said = (round: number, agoMs: number): Said => [round, agoMs, { startedAt: NOW - startedAgoMs }];
    return findHalt(said(385, 60_000), said(385, 55_000), said(384, 20_000), said(384, 5_000))[1];
  };
  expect(all(239_000)).toBe(
    `restart n1 with \`docker restart generated-n1-1\`, so that it comes back in round 384: the others cannot leave it, as all were started since the last block. ${REST}`,
  );
  expect(all(241_000)).toBe(fixWith('n3 with `docker restart generated-n3-1`', 385));
});

test('at a gap block, of which a second one would end the chain, all begin again below it and nobody is restarted in place', () => {
  const setBack =
    'set the head of each node back to block 999, for n1 with `docker exec generated-n1-1 XDC attach --exec \'debug.setHead("0x3e7")\' /work/xdcchain/XDC.ipc`, then `docker restart generated-n1-1`; restart them when all are set back; the console may print an error although the head is set back; the blocks after that one are lost';
  const at = (gap: number, startedAgoMs: number) => {
    const said = (round: number, agoMs: number): Said => [round, agoMs, { startedAt: NOW - startedAgoMs }];
    return findHaltWith(gap, said(385, 60_000), said(385, 55_000), said(384, 20_000), said(384, 5_000));
  };
  expect(at(800, 239_000)).toEqual([split('n1 and n2 wait in round 385', 'n3 and n4 wait in round 384'), setBack]);
  expect(at(799, 239_000)[1]).toMatch(/^restart n1 /);
  expect(at(800, 241_000)[1]).toBe(
    `wait a minute, as the sync messages that nodes send at their third time-out often end this. If no block comes, restart n3 with \`docker restart generated-n3-1\`: it takes round 385 from the others. If no block comes within a minute, ${setBack}`,
  );
  const same = [385, 20_000, { startedAt: NOW - 3_600_000 }] as const;
  expect(findHaltWith(800, same, same, same, same)[1]).toContain(` UTC, ${setBack}; that time has passed, `);
});

test('the round of a node that is no masternode does not count', () => {
  const [evidence] = findHalt([385, 60_000], [385, 55_000], [384, 20_000], [384, 5_000], [383, 5_000]);
  expect(evidence).toBe(split('n1 and n2 wait in round 385', 'n3 and n4 wait in round 384'));
});

test('rounds that nodes may still tell each other, or that passed between their answers, are no split', () => {
  expect(findHalt([385, 20_000], [385, 15_000], [384, 40_000], [384, 35_000])).toEqual(UNSPLIT);
  expect(findHalt([385, 59_999], [385, 59_999], [384, 20_000], [384, 20_000])).toEqual(UNSPLIT);
  expect(findHalt([385, 60_000], [385, 59_999], [384, 20_000], [384, 20_000])).not.toEqual(UNSPLIT);
});

test('nodes that are asked in the other order are split once the higher round was said a second time', () => {
  const low = [384, 80_000] as const;
  const high = (firstAgoMs: number, startedAgoMs = 3_600_000): Said => [
    385,
    70_000,
    { startedAt: NOW - startedAgoMs },
    firstAgoMs,
  ];
  expect(findHalt(high(120_000), high(120_000), low, low)).not.toEqual(UNSPLIT);
  expect(findHalt(high(119_999), high(119_999), low, low)).toEqual(UNSPLIT);
  expect(findHalt(high(120_000, 119_999), high(120_000, 119_999), low, low)).toEqual(UNSPLIT);
});

test('nodes of which enough wait in one round are no split', () => {
  expect(findHalt([385, 40_000], [384, 35_000], [384, 20_000], [384, 5_000])).toEqual(UNSPLIT);
  expect(findHalt([385, 40_000], [385, 35_000], [385, 20_000], [385, 5_000])).toEqual(UNSPLIT);
  const same = (firstAgoMs: number): Said => [385, 5_000, undefined, firstAgoMs];
  expect(findHalt(same(40_000), same(40_000), same(40_000), same(39_999))).toEqual(UNSPLIT);
  expect(findHalt(...NAMES.map(() => same(40_000)))).toEqual(UNSPLIT);
});

test('what a node said before the halt, or before it was started again, does not count', () => {
  expect(findHalt([385, 240_001], [385, 240_001], [384, 20_000], [384, 5_000])).toEqual(UNSPLIT);
  const again = { startedAt: NOW - 70_000 };
  expect(findHalt([385, 71_000, again], [385, 71_000, again], [384, 20_000], [384, 5_000])).toEqual(UNSPLIT);
});

test('nodes that were started less than a minute ago are waited for: they come up to the round of the others', () => {
  const back = (agoMs: number) => ({ startedAt: NOW - agoMs });
  const said = (agoMs: number) =>
    findHalt([385, 80_000], [385, 75_000], [384, 20_000, back(agoMs)], [384, 5_000, back(agoMs)]);
  expect(said(59_999)).toEqual([
    `${halted.replace('4 of', '2 of')}, and 2 have just started (n3, n4)`,
    expect.stringMatching(/^if no block has come by 02:47:10 UTC, restart n1, /),
  ]);
  expect(said(60_000)[1]).toBe(fixWith('n3 with `docker restart generated-n3-1`', 385));
});

test('nothing else is to be restarted while one that has just answered is away, as for a restart', () => {
  const away = (agoMs: number, endedMs?: number, askedAt = NOW) => {
    const ended = { running: false, status: 'exited', finishedAt: NOW - (endedMs ?? 0) } as const;
    const said = { voteRounds: 8, neverSigned: [], timeouts: 1 };
    const nodes = NAMES.map((name, index) => {
      const pool = { ...said, timeoutRound: index < 2 ? 384 : 385 };
      const isAway = name === 'n4';
      const refused = { kind: 'refused', address: 'http://n4' } as const;
      const known = diagnosedNode(name, NAMES, {
        stalledMs: 240_000,
        chain: { pool },
        ...(isAway && askedAt === NOW && { fault: refused }),
        ...(isAway && endedMs !== undefined && { container: ended }),
      });
      const node = known.facts.node as NonNullable<typeof known.facts.node>;
      const agoOfRound = index < 2 ? 5_000 : 100_000;
      const chain = {
        ...(node.chain as NonNullable<typeof node.chain>),
        at: NOW - agoOfRound,
        waitsSince: NOW - agoOfRound,
      };
      const latest = node.latest && isAway ? { ...node.latest, lastGoodAt: NOW - agoMs } : node.latest;
      return { ...known, facts: { ...known.facts, node: { ...node, chain, ...(latest && { latest }) } } };
    });
    return diagnosed(nodes, askedAt).find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  const wait = 'wait until n4 answers, a minute at most, and restart no other node';
  const restart = fixWith(
    'n1 and n2 with `docker stop generated-n1-1 generated-n2-1 && docker start generated-n1-1 generated-n2-1`',
    385,
    SEVERAL,
  );
  expect([away(59_000), away(61_000)]).toEqual([wait, restart]);
  // What stays stopped for longer than it takes to end, or to start again at once then, is not being restarted.
  expect([away(14_000, 4_000), away(16_000, 4_000), away(14_000, 5_000)]).toEqual([wait, restart, restart]);
  // Its last answer may be from before its end.
  expect([away(9_000, 500, NOW - 9_000), away(9_000, 5_000, NOW - 9_000)]).toEqual([wait, restart]);
});
