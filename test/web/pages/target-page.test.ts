import { describe, expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget } from '../../../src/model/facts.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { ProblemName } from '../../../src/model/problem-catalog.ts';
import type { SubnetState, TargetState } from '../../../src/model/snapshot.ts';
import type { CheckName } from '../../../src/model/verdict.ts';
import { type TargetFrame, type TargetInput, targetPage } from '../../../src/web/pages/target-page.ts';
import { queriesOf } from '../../../src/web/pages/target-panels.ts';
import { containerOf, diagnosedNode, diagnosedService, NOW, STOPPED } from '../../support/diagnosed.ts';
import { NO_TIME } from '../../support/no-steps.ts';
import { words } from '../../support/page-words.ts';
import { stateOf } from '../../support/snapshots.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const WORDS = { summary: '', evidence: '', fix: '' };
const REFUSED = { kind: 'refused', address: 'http://192.0.2.1:852' } as const;

function pageOf(
  [target, ...others]: readonly KnownTarget[],
  more: Partial<TargetInput> & Partial<TargetFrame> = {},
  change: (state: TargetState) => TargetState = (state) => state,
): string {
  if (target === undefined) throw new Error('a target is needed');
  const state: SubnetState = stateOf([target, ...others], target.target.subnet);
  const [own] = state.targets;
  if (own === undefined) throw new Error('a target is needed');
  const { footer = [], outside = {}, mayProbe = false, ...input } = more;
  return String(
    targetPage(
      {
        state,
        target: change(own),
        history: { hours: [], days: [] },
        isPastRead: true,
        time: NO_TIME,
        checkHistoryOf: () => ({ halfHours: Array(48).fill('up'), probes: ['up', 'down'] }),
        lines: [],
        toWall: (at) => WALL - NOW + at,
        nowWall: WALL,
        ...input,
      },
      { footer, outside, mayProbe },
    ),
  );
}

const n1 = diagnosedNode('n1', NAMES);
const nodes = [n1, ...NAMES.slice(1).map((name) => diagnosedNode(name, NAMES))];

const SINCE_START = { verdict: 'fail', seen: 'it restarted', fix: 'read why', since: NOW - 61_000 } as const;

describe('the page of a target', () => {
  test('says of a node in one line whether it may be restarted now', () => {
    const lineOf = (safe: boolean, known: boolean, reason: string) =>
      words(pageOf(nodes, { restart: { safe, known, reason } })).match(/Safe to restart now: [^.]*\./)?.[0];
    expect(lineOf(true, true, '3 other masternodes vote, 3 needed')).toBe(
      'Safe to restart now: yes , because 3 other masternodes vote, 3 needed.',
    );
    expect(lineOf(false, true, 'n2 is being stopped')).toBe('Safe to restart now: no , because n2 is being stopped.');
    expect(lineOf(false, false, 'nothing is known')).toContain('undetermined , because nothing is known.');
    expect(words(pageOf(nodes))).not.toContain('Safe to restart');
  });

  test('says of one that is well since when all of its checks are as they are', () => {
    const bannerOf = (changed: CheckName) =>
      words(
        pageOf(nodes, {}, (state) => ({
          ...state,
          checks: state.checks.map((one) => ({ ...one, since: NOW - (one.check === changed ? 25_000 : 240_000) })),
        })),
      ).match(/n1 is [^.]*\./)?.[0];
    expect(bannerOf('peers')).toBe('n1 is healthy Since 03:03 , for 25 s.');
    expect(bannerOf('http')).toBe('n1 is healthy Since 03:00 , for 4 min.');
  });

  test('says of one that is well again since when its last problem is over', () => {
    const bannerOf = (more: Partial<Incident>) => {
      const over: Incident = {
        ...{ id: 'x', subnet: 'devnet', problem: 'node_lags', component: 'node', name: 'n1', severity: 'warning' },
        ...{ alert: '', foundAt: 1, startedAt: 1, clearSince: WALL - 25_000, returns: 0, causes: [], effects: [] },
        ...{ first: WORDS, last: WORDS, notified: [], ...more },
      };
      const page = pageOf(nodes, { time: { ...NO_TIME, incidentsOf: () => [over] } }, (state) => ({
        ...state,
        checks: state.checks.map((one) => ({ ...one, since: NOW - 240_000 })),
      }));
      return words(page).match(/n1 is [^.]*\./)?.[0];
    };
    expect(bannerOf({})).toBe('n1 is healthy Since 03:03 , for 25 s.');
    expect(bannerOf({ name: 'n2' })).toBe('n1 is healthy Since 03:00 , for 4 min.');
    expect(bannerOf({ component: 'bootnode' })).toBe('n1 is healthy Since 03:00 , for 4 min.');
    expect(bannerOf({ clearSince: WALL - 300_000 })).toBe('n1 is healthy Since 03:00 , for 4 min.');
  });

  test('says so from the first second, in which the problem is clearing, and its incident does not tell yet', () => {
    const state = stateOf(nodes, 'devnet');
    const problem: Problem = {
      ...{ problem: 'node_lags', component: 'node', name: 'n1', severity: 'warning', alert: '', ...WORDS },
      ...{ explains: [], causes: [], state: 'clearing', since: NOW - 90_000, seenAt: NOW, clearingSince: NOW - 3_000 },
    };
    const bannerOf = (more: Partial<Problem>) =>
      words(
        pageOf(nodes, { state: { ...state, problems: [{ ...problem, ...more }] } }, (own) => ({
          ...own,
          checks: own.checks.map((one) => ({ ...one, since: NOW - 240_000 })),
        })),
      ).match(/n1 is [^.]*\./)?.[0];
    expect(bannerOf({})).toBe('n1 is healthy Since 03:04 , for 3 s.');
    expect(bannerOf({ name: 'n2' })).toBe('n1 is healthy Since 03:00 , for 4 min.');
  });

  test('says of a container that was paused since when it is, though its check has failed since a restart', () => {
    const paused = {
      ...n1,
      facts: { ...n1.facts, container: containerOf('n1', { status: 'paused', running: false }) },
    };
    const state = stateOf([paused, ...nodes.slice(1)], 'devnet');
    const problems = state.problems.map((one) => ({ ...one, state: 'suspected', since: NOW - 2_000 }) as const);
    const page = pageOf([paused, ...nodes.slice(1)], { state: { ...state, problems } }, (own) => ({
      ...{ ...own, problem: undefined },
      checks: own.checks.map((one) => ({ ...one, since: NOW - 90_000 })),
    }));
    expect(words(page)).toContain('n1 is failing Since 03:04 , for 2 s. generated-n1-1 is paused');
  });

  test('says of a container that was removed after a restart since when it does not run', () => {
    const bannerOf = (container: Partial<ContainerFacts>) => {
      const known = diagnosedService('frontend');
      const facts = { ...known.facts.container, observation: { kind: 'missing' }, ...container } as ContainerFacts;
      const page = pageOf([{ ...known, facts: { ...known.facts, container: facts } }], {}, (state) => ({
        ...{ ...state, problem: undefined },
        checks: state.checks.flatMap((one) =>
          one.check === 'container' ? { ...one, since: NOW - 240_000, because: undefined as never } : [],
        ),
      }));
      return words(page).match(/frontend is failing [^.]*\./)?.[0];
    };
    const run = { id: 'x', startedAt: NOW - 30_000, restartCount: 0 };
    const lastExit = { code: 0, at: NOW - 5_000 };
    expect(bannerOf({ run: undefined, lastExit: undefined })).toBe('frontend is failing Since 03:00 , for 4 min.');
    expect(bannerOf({ run, lastExit: undefined })).toBe('frontend is failing Since 03:03 , for 30 s.');
    expect(bannerOf({ run, lastExit })).toBe('frontend is failing Since 03:04 , for 5 s.');
  });

  test('says of a service that has just started that, and not that it is healthy, until it answers', () => {
    const container = containerOf('frontend', { startedAt: NOW - 2_000 }) as ContainerFacts;
    const known = diagnosedService('stats', { fault: REFUSED });
    const started = { ...known, facts: { ...known.facts, container } };
    const bannerOf = (target: KnownTarget, lastRun?: number) =>
      words(
        pageOf([target], {}, (state) => ({
          ...state,
          checks: state.checks.map((one) => ({ ...one, since: NOW - 2_000, lastRun })),
        })),
      ).match(/stats (is|has) .*?\. .*?\./)?.[0];
    expect(bannerOf(started, NOW)).toBe(
      'stats has just started Since 03:04 , for 2 s. The stats server was started 2s ago and does not answer as it should yet.',
    );
    expect(bannerOf({ ...started, facts: { ...started.facts, service: undefined } } as unknown as KnownTarget)).toBe(
      'stats is in an unknown state Since 03:04 , for 2 s. The stats server has not been checked yet.',
    );
  });

  test('says of a container that was stopped after a restart since when it is stopped', () => {
    const stopped = diagnosedService('frontend', { container: { ...STOPPED, finishedAt: NOW - 5_000 } });
    const page = pageOf([stopped], {}, ({ problem: _, ...state }) => ({
      ...state,
      checks: state.checks.flatMap((one) => (one.check === 'container' ? { ...one, since: NOW - 240_000 } : [])),
    }));
    expect(words(page)).toMatch(/frontend is failing Since 03:04 , for 5 s\. /);
  });

  test('says of one that is well since it was started again after a crash that it runs again', () => {
    const titleOf = (ranMs: number, ...failing: readonly string[]) => {
      const crashed = diagnosedNode('n1', NAMES, { container: { startedAt: NOW - ranMs } });
      const page = pageOf([crashed, ...nodes.slice(1)], {}, ({ problem: _, ...state }) => ({
        ...state,
        checks: state.checks.map((one) => (failing.includes(one.check) ? { ...one, ...SINCE_START } : one)),
      }));
      return words(page).match(/n1 (?:is failing|runs again after a crash)(?= Since)/)?.[0];
    };
    expect(titleOf(60_000, 'container')).toBe('n1 runs again after a crash');
    expect(titleOf(59_000, 'container')).toBe('n1 is failing');
    for (const other of ['peers', 'log_block']) expect(titleOf(60_000, 'container', other)).toBe('n1 is failing');
  });

  test('says since when its container runs, though its check is only as old as subnetd', () => {
    const crashed = diagnosedNode('n1', NAMES, { container: { startedAt: NOW - 120_000 } });
    const because = { problem: 'container_restarting', component: 'node', name: 'n1' } as const;
    const state = stateOf([crashed, ...nodes.slice(1)], 'devnet');
    // It was found only now.
    const found = {
      ...because,
      state: 'suspected',
      since: NOW - 2_000,
      begunAt: NOW - 121_000,
      explains: [],
      causes: [],
    };
    const problems = [{ ...found, summary: '', evidence: '', fix: '' } as unknown as Problem];
    const bannerOf = (verdict: 'fail' | 'pass') => {
      const page = pageOf(
        [crashed, ...nodes.slice(1)],
        { state: { ...state, problems } },
        ({ problem: _, ...own }) => ({
          ...own,
          checks: own.checks.map((one) =>
            one.check === 'container' ? { ...one, ...SINCE_START, verdict, because } : { ...one, since: NOW - 200_000 },
          ),
        }),
      );
      return words(page).match(/n1 [^.]* for [^.]*\./)?.[0];
    };
    expect(bannerOf('fail')).toBe('n1 runs again after a crash Since 03:02 , for 2 min.');
    expect(bannerOf('pass')).toBe('n1 is healthy Since 03:02 , for 2 min.');
  });

  test('says of one that was restarted on order, and has another problem, not that it crashed', () => {
    const problem: TargetState['problem'] = {
      ...{ problem: 'masternode_penalised', severity: 'critical', summary: 'it is penalised', fix: 'mend it' },
      since: NOW - 9_000,
    };
    const titleOf = (lastRestartBy: 'request' | 'policy') => {
      const known = diagnosedNode('n1', NAMES, { container: { startedAt: NOW - 60_000 } });
      const container = { ...known.facts.container, lastRestartBy, lastRestartAt: NOW - 60_000, restarts: 1 };
      const one = { ...known, facts: { ...known.facts, container } } as KnownTarget;
      const page = pageOf([one, ...nodes.slice(1)], {}, (state) => ({
        ...state,
        problem,
        checks: state.checks.map((check) => (check.check === 'container' ? { ...check, ...SINCE_START } : check)),
      }));
      return words(page).match(/n1 (?:is failing|runs again after a crash)(?= Since)/)?.[0];
    };
    expect([titleOf('request'), titleOf('policy')]).toEqual(['n1 is failing', 'n1 runs again after a crash']);
  });

  test('names in its banner its own problem before the check that only shows it', () => {
    const bannerOf = (because: ProblemName | undefined) =>
      words(
        pageOf(
          [diagnosedNode('n1', NAMES, { fault: REFUSED, container: STOPPED }), ...nodes.slice(1)],
          {},
          (state) => ({
            ...state,
            checks: state.checks.map((check) => ({
              ...check,
              because: because && { problem: because, component: 'node', name: 'n1' },
            })),
            problem: {
              ...{ problem: 'container_down', severity: 'warning', since: NOW - 60_000 },
              ...{ summary: 'its container does not run', fix: 'start it' },
            },
          }),
        ),
      ).match(/n1 is failing .*?(?=Status \/)/)?.[0];
    expect(bannerOf('container_down')).toContain('for 1 min. Its container does not run. Start it.');
    expect(bannerOf('node_lags')).toContain('n1 did not return its latest block: nothing listens at');
    expect(bannerOf(undefined)).toContain('n1 did not return its latest block: nothing listens at');
  });

  test('says of one with a problem that is still to come that it needs attention, and not that it is failing', () => {
    const bannerOf = (problem: ProblemName) =>
      words(
        pageOf([diagnosedService('stats')], {}, (state) => ({
          ...state,
          problem: {
            problem,
            severity: 'critical',
            since: NOW - 60_000,
            summary: 'its wallet runs out',
            fix: 'fill it',
          },
        })),
      ).match(/stats [^.]*\. [^.]*\./)?.[0];
    const told = 'Since 03:03 , for 1 min. Its wallet runs out.';
    expect(bannerOf('wallet_nearly_empty')).toBe(`stats needs attention ${told}`);
    expect(bannerOf('wallet_without_funds')).toBe(`stats is failing ${told}`);
  });

  test('has a problem of the whole subnet that names it, with its incident', () => {
    const nameOne = (name: string) => {
      const problem: Problem = {
        ...{ problem: 'chain_forked', severity: 'critical', alert: '', nodes: [name], explains: [], causes: [] },
        ...{ summary: 'the chain is forked', evidence: '', fix: 'stop n1', state: 'open', since: NOW, seenAt: NOW },
      };
      const incident = {
        ...{ id: 'x', subnet: 'devnet', problem: 'chain_forked', severity: 'critical', startedAt: WALL, foundAt: WALL },
        ...{ first: WORDS, last: WORDS, notified: [] },
      } as unknown as Incident;
      const state = { ...stateOf(nodes, n1.target.subnet), problems: [problem] };
      const time = { ...NO_TIME, incidentsOf: () => [incident] };
      return words(pageOf(nodes, { state, time, incidentOf: () => 'x' }));
    };
    expect(nameOne('n1')).toContain('Problems The chain is forked');
    expect(nameOne('n1')).toMatch(/Incidents 1 of severity/);
    expect(nameOne('n2')).toContain('No known problems');
    expect(nameOne('n2')).toMatch(/Incidents None of severity/);
  });

  test('says of its container how long ago it was restarted by now, and not that it fails', () => {
    const known = containerOf('n1', { startedAt: NOW - 46_000 }) as ContainerFacts;
    const container = { ...known, restarts: 1, lastRestartAt: NOW - 46_000, lastRestartBy: 'request' } as const;
    const page = words(
      pageOf([{ ...n1, facts: { ...n1.facts, container } } as KnownTarget, ...nodes.slice(1)], {
        toWall: (at) => at,
        nowWall: NOW + 10_000,
      }),
    );
    expect(page).toContain('container restarted generated-n1-1 was restarted on request 56s ago (02:45:54 UTC)');
  });

  test('says of a clock only what is more than a second', () => {
    const clockOf = (clockAheadMs: number) =>
      words(pageOf([{ ...n1, facts: { ...n1.facts, logs: { ...n1.facts.logs, clockAheadMs } } } as KnownTarget])).match(
        /Clock (.*?) Uptime|Clock (.*?) Log/,
      )?.[0];
    expect(clockOf(-750)).toContain('Clock right to the second');
    expect(clockOf(-2_000)).toContain('Clock 2s behind');
  });

  test('says how full the disk of its folders is, and not that of others', () => {
    const state = stateOf(nodes, n1.target.subnet);
    const fill = { at: NOW, used: 60e9, free: 40e9, total: 100e9, points: [] };
    const shown = (targets: readonly string[]) =>
      words(pageOf(nodes, { state: { ...state, facts: { disks: [{ folder: '/srv', targets, fill }] } } }));
    expect(shown(['n1', 'n2'])).toContain('Disk 40.0 GB of 100.0 GB free');
    expect(shown(['n2'])).not.toContain('40.0 GB');
  });

  test('does not say that a disk has space which has been full since, as the log says', () => {
    const state = stateOf(nodes, n1.target.subnet);
    const shown = (free: number, name: string) => {
      const fill = { at: NOW, used: 100e9 - free, free, total: 100e9, points: [] };
      const disks = [{ folder: '/srv', targets: ['n1'], fill }];
      const shownFailures = [{ name }] as never;
      const page = pageOf(nodes, { state: { ...state, facts: { disks } } }, (own) => ({ ...own, shownFailures }));
      return words(page).match(/Disk .*? free/)?.[0];
    };
    expect(shown(40e9, 'out_of_memory')).toBe('Disk 40.0 GB of 100.0 GB free');
    expect(shown(40e9, 'disk_full')).toBeUndefined();
    expect(shown(0, 'disk_full')).toBe('Disk 0 MB of 100.0 GB free');
  });

  test('is not that of a healthy one while a critical problem of it is suspected', () => {
    const suspected = {
      problem: 'parent_unreachable',
      summary: 'the parent chain does not answer',
      since: NOW - 12_000,
    } as const;
    const page = words(pageOf(nodes, {}, (state) => ({ ...state, suspected })));
    expect(page).toContain('n1 is being checked');
    expect(page).toContain('Suspected: the parent chain does not answer.');
    expect(words(pageOf(nodes))).toContain('n1 is healthy');
  });

  test('says what was asked and answered last, and folds the question about the chain', () => {
    const text = words(pageOf(nodes));
    expect(text).toContain(
      'Last requests POST http://192.0.2.1:851 , HTTP 200, 0 s ago XDPoS_getV2BlockByNumber["latest"] block 1000 admin_peers 3 peers Chain details, asked once a minute:',
    );
    expect(text).toContain('inspect service n1 of generated running, 0 restarts by its policy Secrets redacted.');
    const down = words(pageOf([diagnosedNode('n1', NAMES, { fault: REFUSED, container: STOPPED }), ...nodes.slice(1)]));
    expect(down).toContain('XDPoS_getV2BlockByNumber["latest"] failed: the connection was refused');
    expect(down).toContain('exited, exit code 137');
    expect(down).toContain('State exited, exit code 137');
    const fresh = pageOf(nodes, {}, (state) => ({
      ...state,
      checks: state.checks.map(({ lastRun: _, ...check }) => check),
    }));
    expect(words(fresh)).toContain('No requests yet');
  });

  test('says by which problem of another target it is affected, and shows that problem', () => {
    const apart = (name: string) => diagnosedNode(name, NAMES, { peers: NAMES.slice(1).filter((one) => one !== name) });
    const stopped = diagnosedNode('n1', NAMES, { fault: REFUSED, container: STOPPED });
    const text = words(pageOf([apart('n2'), stopped, apart('n3'), apart('n4')]));
    expect(text).toContain('n2 is affected');
    expect(text).toContain('n2 has 2 peers instead of 3, because the container of n1 does not run.');
    expect(text).toContain('No known problems Affected by');
    expect(text).toContain('docker start generated-n1-1');
    expect(words(pageOf([stopped, apart('n2'), apart('n3'), apart('n4')]))).not.toContain('affected by');
  });

  test('shows the last lines that matched with their times, and marks errors', () => {
    const lines = [
      { pattern: 'block', means: 'progress', at: NOW - 5_000, text: 'Imported new chain segment' },
      { pattern: 'bad', means: 'error', at: NOW - 1_000, text: 'dial http://[redacted]@10.0.0.1' },
    ] as const;
    const page = pageOf(nodes, { lines });
    expect(page).toContain(
      '03:04:04 Imported new chain segment\n<mark>03:04:08 dial http://[redacted]@10.0.0.1\n</mark>',
    );
    expect(pageOf(nodes)).not.toContain('Latest matching lines');
  });

  test('has bars of 24 hours for each check', () => {
    const page = pageOf(nodes, {
      checkHistoryOf: (check) => ({
        halfHours: check === 'peers' ? [...Array(46).fill('none'), 'part', 'down'] : Array(48).fill('none'),
        probes: [],
      }),
    });
    expect(page).toContain('aria-label="peers, 24 hours: failed in 2 of 2 half-hours"');
    expect(page).toContain('aria-label="latest_block, 24 hours: no data"');
    expect(pageOf(nodes)).toContain('aria-label="peers, 24 hours: no failures"');
  });

  test('has a mark for each probe of a check, until an hour of it was watched', () => {
    const halfHours = (known: number) => [...Array(48 - known).fill('none'), ...Array(known).fill('part')];
    const ofKnown = (known: number) =>
      pageOf(nodes, { checkHistoryOf: () => ({ halfHours: halfHours(known), probes: ['down', 'up', 'up', 'up'] }) });
    expect(ofKnown(2)).toContain('aria-label="peers, last 4 probes: up 75.0 %"');
    expect(ofKnown(2)).toContain('<path class="down" d="M20.5 8v20"/>');
    expect(ofKnown(3)).toContain('aria-label="peers, 24 hours: failed in 3 of 3 half-hours"');
  });

  test('leads to the targets beside it in the inventory', () => {
    expect(words(pageOf(nodes))).toContain('Next: n2');
    expect(words(pageOf(nodes))).not.toContain('Previous:');
    const [, second] = stateOf(nodes).targets;
    const page = pageOf(nodes, second && { target: second });
    expect(words(page)).toMatch(/Previous: n1 Next: n3/);
    expect(page).toContain('<a href="/targets/devnet/n3">n3</a>');
  });

  test('says the uptime of this hour and of 7 days beside the bars', () => {
    const up = (ok: number, fail: number) => ({ ok, fail, unseen: 0, planned: 0 });
    const history = { hours: [up(1, 9), up(3, 1)], days: [...Array(23).fill(up(0, 9)), ...Array(7).fill(up(9, 1))] };
    expect(words(pageOf(nodes, { history }))).toContain('This hour: 75.0 %, 7 days: 90.0 %.');
    expect(words(pageOf(nodes, { history, isPastRead: false }))).not.toContain('This hour');
  });

  test('leads to its dashboard in Grafana and its series in Prometheus, if their addresses are known', () => {
    expect(pageOf(nodes)).not.toMatch(/Grafana|Prometheus/);
    const outside = { grafanaUrl: 'http://g:3000/grafana', prometheusUrl: 'http://p:9090' };
    const [grafana = '', prometheus = ''] = [...pageOf(nodes, { outside }).matchAll(/href="(http[^"]*)"/g)].map(
      ([, url = '']) => url.replaceAll('&amp;', '&'),
    );
    expect(grafana).toBe('http://g:3000/grafana/d/subnetd-node?var-subnet=devnet&var-name=n1');
    expect(new URL(prometheus).pathname).toBe('/graph');
    expect(new URL(prometheus).searchParams.get('g0.expr')).toBe(
      'subnet_check_success{subnet="devnet",component="node",name="n1"}',
    );
    const relayer = pageOf([diagnosedService('relayer'), ...nodes], { outside });
    expect(relayer).toContain('/d/subnetd-services?var-subnet=devnet&amp;var-name=relayer');
    expect(relayer).not.toContain('subnet_node_block_number');
    expect(queriesOf({ ...n1.target, name: 'a"b\\' })[0]).toContain('name="a\\"b\\\\"');
  });

  test('has a button to probe now for those who may, and says what is missing for others', () => {
    const page = pageOf(nodes, { mayProbe: true });
    expect(page).toContain(
      '<form method="post" action="/targets/devnet/n1/probe"><button type="submit">Probe now</button></form>',
    );
    const other = pageOf(nodes);
    expect(other).not.toMatch(/<form|<button type="submit"/);
    expect(words(other)).toContain('To probe from here, define users in basic_auth_users of SUBNETD_WEB_CONFIG .');
  });

  test('shows whatever came from outside as text', () => {
    const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const names = [evil, 'n2', 'n3', 'n4'];
    const node = diagnosedNode(evil, names, {
      chain: { address: evil, nodeId: evil, genesis: evil, block: { number: 64, hash: evil } },
      container: { name: evil, status: evil, image: evil },
    });
    const target = {
      ...node.target,
      rpc: undefined,
      ipc: evil,
      subnet: evil,
      container: { project: evil, service: evil },
      logFiles: [{ path: evil, timezone: 'UTC' }],
    };
    const logs = {
      ...node.facts.logs,
      sources: node.facts.logs?.sources ?? {},
      patterns: { [evil]: { means: 'error', count: 1, at: NOW, order: 1, what: evil, own: true } },
    } as const;
    const observation = { answered: false, latest: { ok: false, fault: { kind: 'envelope', what: evil } } } as const;
    const facts = { ...node.facts, logs, node: { ...node.facts.node, observation } };
    const lines = [{ pattern: evil, means: 'error', at: NOW, text: evil }] as const;
    const outside = { grafanaUrl: `http://g/${evil}`, prometheusUrl: `http://p/${evil}` };
    const page = pageOf([{ target, facts }, ...nodes.slice(1)], { lines, outside, mayProbe: true });
    for (const part of ['no JSON-RPC: &quot;', '03:04:09 &quot;', 'unix:&quot;', '<dt>Image</dt><dd><code>&quot;'])
      expect(page).toContain(part);
    expect(page).not.toMatch(/<img|<script>/);
    expect(page.match(/<script/g)).toEqual(['<script', '<script']);
    expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(?:style|on\w+)=/);
  });
});
