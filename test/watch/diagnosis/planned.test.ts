import { describe, expect, it } from 'vitest';
import { findInForce, type PlannedWork } from '../../../src/model/planned-work.ts';
import { indexProblems, type Problem, type ProblemIndex } from '../../../src/model/problem.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { markPlanned } from '../../../src/watch/diagnosis/follow-problems.ts';
import { diagnosedNode, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { settings } from '../../support/views.ts';

const at = (time: string): number => Date.parse(`2026-12-01T${time}Z`);

const work = (over: Partial<PlannedWork> = {}): PlannedWork => ({
  ...{ subnet: 'devnet', from: at('22:00'), until: at('23:00'), reason: 'kernel upgrade', by: 'ann' },
  ...over,
});

const problem = (over: Partial<Problem> = {}): Problem => ({
  ...{ problem: 'node_down', component: 'node', name: 'n1', summary: 's', evidence: 'e', fix: 'f' },
  ...{ explains: [], causes: [], state: 'open', since: 0, seenAt: 0 },
  ...problemCatalog[over.problem ?? 'node_down'],
  ...over,
});
const whole = (over: Partial<Problem>): Problem => problem({ component: undefined, name: undefined, ...over });

/** What a problem that has just been found is marked with. */
const plannedOf = (one: Problem, ...works: readonly PlannedWork[]) =>
  markPlanned([one], indexProblems<Problem>([]), works)[0]?.planned;

describe('planned work', () => {
  it('is in force from its beginning, until its end, in its subnet', () => {
    const inForce = (time: string, subnet = 'devnet') => findInForce([work()], subnet, at(time)).length;
    expect([inForce('21:59:59.999'), inForce('22:00'), inForce('22:59:59.999'), inForce('23:00')]).toEqual([
      0, 1, 1, 0,
    ]);
    expect(inForce('22:30', 'other')).toBe(0);
  });

  it('of a subnet covers all that is wrong there, of a component or a name only that', () => {
    const relayer = problem({ problem: 'service_down', component: 'relayer', name: 'relayer' });
    const halted = whole({ problem: 'subnet_halted' });
    const covered = (over: Partial<PlannedWork>) =>
      [problem(), problem({ name: 'n2' }), relayer, halted].map((one) => plannedOf(one, work(over)) !== undefined);
    expect(covered({})).toEqual([true, true, true, true]);
    expect(covered({ component: 'node' })).toEqual([true, true, false, false]);
    expect(covered({ name: 'n1' })).toEqual([true, false, false, false]);
    expect(covered({ component: 'relayer', name: 'n1' })).toEqual([false, false, false, false]);
  });

  it('on every node that is missing covers the risk for the quorum, and with one node more it does not', () => {
    const risk = (...nodes: readonly string[]) => whole({ problem: 'quorum_at_risk', nodes });
    const [n1, n2] = [work({ name: 'n1' }), work({ name: 'n2', until: at('22:30'), reason: 'disk' })];
    expect(plannedOf(risk('n1'), n1)).toMatchObject({ reason: 'kernel upgrade', until: at('23:00') });
    expect(plannedOf(risk('n1', 'n2'), n1)).toBeUndefined();
    expect(plannedOf(risk('n1', 'n2'), n1, n2)).toMatchObject({ reason: 'disk', until: at('22:30') });
    expect(plannedOf(whole({ problem: 'quorum_at_risk' }), n1)).toBeUndefined();
  });

  it('that overlaps with other work ends with the last', () => {
    const [long, short] = [work({ until: at('23:30'), reason: 'long' }), work({ reason: 'short' })];
    expect(plannedOf(problem(), long, short)).toEqual({
      ...{ reason: 'long', until: at('23:30'), by: 'ann' },
      mutes: true,
    });
    expect(plannedOf(problem(), short, long)?.reason).toBe('long');
  });
});

/** The planned work of a problem in these states, one diagnosis after the other. */
function follow(steps: readonly (readonly [Problem['state'], 'work' | 'none'])[]) {
  let before: ProblemIndex<Problem> = indexProblems<Problem>([]);
  return steps.map(([state, isWork]) => {
    // What is found again is a new value, and what clears is the old one.
    const known = state === 'clearing' ? before.values : [];
    const next = problem({ ...known[0], state });
    const marked = markPlanned([next], before, isWork === 'work' ? [work()] : []);
    before = indexProblems(marked);
    const planned = marked[0]?.planned;
    return planned === undefined ? 'as usual' : planned.mutes ? 'muted' : 'planned';
  });
}

describe('a problem', () => {
  it('that opens during the work is muted until the work ends', () => {
    expect(
      follow([
        ['suspected', 'work'],
        ['open', 'work'],
        ['clearing', 'work'],
        ['open', 'work'],
        ['open', 'none'],
      ]),
    ).toEqual(['muted', 'muted', 'muted', 'muted', 'as usual']);
  });

  it('that was open before is planned, but not muted; one that was only suspected is', () => {
    expect(
      follow([
        ['open', 'none'],
        ['open', 'work'],
        ['open', 'work'],
        ['open', 'none'],
      ]),
    ).toEqual(['as usual', 'planned', 'planned', 'as usual']);
    expect(
      follow([
        ['suspected', 'none'],
        ['open', 'work'],
      ]),
    ).toEqual(['as usual', 'muted']);
    expect(
      follow([
        ['open', 'none'],
        ['open', 'work'],
        ['clearing', 'none'],
      ]),
    ).toEqual(['as usual', 'planned', 'as usual']);
  });

  it('that is fixed when the work ends stays muted, until it is found again', () => {
    expect(
      follow([
        ['open', 'work'],
        ['clearing', 'work'],
        ['clearing', 'none'],
        ['clearing', 'none'],
        ['open', 'none'],
      ]),
    ).toEqual(['muted', 'muted', 'muted', 'muted', 'as usual']);
  });
});

describe('a diagnosis', () => {
  const NAMES = ['n1', 'n2', 'n3', 'n4'];
  const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;
  const diagnoseWith = (gone: readonly string[], plannedWork: readonly PlannedWork[]) => {
    const targets = NAMES.map((name) => diagnosedNode(name, NAMES, gone.includes(name) ? down : {}));
    const subnet = { name: 'devnet', consensus: 'XDPoS', targets: targets.map(({ target }) => target), settings };
    let diagnosis = diagnoseSubnet(subnet, judgeTargets(targets, NOW), NO_PROBLEMS, NOW - 30_000, { plannedWork });
    diagnosis = diagnoseSubnet(subnet, judgeTargets(targets, NOW), diagnosis, NOW, { plannedWork });
    const problems = diagnosis.problems.map(
      ({ problem, name, state, planned }) => `${state} ${problem} ${name ?? 'devnet'}${planned ? ' planned' : ''}`,
    );
    return { problems, headline: diagnosis.headline };
  };

  it('marks what work on a node brings, and says in the headline until when it is planned', () => {
    const { problems, headline } = diagnoseWith(['n2'], [work({ name: 'n2' })]);
    expect(problems).toEqual(['open quorum_at_risk devnet planned', 'open container_down n2 planned']);
    expect(headline).toMatchObject({
      sentence: 'devnet is running, but no further node may fail, planned until 2026-12-01 23:00 UTC: kernel upgrade',
      detail: 'The container of n2 does not run.',
    });
  });

  it('puts what is not planned first', () => {
    const { problems, headline } = diagnoseWith(['n2', 'n3'], [work({ name: 'n2' })]);
    expect(problems.filter((one) => !one.includes('planned'))).toEqual(
      expect.arrayContaining([expect.stringContaining(' n3')]),
    );
    expect(headline?.sentence).not.toContain('planned');
  });

  it('names the work while all is well', () => {
    expect(diagnoseWith([], [work({ name: 'n2' }), work({ component: 'relayer' }), work()]).headline).toMatchObject({
      sentence: 'devnet is healthy: it can lose 1 more node',
      detail:
        '4 of 4 masternodes can vote, 3 needed. ' +
        'Work on n2 is planned until 2026-12-01 23:00 UTC: kernel upgrade. ' +
        'Work on relayer is planned until 2026-12-01 23:00 UTC: kernel upgrade. ' +
        'Work on the subnet is planned until 2026-12-01 23:00 UTC: kernel upgrade.',
    });
  });
});
