import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPlainJson, toPlainJson } from '../../../src/lib/plain-json.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Fault } from '../../../src/model/observation.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import {
  type DiagnosisInput,
  diagnoseAgain,
  findDifferences,
  packReplay,
  replay,
} from '../../../src/watch/monitor/replay.ts';
import { diagnosedNode, diagnosedService, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const timeout: Fault = { kind: 'timeout', address: 'n', afterMs: 5_000, received: false };
const refused: Fault = { kind: 'refused', address: 'n' };

const GIVEN: readonly Given[] = [
  {},
  { container: STOPPED, fault: refused },
  { container: { running: false, status: 'paused' }, fault: timeout },
  { fault: timeout },
  { fault: refused },
  { height: 950, stalledMs: 200_000 },
  { height: 900 },
  { height: 950, stalledMs: 200_000, peers: [] },
  { height: 7, stalledMs: 200_000, peers: [], chain: { genesis: '0xother' } },
  { height: 1_000_000 },
  { container: { startedAt: NOW - 5_000 }, fault: refused },
];

/** A node whose log shows a failure that is known. */
const failing = (known: KnownTarget): KnownTarget => {
  const { logs } = known.facts;
  const line = { means: 'fatal', count: 2, at: NOW - 3_000, order: 1, what: 'it fails', own: false } as const;
  return {
    ...known,
    facts: { ...known.facts, ...(logs && { logs: { ...logs, patterns: { disk_read_only: line } } }) },
  };
};

/** A bootnode whose log shows whom it has heard, in a map. */
const bootnode = (names: readonly string[]): KnownTarget => {
  const service = diagnosedService('stats');
  const heard = new Map(names.map((_, place) => [`192.0.2.${place}:30303`, NOW - 1_000]));
  const { logs } = service.facts;
  return {
    target: { subnet: 'devnet', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] },
    facts: { ...(logs && { logs: { ...logs, heard } }) },
  };
};

/** A subnet at a moment, with the problems that it had when it was last looked at. */
function inputOf(targets: readonly KnownTarget[], before: FollowedProblems, now: number): DiagnosisInput {
  return {
    subnet: {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: targets.map(({ target }) => target),
      parentChain: { rpc: 'http://user:secret1@192.0.2.9/secret2?key=secret3', wallet: `xdc${'ab'.repeat(20)}` },
    },
    ...{ targets: judgeTargets(targets, now), before, now, clock: {}, plannedWork: [] },
    facts: {
      parent: {
        ...{ observation: { head: { ok: true, value: { number: 77, timestamp: 1 } } }, at: now, headAgeMs: 2_000 },
        wallet: {
          balance: 10n ** 20n,
          readAt: now,
          richSince: Number.NEGATIVE_INFINITY,
          changedAt: Number.NEGATIVE_INFINITY,
          parts: [],
          recent: [5n],
        },
      },
    },
    wallAheadMs: Date.UTC(2026, 10, 25),
  };
}

const draw = fc.integer({ min: 1, max: 7 }).chain((count) =>
  fc.record({
    given: fc.array(fc.constantFrom(...GIVEN), { minLength: count, maxLength: count }),
    before: fc.array(fc.constantFrom(...GIVEN), { minLength: count, maxLength: count }),
    laterMs: fc.integer({ min: 0, max: 120_000 }),
    withFailure: fc.boolean(),
  }),
);

test('1,000 of 1,000 random capsules give the same problems, headline and words again', () => {
  let problems = 0;
  fc.assert(
    fc.property(draw, ({ given, before, laterMs, withFailure }) => {
      const names = given.map((_, place) => `n${place + 1}`);
      const targetsOf = (all: readonly Given[]) => {
        const nodes = names.map((name, place) => diagnosedNode(name, names, all[place]));
        const [first, ...others] = nodes as [KnownTarget, ...KnownTarget[]];
        return [withFailure ? failing(first) : first, ...others, diagnosedService('stats'), bootnode(names)];
      };
      const { subnet, targets, facts } = inputOf(targetsOf(before), NO_PROBLEMS, NOW - laterMs);
      const earlier = diagnoseSubnet(subnet, targets, NO_PROBLEMS, NOW - laterMs, { facts });
      const input = inputOf(targetsOf(given), earlier, NOW);

      const packed = packReplay(input, '1.2.3');
      if (packed === undefined) throw new Error('it is too large');
      const again = replay(packed);
      expect(again.version).toBe('1.2.3');
      expect(again.after).toEqual(diagnoseAgain(input));
      expect(again.before).toEqual(JSON.parse(JSON.stringify(again.after)));
      expect(findDifferences(again)).toEqual([]);
      problems += again.after.problems.length;
    }),
    { numRuns: 1_000 },
  );
  expect(problems).toBeGreaterThan(2_000);
});

test('no login and no path of an address is kept', () => {
  const node = diagnosedNode('n1', ['n1']);
  const secret = {
    ...{ rpc: 'https://user:secret1@rpc.example.com:8545/v1/secret2?key=secret3', metrics: 'http://x/secret4' },
    ...{
      login: { username: 'user', passwordFile: '/secret5' },
      patterns: [{ name: 'own', match: 'secret6', means: 'error' }],
    },
  };
  const targets = [{ ...node, target: { ...node.target, ...secret } as unknown as KnownTarget['target'] }];
  const packed = packReplay(inputOf(targets, NO_PROBLEMS, NOW), '1') ?? '';
  const kept = gunzipSync(Buffer.from(packed, 'base64')).toString();
  expect(kept).toContain('https://rpc.example.com:8545');
  expect(kept).not.toMatch(/secret|user/);
});

test('what this version tells otherwise is named, member by member', () => {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) =>
    diagnosedNode(name, ['n1', 'n2', 'n3', 'n4'], name === 'n2' ? { container: STOPPED, fault: refused } : {}),
  );
  const packed = packReplay(inputOf(nodes, NO_PROBLEMS, NOW), '0.9.0') ?? '';
  const kept = fromPlainJson(gunzipSync(Buffer.from(packed, 'base64')).toString()) as Record<string, unknown>;
  const told = (kept.told as { headline: string; problems: readonly Record<string, string>[] }) ?? {};
  const [first, ...others] = told.problems;
  const old = {
    headline: 'all is well',
    problems: [{ ...first, fix: 'pray' }, ...others.slice(1), { problem: 'disk_full', summary: 'a disk is full' }],
  };
  const repack = gzipSync(toPlainJson({ ...kept, told: old })).toString('base64');
  const key = [first?.problem, first?.component, first?.name].filter(Boolean).join(' ');
  const [gone] = others;
  expect(findDifferences(replay(repack))).toEqual([
    'headline was: all is well',
    `headline is: ${told.headline}`,
    `${key}: fix was: pray`,
    `${key}: fix is: ${first?.fix}`,
    'no longer found: disk_full: a disk is full',
    `found now: ${[gone?.problem, gone?.component, gone?.name].filter(Boolean).join(' ')}: ${gone?.summary}`,
  ]);
});

test.each(['', 'bm9uZQ==', gzipSync('{}').toString('base64'), gzipSync('[1').toString('base64')])(
  'what is no capsule is refused: %s',
  (packed) => {
    expect(() => replay(packed)).toThrow();
  },
);

test('a subnet of more than a hundred targets is not kept', () => {
  const names = Array.from({ length: 101 }, (_, place) => `n${place + 1}`);
  const nodes = names.map((name) => diagnosedNode(name, names));
  expect(packReplay(inputOf(nodes, NO_PROBLEMS, NOW), '1')).toBeUndefined();
});

test('values that JSON does not have come back', () => {
  const value = { map: new Map([[1, new Set([2n])]]), most: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] };
  expect(fromPlainJson(toPlainJson(value))).toEqual(value);
  expect(fromPlainJson(toPlainJson({ nan: Number.NaN }))).toEqual({ nan: Number.NaN });
  expect(fromPlainJson('{"$":"toString","of":1}')).toEqual({ $: 'toString', of: 1 });
});
