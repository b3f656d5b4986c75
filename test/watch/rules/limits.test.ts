import { describe, expect, it } from 'vitest';
import type {
  ContainerFacts,
  Exit,
  Facts,
  LogFacts,
  LogState,
  PatternFacts,
  Progress,
  RelayerLogFacts,
  RelayerModeFacts,
} from '../../../src/model/facts.ts';
import type { Verdict } from '../../../src/model/verdict.ts';
import { judgeContainer } from '../../../src/watch/rules/judge-container.ts';
import { judgeLogBlock } from '../../../src/watch/rules/judge-log-block.ts';
import { judgeMessages } from '../../../src/watch/rules/judge-messages.ts';
import { judgeLatestBlock, judgePeers } from '../../../src/watch/rules/judge-node.ts';
import { judgeBlockData, judgeFrontendLog, judgeHistoryData } from '../../../src/watch/rules/judge-services.ts';
import { judgeSubmissions } from '../../../src/watch/rules/judge-submissions.ts';
import { asRead, aView, nodeTarget, runningSince, serviceTarget } from '../../support/views.ts';

// Each limit of each judge, on facts that are written out: a millisecond before it, and at it. The settings are the defaults.

const NOW = 10_000_000;
const [SECOND, MINUTE] = [1_000, 60_000];
const STALL = 60 * SECOND;
const ago = (ms: number): number => NOW - ms;
const verdicts = (judge: (value: number) => { readonly verdict: Verdict }, ...values: readonly number[]) =>
  values.map((value) => judge(value).verdict);

const logs = (more: Partial<LogFacts> = {}, readFor = 60 * MINUTE): { readonly logs: LogFacts } => ({
  logs: { sources: { container: { up: true, lines: 1, since: ago(readFor) } }, patterns: {}, ...more },
});
const pattern = (means: PatternFacts['means'], at: number, more: Partial<PatternFacts> = {}): PatternFacts => ({
  ...{ means, at, count: 1, order: 1, what: 'it is broken', own: false },
  ...more,
});

describe('latest_block', () => {
  const progress = (more: Partial<Progress>): Progress => ({
    ...{ number: 100, advancedAt: ago(0), risen: true, riseDueSince: ago(0), lastGoodAt: ago(0) },
    ...more,
  });
  const factsOf = (latest: Progress) => ({
    node: { observation: { answered: true, latest: { ok: true, value: { number: latest.number } } }, latest } as const,
  });
  const judge = (own: Partial<Progress>, other: Partial<Progress> = {}) =>
    asRead(
      judgeLatestBlock(
        aView(nodeTarget('a'), factsOf(progress(own)), {
          now: NOW,
          others: [{ target: nodeTarget('b'), facts: factsOf(progress(other)) }],
        }),
      ),
    );

  it('has stalled after exactly stallAfter', () => {
    expect(verdicts((ms) => judge({ riseDueSince: ago(ms) }), STALL - 1, STALL)).toEqual(['pass', 'fail']);
  });

  it('may be as many blocks behind as maxLag says', () => {
    expect(verdicts((lag) => judge({}, { number: 100 + lag }), 10, 11)).toEqual(['pass', 'fail']);
  });

  it('may be at most 1,000 blocks above what half of the nodes have reached', () => {
    const above = (lead: number) => {
      const others = ['b', 'c'].map((name) => ({ target: nodeTarget(name), facts: factsOf(progress({})) }));
      return asRead(
        judgeLatestBlock(aView(nodeTarget('a'), factsOf(progress({ number: 100 + lead })), { now: NOW, others })),
      );
    };
    expect(verdicts(above, 1_000, 1_001)).toEqual(['pass', 'fail']);
    expect(above(1_001).reason).toBe(
      'a claims block 1101, 1001 above what half of the nodes have reached; see what answers at its address',
    );
  });

  it('fails by falls that are repeated, and names a single one, for exactly stallAfter', () => {
    const fall = (repeated: boolean) => (ms: number) => judge({ fall: { from: 120, to: 90, at: ago(ms), repeated } });
    expect(verdicts(fall(true), STALL - 1, STALL)).toEqual(['fail', 'pass']);
    expect(fall(false)(STALL - 1).reason).toContain('after a fall from 120 to 90');
    expect(fall(false)(STALL).reason).not.toContain('fall');
  });
});

describe('peers', () => {
  const judge = (count: number) => {
    const observation = {
      answered: true,
      latest: { ok: true, value: { number: 1 } },
      peers: { ok: true, value: { count, via: 'admin_peers' } },
    } as const;
    return asRead(judgePeers(aView(nodeTarget('a'), { node: { observation } }, { now: NOW })));
  };

  it('are at least as many as expected', () => {
    expect(verdicts((count) => judge(count), 2, 3, 4)).toEqual(['fail', 'pass', 'pass']);
    expect(judge(2).reason).toContain('check the bootnode');
  });
});

describe('log_block', () => {
  const judge = (node: LogState['node'], readFor?: number) =>
    asRead(judgeLogBlock(aView(nodeTarget('a'), logs({ ...(node && { node }) }, readFor), { now: NOW })));

  it('has stalled after exactly stallAfter', () => {
    expect(verdicts((ms) => judge({ height: 7, advancedAt: ago(ms) }), STALL - 1, STALL)).toEqual(['pass', 'fail']);
  });

  it('is silent below log level 3, and has stallAfter from that level on', () => {
    expect(verdicts((level) => judge({ level }), 2, 3)).toEqual(['degraded', 'fail']);
    expect(verdicts((ms) => judge({ level: 3 }, ms), STALL - 1, STALL)).toEqual(['unknown', 'fail']);
  });

  it('names a fall for exactly stallAfter', () => {
    const fallen = (ms: number) =>
      judge({ height: 7, advancedAt: ago(0), fall: { from: 90, to: 7, at: ago(ms) } }).reason.includes('after a fall');
    expect([fallen(STALL - 1), fallen(STALL)]).toEqual([true, false]);
  });
});

describe('messages', () => {
  const WINDOW = 10 * MINUTE;
  const judge = (heardAgo: number | undefined, readFor?: number, nodes = 1) =>
    asRead(
      judgeMessages(
        aView(
          { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] },
          logs({ heard: new Map(heardAgo === undefined ? [] : [['10.0.0.1:30303', ago(heardAgo)]]) }, readFor),
          {
            now: NOW,
            others: Array.from({ length: nodes }, (_, index) => ({
              target: nodeTarget(`n${index}`, { p2p: `10.0.0.1:${30_303 + index}` }),
              facts: {},
            })),
          },
        ),
      ),
    );

  it('are missing after exactly the window', () => {
    expect(verdicts((ms) => judge(ms), WINDOW - 1, WINDOW)).toEqual(['pass', 'fail']);
  });

  it('are waited for until the log is read for as long as the window', () => {
    expect(verdicts((ms) => judge(undefined, ms), WINDOW - 1, WINDOW)).toEqual(['unknown', 'fail']);
    // One that was heard and then fell silent is missing, however short the log is read.
    expect(judge(WINDOW, WINDOW - 1).verdict).toBe('fail');
  });

  it('name at most five nodes', () => {
    expect(judge(undefined, WINDOW, 5).reason).toContain(
      'has not heard n0, n1, n2, n3, n4 within 10m; open UDP from the p2p ports of n0, n1, n2, n3, n4, or start those that do not run',
    );
    expect(judge(undefined, WINDOW, 6).reason).toContain('n0, n1, n2, n3, n4 and 1 other within 10m');
    expect(judge(undefined, WINDOW, 1).reason).toContain(
      'open UDP from the p2p port of n0, or start it if it does not run',
    );
  });
});

describe('an error in a log', () => {
  const WINDOW = 5 * MINUTE;
  const judge = (patterns: LogFacts['patterns']) =>
    asRead(judgeFrontendLog(aView(serviceTarget('frontend'), logs({ patterns }), { now: NOW })));

  it('fails its check for exactly errorWindow, and a note never', () => {
    const error = (ms: number) => judge({ p: pattern('error', ago(ms)) });
    expect(verdicts(error, WINDOW - 1, WINDOW)).toEqual(['fail', 'pass']);
    expect(judge({ p: pattern('note', ago(1)) }).verdict).toBe('pass');
  });

  it('is reported before a later, less severe one; of two equally severe ones, the last', () => {
    const at = ago(SECOND);
    const [fatal, early, late] = [
      pattern('fatal', at),
      pattern('error', at, { order: 2 }),
      pattern('error', at, { order: 3 }),
    ];
    expect(judge({ early, fatal, late }).reason).toContain('the pattern fatal');
    expect(judge({ late, early }).reason).toContain('the pattern late');
  });
});

describe('block_data and history_data', () => {
  const stats = (facts: LogState['stats'], readFor?: number, patterns: LogFacts['patterns'] = {}) =>
    aView(serviceTarget('stats'), logs({ ...(facts && { stats: facts }), patterns }, readFor), { now: NOW });
  const judgeHistory = (started: number, history?: number) => {
    const patterns = { started: pattern('state', started) };
    const all = history === undefined ? patterns : { ...patterns, history_data: pattern('progress', history) };
    return asRead(judgeHistoryData(stats(undefined, undefined, all)));
  };
  const block = (risenAgo: number, ms: number) =>
    asRead(judgeBlockData(stats({ block: { number: 7, at: ago(ms), risenAt: ago(risenAgo) } })));

  it('wait for a first block for exactly blockDataWithin, and for each next one', () => {
    const none = (ms: number) => asRead(judgeBlockData(stats(undefined, ms)));
    expect(verdicts(none, 2 * MINUTE - 1, 2 * MINUTE)).toEqual(['unknown', 'fail']);
    expect(verdicts((ms) => block(ms, ms), 2 * MINUTE - 1, 2 * MINUTE)).toEqual(['pass', 'fail']);
  });

  it('distinguish a repeated block from a missing one', () => {
    expect(block(5 * MINUTE, 2 * MINUTE - 1).reason).toContain('again and again for 5m');
    expect(block(5 * MINUTE, 2 * MINUTE).reason).toContain('has got no block for 2m');
  });

  it('have a minute for the history after a start', () => {
    const started = (ms: number) => judgeHistory(ago(ms));
    expect(verdicts(started, MINUTE - 1, MINUTE)).toEqual(['unknown', 'fail']);
  });

  it('take a history that a coarser clock puts a second before the start', () => {
    const history = (before: number) => judgeHistory(ago(2 * MINUTE), ago(2 * MINUTE + before));
    expect(verdicts(history, SECOND, SECOND + 1)).toEqual(['pass', 'fail']);
  });
});

describe('submissions', () => {
  const judge = (relayer: Partial<RelayerLogFacts>, more: Partial<LogFacts> = {}, readFor?: number, facts?: Facts) =>
    asRead(
      judgeSubmissions(
        aView(
          serviceTarget('relayer'),
          { ...logs({ relayer: { byMode: {}, submissions: 0, ...relayer }, ...more }, readFor), ...facts },
          {
            now: NOW,
          },
        ),
      ),
    );
  const inMode = (mode: keyof RelayerLogFacts['byMode'], facts: Partial<RelayerModeFacts>) =>
    judge({
      modes: [mode],
      byMode: { [mode]: { phase: 'done', phaseAt: ago(0), submittedAt: ago(0), attempted: false, ...facts } },
    });

  it.each([
    ['full', 5 * MINUTE],
    ['lite', 45 * MINUTE],
    ['reverse_full', 5 * MINUTE],
    ['zero', MINUTE],
    ['reverse_zero', MINUTE],
  ] as const)('may be missing in the mode %s for less than %i ms', (mode, limit) => {
    expect(verdicts((ms) => inMode(mode, { submittedAt: ago(ms) }), limit - 1, limit)).toEqual(['pass', 'fail']);
    expect(inMode(mode, { submittedAt: ago(limit) }).reason).toContain('although its cycles go on');
  });

  it.each([
    ['full', 60 * SECOND],
    ['lite', 360 * SECOND],
    ['reverse_full', 60 * SECOND],
    ['zero', 30 * SECOND],
    ['reverse_zero', 30 * SECOND],
  ] as const)('of the mode %s may miss less than three cycles, %i ms', (mode, limit) => {
    expect(verdicts((ms) => inMode(mode, { phaseAt: ago(ms) }), limit - 1, limit)).toEqual(['pass', 'fail']);
    expect(inMode(mode, { phaseAt: ago(limit) }).reason).toContain('has begun no cycle');
    expect(inMode(mode, { phase: 'failed', phaseAt: ago(limit) }).reason).toContain('has begun no cycle');
    // Its log is read, or it runs, since then only.
    const byMode = { [mode]: { phase: 'failed', phaseAt: ago(2 * limit), attempted: false } } as const;
    const started = (ms: number) => judge({ modes: [mode], byMode, startedAt: ago(ms) }, {}, 3 * limit).verdict;
    expect([started(limit - 1), started(limit)]).toEqual(['pass', 'fail']);
    const fresh = (startedAt?: number) =>
      judge({ modes: [mode], byMode: {}, ...(startedAt && { startedAt }) }, {}, 9 * SECOND).reason;
    expect([fresh(), fresh(ago(5 * SECOND))]).toEqual([
      'the relayer has begun no cycle since its log is read',
      'the relayer has begun no cycle since its start',
    ]);
    expect(inMode(mode, { phase: 'working', phaseAt: ago(limit) }).reason).toContain('has printed nothing since');
    // A later cycle counts as well as a later line.
    expect(inMode(mode, { phaseAt: ago(limit), cycleAt: ago(limit - 1) }).verdict).toBe('pass');
  });

  it('hang when a cycle that began one and a half periods ago says nothing, once the limit is over', () => {
    const hanging = (ms: number) => inMode('full', { phase: 'cycle', phaseAt: ago(ms), submittedAt: ago(5 * MINUTE) });
    expect(hanging(30 * SECOND).reason).toContain('has submitted nothing');
    expect(hanging(30 * SECOND + 1).reason).toContain('has printed nothing since');
    const within = { phase: 'cycle', phaseAt: ago(30 * SECOND + 1), submittedAt: ago(5 * MINUTE - 1) } as const;
    expect(inMode('full', within).verdict).toBe('pass');
  });

  it('wait two minutes for a transaction to be mined, also beyond the limit', () => {
    const waiting = (ms: number) =>
      inMode('full', { phase: 'attempt', phaseAt: ago(ms), submittedAt: ago(9 * MINUTE) });
    expect(verdicts(waiting, 2 * MINUTE - 1, 2 * MINUTE)).toEqual(['pass', 'fail']);
    expect(waiting(2 * MINUTE).reason).toMatch(
      /^the relayer \(FULL\) has waited 2m for a transaction to be mined; .*when the transaction is not there, restart its container/,
    );
    expect(waiting(69 * SECOND).reason).toBe(
      'the relayer (FULL) sent its last transaction 1m 9s ago, and its log does not say yet whether that is mined',
    );
  });

  it('are over when its container ended after its last transaction', () => {
    const relayer = {
      modes: ['full'],
      byMode: { full: { phase: 'attempt', phaseAt: ago(69 * SECOND), submittedAt: ago(70 * SECOND), attempted: true } },
    } as const;
    const inRun = (running: boolean, startedAt: number) => {
      const container = { id: 'r', name: 'r', running, status: running ? 'running' : 'exited', startedAt } as const;
      const observation = { kind: 'found', container: { ...container, oomKilled: false, restartCount: 0 } } as const;
      const facts: Facts = { container: { restarts: 0, oomKills: 0, inspected: true, observation } };
      return judge(relayer, {}, undefined, facts).reason;
    };
    const ended =
      'the relayer (FULL) was submitting when its container ended: whether its last transaction, sent 1m 9s ago, was mined, its log does not say';
    expect(inRun(false, ago(5 * MINUTE))).toBe(ended);
    expect(inRun(true, ago(SECOND))).toBe('the relayer has begun no cycle since its start');
    expect(inRun(true, ago(5 * MINUTE))).toContain('(FULL) sent its last transaction ');
  });

  it('are those of the run of now, by its container and by the start in its log', () => {
    const byMode = {
      full: { phase: 'done', phaseAt: ago(19 * SECOND), submittedAt: ago(19 * SECOND), attempted: false },
    } as const;
    const error = { pattern: 'contract_missing', at: ago(21 * SECOND) };
    const done = { modes: ['full'], byMode, startedAt: ago(9 * MINUTE), submittedAt: ago(19 * SECOND) } as const;
    const since = (startedAt: number, relayer: Partial<RelayerLogFacts>) =>
      judge(relayer, {}, undefined, { container: runningSince(startedAt) }).reason;
    const none = 'the relayer has begun no cycle since its start';
    // Its container was made anew, and nothing of the new one is read yet.
    expect(since(ago(18 * SECOND), done)).toBe(none);
    expect(since(ago(18 * SECOND), { ...done, byMode: { full: { ...byMode.full, error } } })).toBe(none);
    expect(since(ago(18 * SECOND), { byMode: {}, died: { at: ago(19 * SECOND) } })).toBe(none);
    expect(since(ago(18 * SECOND), { byMode: {}, died: { at: ago(17 * SECOND) } })).toContain(
      'the relayer died 17s ago',
    );
    // The new one has begun a cycle, and submitted nothing yet.
    const begun = { full: { phase: 'cycle', phaseAt: ago(SECOND), cycleAt: ago(SECOND), attempted: false } } as const;
    const next = { ...done, startedAt: ago(13 * SECOND), byMode: begun };
    expect(since(ago(18 * SECOND), next)).toBe('the relayer (FULL) runs its cycles, and has time to submit');
    expect(judge(next).reason).toBe('the relayer (FULL) runs its cycles, and has time to submit');
    // It runs since before: by its container, by its log alone, and where nothing says since when.
    const before = 'the relayer (FULL) submitted blocks 19s ago';
    expect([
      since(ago(9 * MINUTE), done),
      judge(done).reason,
      judge({ ...done, startedAt: undefined } as Partial<RelayerLogFacts>).reason,
    ]).toEqual([before, before, before]);
  });

  it('that failed at a node which answers again since are waited for, until the next cycle', () => {
    const error = (pattern: string, ms = 12 * SECOND) => ({ pattern, at: ago(ms) });
    const failed = (one: RelayerModeFacts['error'], answers = true, returned = ago(3 * SECOND)) => {
      const latest = answers ? { ok: true, value: { number: 9, hash: '0x9' } } : { ok: false };
      const node = { observation: { latest }, returned: { at: returned, silentSince: ago(20 * SECOND) } };
      const others = [{ target: nodeTarget('subnet1'), facts: { node } as unknown as Facts }];
      const byMode = { full: { phase: 'failed', phaseAt: ago(12 * SECOND), attempted: false, error: one } } as const;
      const facts = logs({ relayer: { modes: ['full'], byMode, submissions: 0 } as RelayerLogFacts });
      const relayer = { ...serviceTarget('relayer'), readsFrom: 'subnet1' };
      return asRead(judgeSubmissions(aView(relayer, facts, { now: NOW, others })));
    };
    expect(failed(error('subnet_unreachable'))).toEqual({
      verdict: 'unknown',
      reason:
        'the last cycle of the relayer (FULL) failed 12s ago, and subnet1, from which it reads, answered again 3s ago; wait for its next cycle',
    });
    // It fails again, fails at something else, or the node has not answered since, or no more.
    const still = [
      failed(error('subnet_unreachable', SECOND)),
      failed(error('contract_missing')),
      failed(error('subnet_unreachable'), true, ago(13 * SECOND)),
      failed(error('subnet_unreachable'), false),
    ];
    expect(still.map(({ verdict }) => verdict)).toEqual(['fail', 'fail', 'fail', 'fail']);
  });

  it('are not missed while its container is not there, as when it is made anew', () => {
    const silent = (kind: 'missing' | 'docker-unreachable') => {
      const why = { address: 'unix:///d.sock', code: 'timeout' } as const;
      const observation = kind === 'missing' ? { kind } : { kind, why };
      const byMode = {
        full: { phase: 'done', phaseAt: ago(85 * SECOND), submittedAt: ago(85 * SECOND), attempted: false },
      };
      const container = { restarts: 0, oomKills: 0, inspected: true, observation };
      return judge(
        { modes: ['full'], byMode, submittedAt: ago(85 * SECOND) } as Partial<RelayerLogFacts>,
        {},
        undefined,
        {
          container,
        } as Facts,
      ).reason;
    };
    expect(silent('docker-unreachable')).toContain('the relayer (FULL) has begun no cycle for 1m 25s');
    expect(silent('missing')).toBe('the relayer (FULL) submitted blocks 1m 25s ago');
  });

  it('fail by an error since the last one, and by a fork, for exactly errorWindow', () => {
    const error = (ms: number) => inMode('full', { error: { pattern: 'p', at: ago(ms) } });
    expect(verdicts(error, 5 * MINUTE - 1, 5 * MINUTE)).toEqual(['fail', 'pass']);
    expect(error(MINUTE).reason).toContain('the relayer (FULL) has been failing since its last submission: ');
    const again = inMode('full', { phase: 'attempt', error: { pattern: 'p', at: ago(MINUTE) } });
    expect(again.reason).toContain('the relayer (FULL) is trying again after a failure: ');
    const byMode = { full: { phase: 'done', phaseAt: ago(0), submittedAt: ago(0), attempted: false } } as const;
    const fork = (ms: number) => judge({ byMode, forkAt: ago(ms) });
    expect(verdicts(fork, 5 * MINUTE - 1, 5 * MINUTE)).toEqual(['fail', 'pass']);
  });

  it('wait as long for a mode that prints nothing at all', () => {
    const silent = (ms: number) => judge({ modes: ['full'] }, {}, ms);
    expect(verdicts(silent, 5 * MINUTE - 1, 5 * MINUTE)).toEqual(['unknown', 'fail']);
  });

  it.each([
    [
      'died',
      { died: { at: ago(MINUTE) } },
      'the relayer died 1m ago (02:45:40 UTC) while its container lives on; restart',
    ],
    ['died of a cause', { died: { at: ago(MINUTE), because: 'p' } }, 'while its container lives on: it is broken'],
    [
      'has no redis',
      { redisDiedAt: ago(MINUTE) },
      'the redis of the relayer died 1m ago (02:45:40 UTC), and without it the relayer begins no new cycle; restart',
    ],
    ['cannot start', { startError: 'p' }, 'the relayer cannot start: it is broken'],
    ['has no mode', { modes: [] }, 'the relayer runs in no mode'],
  ] as const)('fail when the relayer %s', (_what, relayer, reason) => {
    expect(judge(relayer, { patterns: { p: pattern('note', ago(MINUTE)) } })).toEqual({
      verdict: 'fail',
      reason: expect.stringContaining(reason),
    });
  });

  it('are not judged by the modes of the container before', () => {
    const container = (startedAt: number) =>
      ({
        observation: { kind: 'found', container: { id: 'r', name: 'r', running: true, status: 'running', startedAt } },
      }) as unknown as ContainerFacts;
    const said = (startedAt: number) =>
      judge({ modes: [], startedAt: ago(MINUTE) }, {}, MINUTE, { container: container(startedAt) }).reason;
    expect(said(ago(MINUTE))).toContain('runs in no mode');
    expect(said(ago(5 * SECOND))).not.toContain('runs in no mode');
  });
});

describe('container', () => {
  const container = {
    id: 'a',
    name: 'n',
    running: true,
    status: 'running',
    oomKilled: false,
    restartCount: 0,
  } as const;
  const node = nodeTarget('n', { container: { name: 'n' } });
  const judge = (restartedAgo: number, lastExit?: Exit, lastOomAt?: number) => {
    const facts: ContainerFacts = {
      ...{ observation: { kind: 'found', container }, restarts: 1, oomKills: 0, inspected: true },
      ...{ lastRestartAt: ago(restartedAgo), lastRestartBy: 'policy' },
      ...(lastExit && { lastExit }),
      ...(lastOomAt !== undefined && { lastOomAt }),
    };
    return asRead(judgeContainer(aView(node, { container: facts }, { now: NOW })));
  };

  it('fails by a restart for exactly errorWindow', () => {
    expect(verdicts((ms) => judge(ms), 5 * MINUTE - 1, 5 * MINUTE)).toEqual(['fail', 'pass']);
  });

  it("names an exit that the restart followed, and memory when Docker's verdict came within five seconds of it", () => {
    const exit = { code: 137, at: ago(MINUTE) };
    const restarted = (oomMs?: number) => judge(MINUTE, exit, oomMs === undefined ? undefined : exit.at + oomMs).reason;
    expect(restarted()).toContain('after exit code 137');
    for (const ms of [4_999, -4_999]) expect(restarted(ms)).toContain('out of memory (OOMKilled)');
    for (const ms of [5_000, -5_000]) expect(restarted(ms)).toContain('after exit code 137');
    expect(judge(MINUTE, { code: 1, at: ago(MINUTE - 1) }).reason).not.toContain('exit code');
  });
});
