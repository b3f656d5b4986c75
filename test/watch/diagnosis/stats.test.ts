import { expect, test } from 'vitest';
import type { KnownTarget, LogFacts, PatternFacts, ServiceFacts } from '../../../src/model/facts.ts';
import type { ServiceObservation } from '../../../src/model/observation.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { statsPack } from '../../../src/watch/logs/packs/stats-pack.ts';
import { foldService } from '../../../src/watch/rules/fold.ts';
import { diagnosedNode, diagnosedService, listCauses, NOW, named } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const settings = DEFAULT_SETTINGS;

/** An answer of a stats server whose newest block this is. */
const answer = (newest?: number): ServiceObservation => ({
  ok: true,
  value: { stats: newest === undefined ? {} : { newest } },
});

/** The facts after these answers, read each 30 seconds up to now, while the nodes are at block 1000. */
function read(...answers: readonly ServiceObservation[]): ServiceFacts {
  let facts: ServiceFacts | undefined;
  for (const [index, seen] of answers.entries())
    facts = foldService(facts, seen, { at: NOW - (answers.length - 1 - index) * 30_000, reference: 1_000, settings });
  if (facts === undefined) throw new Error('nothing was read');
  return facts;
}

function causesOf(service: ServiceFacts) {
  const { target, facts } = diagnosedService('stats');
  const stats: KnownTarget = { target, facts: { ...facts, service } };
  const targets = [...NAMES.map((name) => diagnosedNode(name, NAMES)), stats];
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map((one) => one.target),
  };
  return listCauses(viewSubnet(subnet, judgeTargets(targets, NOW), NOW)).filter(({ name }) => name === 'stats');
}

test('a stats server that is behind the nodes says by how many blocks, and since when', () => {
  expect(causesOf(read(answer(960), answer(955), answer(950)))).toEqual([
    {
      problem: 'stats_stale',
      component: 'stats',
      name: 'stats',
      summary: 'the stats server is behind the nodes',
      evidence: 'its newest block is 950, 50 below that of the nodes, for 1m',
      fix: 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes: none sends it blocks, or only one that is behind',
      explains: [],
      causes: [],
    },
  ]);
});

test('one within the lag, ahead of the last answer of the nodes, or without a block yet is not behind', () => {
  expect(causesOf(read(answer(990)))).toEqual([]);
  expect(causesOf(read(answer(989)))).toHaveLength(1);
  expect(causesOf(read(answer(1_004)))).toEqual([]);
  expect(causesOf(read(answer()))).toEqual([]);
});

test('one that has caught up in between is behind since then', () => {
  expect(read(answer(950), answer(999), answer(950)).stats?.behind).toEqual({ since: NOW, blocks: 50 });
});

test('one that does not answer is not said to be behind', () => {
  const gone: ServiceObservation = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:5213' } };
  expect(causesOf(read(answer(950), gone)).map(({ problem }) => problem)).toEqual(['service_down']);
});

test('a stats server that found no contract at an earlier start, and runs since, gets its data', () => {
  const since = (startedAgo: number) => {
    const stats = diagnosedService('stats', { container: { startedAt: NOW - startedAgo } });
    const { what, fix } = statsPack.find(({ name }) => name === 'config_missing') ?? { what: '' };
    const line: PatternFacts = { means: 'fatal', count: 9, at: NOW - 95_000, order: 1, what, fix, own: false };
    const logs = { ...(stats.facts.logs as LogFacts), patterns: { config_missing: line } };
    const target = { ...stats.target, logFiles: [{ path: '/logs/debug/*.log', timezone: 'UTC' }] };
    return named([{ target, facts: { ...stats.facts, logs } }]);
  };
  expect(since(90_000)).toEqual([]);
  expect(since(20_000)).toEqual(['stats_without_contract stats']);
});

test.each([
  ['no new blocks', { block: { number: 990, at: NOW, risenAt: NOW - 121_000 } }, 'history_data', NOW],
  ['no history', { block: { number: 1_000, at: NOW, risenAt: NOW } }, 'started', NOW - 61_000],
] as const)('one that gets %s is told as that, while the rest comes', (what, stats, pattern, at) => {
  const { target, facts } = diagnosedService('stats');
  const sources = { file: { up: true, lines: 9, since: NOW - 3_600_000 } };
  const one = {
    target: { ...target, logFiles: [{ path: '/srv/stats.log', timezone: 'UTC' }] },
    facts: { ...facts, logs: { sources, patterns: { [pattern]: { at } }, stats } },
  };
  const targets = [...NAMES.map((name) => diagnosedNode(name, NAMES)), one as unknown as KnownTarget];
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map((each) => each.target),
  };
  expect(listCauses(viewSubnet(subnet, judgeTargets(targets, NOW), NOW))).toMatchObject([
    { problem: 'stats_stale', summary: `the stats server gets ${what} from the nodes` },
  ]);
});
