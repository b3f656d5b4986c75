import { describe, expect, test } from 'vitest';
import type { StepHistory, Steps, SubnetSteps, TargetSteps } from '../../../src/model/history.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { parseRange, type RangeName } from '../../../src/model/time-range.ts';
import { createRecentIncidents } from '../../../src/web/pages/recent-incidents.ts';
import { tickLabels, toAxis } from '../../../src/web/pages/time-axis.ts';
import { toScale } from '../../../src/web/pages/time-lanes.ts';
import { subnetTime, targetTime } from '../../../src/web/pages/time-section.ts';
import { diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { words } from '../../support/page-words.ts';
import { stateOf } from '../../support/snapshots.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A minute has just begun: the last one on the chart is 03:03. */
const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const moment = { toWall: (at: number) => WALL - NOW + at, nowWall: WALL };

/** The last values of a range; nothing is known before them. */
const ending = (values: readonly (number | undefined)[], steps = 60): Steps => [
  ...Array(steps - values.length).fill(undefined),
  ...values,
];
const NONE = ending([]);

test('the labels of an axis leave room for each other and for “now” at its end, at any time, on a phone', () => {
  for (let minute = 0; minute < 60; minute += 1) {
    const labels = String(tickLabels(toAxis('1h', WALL + minute * MINUTE), '1em'));
    const places = [...labels.matchAll(/x="([\d.]+)%"/g)].map(([, x]) => Number(x));
    expect(places.at(-1)).toBe(100);
    expect(places.length).toBeGreaterThanOrEqual(4);
    const rooms = places.slice(1).map((place, index) => place - (places[index] ?? 0));
    expect(Math.min(...rooms)).toBeGreaterThanOrEqual(15);
  }
});

interface Given {
  readonly range?: RangeName;
  readonly subnet?: Partial<SubnetSteps>;
  readonly nodes?: Readonly<Record<string, Partial<TargetSteps>>>;
  readonly strangers?: ReturnType<StepHistory['strangersOf']>;
  readonly incidents?: readonly Incident[];
}

function historyOf({ subnet, nodes = {}, strangers = [] }: Given): StepHistory {
  return {
    stepsOf: () => ({ blocks: NONE, gap: NONE, coins: NONE, ...subnet }),
    targetStepsOf: ({ name }) => ({ p50: NONE, p95: NONE, lag: NONE, missed: NONE, ...nodes[name] }),
    strangersOf: () => strangers,
  };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);

function timeOf(given: Given, nodes = Object.keys(given.nodes ?? { n1: {} })): string {
  const state = stateOf(nodes.map((name) => diagnosedNode(name, nodes)));
  const { range = '1h', incidents = [] } = given;
  return String(subnetTime(state, { range, history: historyOf(given), incidentsOf: () => incidents }, {}, moment).html);
}

/** What is said of one chart. */
const saidOf = (page: string, title: string): string => {
  const lanes = page.split('<div class="lane');
  return words(`<div${lanes.find((lane) => lane.includes(`<h3>${title}</h3>`)) ?? ''}`).trim();
};

const incident = (id: string, startedAt: number, more: Partial<Incident> = {}): Incident => ({
  ...{ id, subnet: 'devnet', problem: 'subnet_halted', alert: 'SubnetHalted', severity: 'critical' },
  ...{ foundAt: startedAt, startedAt, returns: 0, causes: [], effects: [], notified: [] },
  first: { summary: 'devnet is halted', evidence: '', fix: '' },
  last: { summary: 'devnet is halted', evidence: '', fix: '' },
  ...more,
});
const ended = (id: string, startedAt: number, minutes: number, more: Partial<Incident> = {}) =>
  incident(id, startedAt, {
    clearSince: startedAt + minutes * MINUTE,
    endedAt: startedAt + (minutes + 2) * MINUTE,
    ...more,
  });

test('an address names one of four ranges, and any other word means the last hour', () => {
  expect(['1h', '24h', '7d', '30d', '2h', '', undefined].map(parseRange)).toEqual([
    ...['1h', '24h', '7d', '30d'],
    ...['1h', '1h', '1h'],
  ]);
});

describe('the selector', () => {
  test('keeps what else the address says, and marks the range that is shown', () => {
    const state = stateOf([diagnosedNode('n1', ['n1'])]);
    const input = { range: '7d', history: historyOf({}), incidentsOf: () => [] } as const;
    const page = String(subnetTime(state, input, { subnet: 'devnet', search: 'a b' }, moment).html);
    expect(page).toContain('<a href="?subnet=devnet&amp;search=a+b&amp;range=24h#time-devnet">24 h</a>');
    expect(page).toContain(
      '<a href="?subnet=devnet&amp;search=a+b&amp;range=7d#time-devnet" aria-current="true">7 d</a>',
    );
    expect(words(page)).toContain('devnet in the last 7 days 1 h 24 h 7 d 30 d');
    // Two subnets on a page have two of them.
    expect(page).toContain('<nav class="ranges" aria-label="Time range of devnet">');
  });
});

test('a subnetd that has just started says of each chart that it has no data', () => {
  const page = timeOf({});
  expect(saidOf(page, 'Blocks a minute')).toBe('Blocks a minute No data yet. The chart starts after one minute.');
  for (const title of ['Blocks behind', 'Unfinalised blocks', 'Probe latency', 'Missed rounds'])
    expect(saidOf(page, title)).toBe(`${title} No data in this time.`);
  expect(page).not.toContain('Relayer wallet');
  expect(saidOf(page, 'Incidents')).toMatch(/^Incidents None of severity warning or critical in this time/);
});

describe('blocks a minute', () => {
  test('are bars, marked where they are slow, hatched where there was none, and open where nobody watched', () => {
    const page = timeOf({ subnet: { blocks: ending([30, undefined, 12, 0, 0, 30]) } });
    expect(saidOf(page, 'Blocks a minute')).toBe(
      'Blocks a minute 30 at 03:03 UTC, 30 expected, slow at times, 2 min without a block, 1 min without data 30',
    );
    const [pace] = /<path class="pace" d="([^"]*)"/.exec(page)?.slice(1) ?? [];
    expect(pace).toBe('M54 100V0h0.76V100zM59 100V0h0.76V100z');
    expect(page).toContain('<path class="slow" d="M56 100V60h0.76V100z"/>');
    expect(page.match(/<rect class="none" x="95%"[^>]* width="3.33%"/g)).toHaveLength(1);
  });

  test('of longer steps are the average, and what was without a block is as long as the steps', () => {
    const said = saidOf(timeOf({ range: '7d', subnet: { blocks: ending([29.9, 0], 56) } }), 'Blocks a minute');
    expect(said).toBe('Blocks a minute 0 at 03:00 UTC, 30 expected, 3 h without a block 30');
  });
});

describe('blocks behind', () => {
  const lag = (...values: (number | undefined)[]): Partial<TargetSteps> => ({ lag: ending(values) });

  test('say that nobody lags, and draw one line', () => {
    const page = timeOf({ nodes: { n1: lag(0, 1), n2: lag(2, 0) } });
    expect(saidOf(page, 'Blocks behind')).toBe(
      'Blocks behind No node that could be compared was more than 2 blocks behind the others in all readings of a minute up to 03:04 UTC 10',
    );
  });

  test('name who lags, when it was worst, and how far it was last', () => {
    const page = timeOf({ nodes: { n1: lag(0, 0), n2: lag(3, 41, 25), n3: lag(undefined, 7, undefined) } });
    expect(saidOf(page, 'Blocks behind')).toBe(
      'Blocks behind 2 of 3 nodes fell behind in all readings of a minute, by up to 41 blocks n2: 41 at 03:02 UTC, then 25 at 03:03 UTC n3: 7 at 03:02 UTC 50',
    );
    expect(page).toContain('d="M57 94h1V18h1V50h1"');
    // What is not known is not drawn.
    expect(page).toContain('d="M58 86h1"');
  });

  test('of 300 nodes are the worst four, and a band for the others that lag', () => {
    const nodes = Object.fromEntries(names(300).map((name, index) => [name, lag(index < 200 ? 0 : index)]));
    const page = timeOf({ nodes }, names(300));
    expect(saidOf(page, 'Blocks behind')).toContain(
      '100 of 300 nodes fell behind in all readings of a minute, by up to 299 blocks n300: 299 at 03:03 UTC',
    );
    expect(saidOf(page, 'Blocks behind')).toContain('96 more: the band, up to 295');
    expect(page.match(/class="curve line\d"/g)?.length).toBeLessThan(15);
    expect(page.length).toBeLessThan(20_000);
  });
});

test('minutes of which nothing is stored, as after a kill, are said by each chart', () => {
  const known = ending([2, 0, undefined, undefined, undefined, 1]);
  const page = timeOf({
    subnet: { blocks: known, gap: known },
    nodes: { n1: { p50: known, p95: known, lag: known, missed: ending([0, undefined, undefined, undefined, 0]) } },
  });
  for (const title of ['Blocks a minute', 'Blocks behind', 'Unfinalised blocks', 'Probe latency', 'Missed rounds'])
    expect(saidOf(page, title)).toContain(', 3 min without data');
  expect(saidOf(page, 'Missed rounds')).toContain('miss a round up to 03:04 UTC, 3 min without data');
  // Those that were counted since then, and not stored, may come after it.
  const lost = timeOf({ nodes: { n1: { missed: ending([2, 0, undefined, undefined]) } } });
  expect(saidOf(lost, 'Missed rounds')).toBe(
    'Missed rounds 1 masternode missed 2 rounds up to 03:02 UTC, at most 2 within 1 min',
  );
});

test('unfinalised blocks say the newest and the most', () => {
  const page = timeOf({ subnet: { gap: ending([2, 90, 3]) } });
  expect(saidOf(page, 'Unfinalised blocks')).toBe('Unfinalised blocks 3 at 03:03 UTC, at most 90 at 03:02 UTC 100');
});

describe('probe latency', () => {
  test('is that of the node in the middle and of the slowest, and names both ends', () => {
    const page = timeOf({
      nodes: {
        n1: { p50: ending([4, 4]), p95: ending([9, 9]) },
        n2: { p50: ending([5, 5]), p95: ending([8, 20]) },
        n3: { p50: ending([21, 21]), p95: ending([30, 40]) },
      },
    });
    expect(saidOf(page, 'Probe latency')).toBe(
      'Probe latency p50 of the middle node 5 ms, p95 of the slowest 40 ms at 03:03 UTC, highest 40 ms at 03:03 UTC p50 p95 Slowest: n3, 21 ms. Fastest: n1, 4 ms. 50 ms',
    );
  });

  test('is readable beside the spike of the start, which is marked and said', () => {
    const times = [5_000, 9, 8, 9, 9, 8, 9, 10];
    const page = timeOf({ nodes: { n1: { p50: ending(times), p95: ending(times) } } });
    expect(saidOf(page, 'Probe latency')).toBe(
      'Probe latency p50 10 ms, p95 10 ms at 03:03 UTC, highest 5,000 ms at 02:56 UTC p50 p95 20 ms ▲',
    );
    expect(page.match(/class="spike" x="87.5%"/g)).toHaveLength(1);
  });

  test('is hatched where no probe was answered, and does not stretch the scale', () => {
    const never = Number.POSITIVE_INFINITY;
    const nodes = { n1: { p50: ending([4, never, 8]), p95: ending([4, never, 8]) } };
    const page = timeOf({ nodes });
    expect(saidOf(page, 'Probe latency')).toContain('highest 8 ms at 03:03 UTC, 1 min without an answer');
    expect(page).toContain('d="M57 60h1M59 20h1"');
    const dead = timeOf({ nodes: { n1: { p50: ending([never]), p95: ending([never]) } } });
    expect(saidOf(dead, 'Probe latency')).toContain('No probe was answered');
  });
});

describe('missed rounds', () => {
  const missed = (...values: number[]): Partial<TargetSteps> => ({ missed: ending(values, 48) });

  test('are a row for each node that missed some, the worst first', () => {
    const page = timeOf({
      range: '24h',
      nodes: { n1: missed(0, 0, 0), n2: missed(0, 4, 1), n3: missed(1, 0, 0), n4: {} },
    });
    expect(saidOf(page, 'Missed rounds')).toBe(
      'Missed rounds 2 masternodes missed 6 rounds up to 03:04 UTC, at most 4 within 30 min',
    );
    expect(words(page)).toMatch(/within 30 min n2: 5 n3: 1 Incidents/);
    expect(page).toContain(
      'aria-label="n2 missed 5 rounds"><path class="shade0" d="M45 0h.9v1h-.9z"/><path class="shade4" d="M46 0h.9v1h-.9z"/><path class="shade1" d="M47 0h.9v1h-.9z"/>',
    );
  });

  test('tell by its address of a masternode that no node of the inventory runs', () => {
    const strangers = [{ name: '0xdb803a23d2fbf13a6bf6a4a2d6c8c4ae0ed53c19', missed: missed(7).missed ?? NONE }];
    const page = timeOf({ range: '24h', nodes: { n1: missed(0) }, strangers });
    expect(words(page)).toMatch(
      /1 masternode missed 7 rounds up to 03:04 UTC, at most 7 within 30 min 0xdb80(?:…|&hellip;)3c19: 7 Incidents/,
    );
  });

  test('say that nobody missed any, and show the worst eight of many', () => {
    expect(saidOf(timeOf({ range: '24h', nodes: { n1: missed(0) } }), 'Missed rounds')).toBe(
      'Missed rounds No node was seen to miss a round up to 03:04 UTC',
    );
    expect(saidOf(timeOf({ range: '24h', nodes: { n1: missed(1) } }), 'Missed rounds')).toBe(
      'Missed rounds 1 masternode missed 1 round up to 03:04 UTC, at most 1 within 30 min',
    );
    const nodes = Object.fromEntries(names(20).map((name, index) => [name, missed(index)]));
    const page = timeOf({ range: '24h', nodes }, names(20));
    expect(saidOf(page, 'Missed rounds')).toContain(
      '19 masternodes missed 190 rounds up to 03:04 UTC, at most 19 within 30 min The worst 8 are shown',
    );
    expect(page.match(/class="cells"/g)).toHaveLength(8);
  });
});

describe('incidents', () => {
  const halted = ended('a1', WALL - 50 * MINUTE, 9.55);
  const open = incident('b2', WALL - 5 * MINUTE, {
    ...{ component: 'node', name: 'n2', severity: 'warning' },
    first: { summary: 'n2 is <down>', evidence: '', fix: '' },
  });

  test('are marks on the same axis and lines below it, each of which leads to its incident', () => {
    const page = timeOf({ incidents: [open, halted, ended('old', WALL - 3 * HOUR, 5)] });
    expect(saidOf(page, 'Incidents')).toContain('Incidents 2 of severity warning or critical in this time');
    expect(page.match(/<a href="\/incidents\/\w+"/g)).toEqual([
      ...['<a href="/incidents/a1"', '<a href="/incidents/b2"'],
      ...['<a href="/incidents/b2"', '<a href="/incidents/a1"'],
    ]);
    expect(saidOf(page, 'Incidents')).toContain(
      '02:59 n2 is &lt;down&gt;, still open 02:14 Devnet is halted, lasted 9 min 33 s',
    );
    expect(page).toContain('aria-label="Devnet is halted, lasted 9 min 33 s"><rect class="mark bad" x="16.92%"');
    // The same time is marked behind each chart.
    expect(timeOf({ incidents: [halted], subnet: { blocks: ending([30]) } })).toContain(
      '<rect class="band bad" x="16.92%" y="0" width="15.91%"',
    );
  });

  test('that a graver problem covers do not go on by themselves', () => {
    const covered = { since: WALL - 4 * MINUTE, by: 'the subnet is halted' };
    const page = timeOf({ incidents: [incident('e5', WALL - 5 * MINUTE, { covered })] });
    expect(saidOf(page, 'Incidents')).toContain(
      'Devnet is halted, lasted 1 min, then became part of another problem (the subnet is halted)',
    );
  });

  test('that happened at one moment have no duration, and a stop of Docker has one', () => {
    const saidOfOne = (problem: Incident['problem'], summary: string, more: Partial<Incident> = {}) => {
      const said = { summary, evidence: '', fix: '' };
      const one = ended('c3', WALL - 9 * MINUTE, 5, { problem, first: said, last: said, ...more });
      return saidOf(timeOf({ incidents: [one] }), 'Incidents');
    };
    const crashed = 'the containers of n1 and n2 crashed within 1s of each other';
    expect(saidOfOne('containers_crashed', crashed, { about: '1, 2' })).toMatch(/crashed within 1s of each other$/);
    expect(saidOfOne('double_vote', 'n1 signed two blocks of round 7')).toMatch(/n1 signed two blocks of round 7$/);
    const once = 'the container of n1 has crashed and was restarted';
    expect(saidOfOne('container_restarting', once)).toMatch(/has crashed and was restarted$/);
    const loop = { summary: 'the container of n1 restarts again and again', evidence: '', fix: '' };
    expect(saidOfOne('container_restarting', once, { first: loop })).toMatch(/again and again, lasted 5 min$/);
    expect(saidOfOne('containers_crashed', 'Docker itself was stopped')).toMatch(/stopped, lasted 5 min$/);
    const open = { clearSince: undefined, endedAt: undefined, about: '1, 2' } as Partial<Incident>;
    expect(saidOfOne('containers_crashed', crashed, open)).toMatch(/crashed within 1s of each other$/);
  });

  test('that were foretold have their last words, as they may have come true', () => {
    const said = (summary: string) => ({ summary, evidence: '', fix: '' });
    const told = { first: said('n4 will have no turns'), last: said('n4 has no turns') };
    const saidAs = (problem: Incident['problem']) =>
      saidOf(timeOf({ incidents: [incident('g7', WALL - 5 * MINUTE, { problem, ...told })] }), 'Incidents');
    expect(saidAs('next_epoch_at_risk')).toContain('n4 has no turns, still open');
    // More may end with Docker than at first.
    expect(saidAs('containers_crashed')).toContain('n4 has no turns, still open');
    expect(saidAs('memory_filling')).toContain('n4 has no turns, still open');
    expect(saidAs('node_down')).toContain('n4 will have no turns, still open');
  });

  test('that overlap stand below each other, and findings that nobody must see are left out', () => {
    const page = timeOf({
      incidents: [halted, ended('c3', WALL - 48 * MINUTE, 2), ended('d4', WALL - 20 * MINUTE, 1, { severity: 'info' })],
    });
    expect(page.match(/<rect class="mark[^>]* y="\d+"/g)?.map((mark) => /y="(\d+)"/.exec(mark)?.[1])).toEqual([
      '3',
      '17',
    ]);
  });

  test('that last from before until after the time cover all of it, and one that has just begun is at its end', () => {
    const page = timeOf({ incidents: [incident('e5', WALL - 9 * HOUR), incident('f6', WALL - 1_000)] });
    expect(page).toMatch(/class="mark bad" x="0%"[^>]*width="100%"/);
    expect(page).toMatch(/class="mark bad" x="100%"[^>]*width="0.1%"/);
  });

  test('the text of an hour stays the same from second to second, so that its stream is silent', () => {
    const state = stateOf([diagnosedNode('n1', ['n1'])]);
    const given = { incidents: [open, halted], subnet: { blocks: ending([30]) } };
    const input = { range: '1h', history: historyOf(given), incidentsOf: () => given.incidents } as const;
    const at = (nowWall: number) => String(subnetTime(state, input, {}, { ...moment, nowWall }).html);
    expect(at(WALL + 30_000)).toBe(at(WALL));
  });
});

test('a target has its own latency, lag and incidents, and a service no lag', () => {
  const state = stateOf([diagnosedNode('n1', ['n1', 'n2']), diagnosedNode('n2', ['n1', 'n2'])]);
  const [own] = state.targets;
  if (own === undefined) throw new Error('a target is needed');
  const given = {
    nodes: { n1: { p50: ending([4]), p95: ending([9]), lag: ending([12]) } },
    incidents: [
      ended('a1', WALL - 30 * MINUTE, 2, { component: 'node', name: 'n1' }),
      ended('b2', WALL - 20 * MINUTE, 2, { component: 'node', name: 'n2' }),
    ],
  };
  const input = { range: '1h', history: historyOf(given), incidentsOf: () => given.incidents } as const;
  const page = String(targetTime(own, input, moment).html);
  expect(words(page)).toContain('n1 in the last hour');
  expect(saidOf(page, 'Probe latency')).toContain('p50 4 ms, p95 9 ms at 03:03 UTC');
  expect(saidOf(page, 'Blocks behind')).toContain('1 fell behind in all readings of a minute, by up to 12 blocks');
  expect(page).toContain('/incidents/a1');
  expect(page).not.toContain('/incidents/b2');
  const relayer = { ...own, target: { ...own.target, component: 'relayer' as const, name: 'relayer' } };
  expect(words(String(targetTime(relayer, input, moment).html))).not.toContain('Blocks behind');
});

test('a scale has a round number at its top', () => {
  expect([0.2, 1, 1.1, 2, 3, 7, 10, 11, 300, 5_001].map(toScale)).toEqual([1, 1, 2, 2, 5, 10, 10, 20, 500, 10_000]);
});

test('the incidents of a page are read at most once in two seconds, and those of before stay while nothing answers', async () => {
  let now = 0;
  let answer: () => Promise<{ readonly incidents: readonly Incident[]; readonly isWhole: boolean }>;
  let asked = 0;
  const bugs: unknown[] = [];
  const list = () => {
    asked += 1;
    return answer();
  };
  const recent = createRecentIncidents({ list }, { now: () => now, onBug: (error) => bugs.push(error) });
  answer = async () => ({ incidents: [incident('a1', WALL)], isWhole: true });
  expect(recent.of('devnet')).toEqual([]);
  await recent.read(['devnet']);
  await recent.read(['devnet']);
  expect([recent.of('devnet').map(({ id }) => id), asked]).toEqual([['a1'], 1]);
  now += 1_999;
  expect([recent.of('devnet').length, asked]).toEqual([1, 1]);
  now += 1;
  answer = () => Promise.reject(new Error('a bug'));
  await recent.read(['devnet']);
  expect([recent.of('devnet').map(({ id }) => id), asked, bugs.length]).toEqual([['a1'], 3, 1]);
});
