import { describe, expect, it } from 'vitest';
import { indexProblems, type Problem } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnose } from '../../../src/watch/diagnosis/diagnose.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { diagnosed, diagnosedNode, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const STANDING = { height: 174, stalledMs: 120_000 };

/** Two nodes that stand, one that is stopped, and one that has come back and risen to this height. */
const haltWith = (height: number, fall?: { readonly from: number; readonly to: number }) => {
  const back = diagnosedNode('n4', NAMES, { height, stalledMs: 3_000, passedMs: undefined });
  const { node } = back.facts;
  const fallen = fall && node?.latest && { ...node.latest, fall: { ...fall, at: NOW - 10_000, repeated: false } };
  const found = diagnosed([
    diagnosedNode('n1', NAMES, STANDING),
    diagnosedNode('n2', NAMES, STANDING),
    diagnosedNode('n3', NAMES, { ...STANDING, fault: { kind: 'refused', address: 'x' }, container: STOPPED }),
    fallen ? { ...back, facts: { ...back.facts, node: { ...node, latest: fallen } as typeof node } } : back,
  ]);
  return found.find(({ problem }) => problem === 'subnet_halted');
};

describe('a halt', () => {
  it.each([
    [168, undefined],
    [173, { from: 174, to: 171 }],
    [174, { from: 174, to: 171 }],
  ] as const)('lasts while a node that was restarted comes up to %i, where the chain stood at 174', (height, fall) => {
    expect(haltWith(height, fall)?.evidence).toContain('no block after 174 for 2m');
  });

  it('is one from when the first node had the last block, whoever has come up to that since and was asked later', () => {
    const isHalted = (stalledMs: number, askedMs = 0) => {
      const back = diagnosedNode('n4', NAMES, { height: 174, stalledMs: 6_000, passedMs: undefined });
      const { node } = back.facts;
      const latest = node?.latest && { ...node.latest, lastGoodAt: NOW - askedMs };
      const others = NAMES.slice(0, 3).map((name) => diagnosedNode(name, NAMES, { height: 174, stalledMs }));
      const known = { ...back, facts: { ...back.facts, node: { ...node, latest } } } as typeof back;
      return diagnosed([...others, known]).some(({ problem }) => problem === 'subnet_halted');
    };
    expect([isHalted(27_999), isHalted(28_000)]).toEqual([false, true]);
    expect([isHalted(32_999, 5_000), isHalted(33_000, 5_000)]).toEqual([false, true]);
  });

  it.each([
    [0, 8_000, 'no block after 174 for 2m 8s'],
    [0, -1_000, 'no block after 174 for 1m 59s'],
    // The clock of who made it is not ours.
    [0, 20_000, 'no block after 174 for 2m'],
    [0, -20_000, 'no block after 174 for 2m'],
    // The nodes did not answer meanwhile.
    [70_000, 8_000, 'no block after 174 for 2m 8s'],
  ])(
    'seen to rise after %d ms of silence counts from the time of its last block, %d ms before',
    (silentMs, madeMs, said) => {
      const timestamp = (NOW - 120_000 - madeMs) / 1_000;
      const stands = (name: string) => {
        const known = diagnosedNode(name, NAMES, STANDING);
        const { node } = known.facts;
        const latest = node?.latest && { ...node.latest, timestamp, riseDueSince: node.latest.riseDueSince + silentMs };
        return { ...known, facts: { ...known.facts, node: { ...node, latest } } } as typeof known;
      };
      const [halt] = diagnosed(NAMES.map(stands));
      expect([halt?.problem, halt?.evidence.split(';')[0]]).toEqual(['subnet_halted', said]);
    },
  );

  it('begins with the last block that there was, not with those that nodes have lost and take again', () => {
    const saidWith = (madeMs: number) => {
      const timestamp = (NOW - 50_000 - madeMs) / 1_000;
      const fall = { from: 174, to: 160, at: NOW - 20_000, repeated: false, timestamp, cameAt: NOW - 50_000 };
      const takes = (name: string) => {
        const known = diagnosedNode(name, NAMES, { height: 168, stalledMs: 6_000, passedMs: undefined });
        const { node } = known.facts;
        const latest = node?.latest && { ...node.latest, timestamp: (NOW - 62_000) / 1_000, fall };
        return { ...known, facts: { ...known.facts, node: { ...node, latest } } } as typeof known;
      };
      return diagnosed(NAMES.map(takes))
        .find(({ problem }) => problem === 'subnet_halted')
        ?.evidence.split(';')[0];
    };
    expect(saidWith(0)).toBe('no block after 174 for 50s');
    expect(saidWith(13_000)).toBeUndefined();
  });

  describe('that has begun before subnetd was started', () => {
    /** What is said of it, by nodes of which some are out, and others have just started, that were first seen so long ago. */
    const saidOf = (given: {
      readonly out?: readonly string[];
      readonly startedMs?: Readonly<Record<string, number>>;
      readonly printedMs?: number;
      readonly seenMs?: number;
    }) => {
      const { out = [], startedMs = {}, printedMs = 60_000, seenMs = 5_000 } = given;
      const firstSeen = (name: string) => {
        const { [name]: ago } = startedMs;
        const height = { height: 174, stalledMs: seenMs, ...(ago && { container: { startedAt: NOW - ago } }) };
        const fault = { kind: 'refused', address: 'x' } as const;
        const isOut = out.includes(name);
        const known = diagnosedNode(name, NAMES, { ...height, ...(isOut && { fault, container: STOPPED }) });
        const { node, logs } = known.facts;
        const latest = { ...node?.latest, risen: false, timestamp: (NOW - 62_000) / 1_000 };
        const read = { ...logs, node: { ...logs?.node, advancedAt: NOW - printedMs } };
        return { ...known, facts: { ...known.facts, logs: read, node: { ...node, latest } } } as typeof known;
      };
      const halt = diagnosed(NAMES.map(firstSeen)).find(({ problem }) => problem === 'subnet_halted');
      return halt?.evidence.split(';')[0];
    };

    it('counts from its last block by the logs, where too few can vote', () => {
      const out = ['n3', 'n4'];
      expect(saidOf({ out })).toBe('no block after 174 for 1m 2s');
      // The clock of who made the block is not that of the nodes.
      expect(saidOf({ out, printedMs: 100_000 })).toBe('no block after 174 for 1m 40s');
      // One that is back does not vote yet.
      expect(saidOf({ out: ['n3'], startedMs: { n4: 10_000 } })).toBe('no block after 174 for 1m 2s');
      expect(saidOf({ out: ['n3'] })).toBeUndefined();
    });

    it('does so as well once half of the limit is seen of it, as the clocks of all nodes may differ from ours', () => {
      expect(saidOf({ seenMs: 13_999 })).toBeUndefined();
      expect(saidOf({ seenMs: 14_000 })).toBe('no block after 174 for 1m 2s');
    });

    it('is none yet of nodes that have all just started, which have printed the block that they had', () => {
      const started = (ms: number) => Object.fromEntries(NAMES.map((name) => [name, ms]));
      const printed = { printedMs: 40_000, seenMs: 20_000 };
      expect(saidOf({ ...printed, startedMs: started(59_999) })).toBeUndefined();
      expect(saidOf({ ...printed, startedMs: started(60_000) })).toBe('no block after 174 for 40s');
    });
  });

  it('is about its block as long as it is open, and about the newest one when it begins', () => {
    const targets = NAMES.map((name) => diagnosedNode(name, NAMES, STANDING));
    const view = viewSubnet(
      { name: 'devnet', consensus: 'XDPoS', targets: targets.map(({ target }) => target), settings: DEFAULT_SETTINGS },
      judgeTargets(targets, NOW),
      NOW,
    );
    const [found] = diagnosed(targets);
    const aboutAfter = (state?: Problem['state']) => {
      const before = { ...found, about: '170', severity: 'critical', alert: 'SubnetHalted', state } as Problem;
      const life = { since: NOW - 90_000, seenAt: NOW - 9_000 };
      return diagnose({ ...view, before: indexProblems(state ? [{ ...before, ...life }] : []) }).get({
        problem: 'subnet_halted',
      })?.about;
    };
    expect([aboutAfter(), aboutAfter('open'), aboutAfter('clearing')]).toEqual(['174', '170', '174']);
    // Also where nobody answers any more.
    const fault = { kind: 'refused', address: 'x' } as const;
    const ended = NAMES.map((name) => diagnosedNode(name, NAMES, { ...STANDING, fault, container: STOPPED }));
    const { about, evidence } = diagnosed(ended).find(({ problem }) => problem === 'subnet_halted') ?? {};
    expect([about, evidence?.split(';')[0]]).toEqual(['174', 'no node runs and answers']);
  });

  it('is over with the block after that', () => {
    expect(haltWith(175, { from: 174, to: 171 })).toBeUndefined();
  });

  it.each([
    ['rose to', true, 5_000, undefined],
    ['was first seen at', false, 5_000, 'no block after 174 for 2m'],
    ['rose to before the others stood', true, 200_000, 'no block after 174 for 2m'],
  ] as const)('is over with a block that a node that has ended %s: %s, %d ms ago', (_, risen, stalledMs, said) => {
    const fault = { kind: 'refused', address: 'x' } as const;
    const ended = diagnosedNode('n4', NAMES, { height: 175, stalledMs, fault, container: STOPPED });
    const facts = {
      ...ended.facts,
      logs: undefined,
      node: { ...ended.facts.node, latest: { ...ended.facts.node?.latest, risen } },
    };
    const others = NAMES.slice(0, 3).map((name) => diagnosedNode(name, NAMES, STANDING));
    const found = diagnosed([...others, { ...ended, facts } as typeof ended]);
    const halt = found.find(({ problem }) => problem === 'subnet_halted');
    expect(halt?.evidence.split(';')[0]).toBe(said);
  });

  it('is none while one node stays behind at a lower height than the others', () => {
    const behind = diagnosedNode('n1', NAMES, { height: 120, stalledMs: 120_000 });
    const others = NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, { height: 174 }));
    expect(diagnosed([behind, ...others]).map(({ problem }) => problem)).not.toContain('subnet_halted');
  });
});
