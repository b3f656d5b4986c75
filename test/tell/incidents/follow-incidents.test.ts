import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../src/model/incident.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { Snapshot, SubnetState, TargetState } from '../../../src/model/snapshot.ts';
import {
  type FollowedIncidents,
  followIncidents,
  isNews,
  NO_INCIDENTS,
  restoreIncidents,
  toIncidentId,
} from '../../../src/tell/incidents/follow-incidents.ts';
import { convertIncident, toRestoredProblem } from '../../../src/tell/incidents/stored-incidents.ts';
import { diagnosedNode } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const well: SubnetState = { ...stateOf(NAMES.map((name) => diagnosedNode(name, NAMES))), problems: [] };
/** When watched time is 0. */
const DAY = Date.UTC(2026, 10, 22);

/** The container of a node is down, found 20 s before it is confirmed. */
const down = (openedAt: number, over: Partial<Problem> = {}): Problem => ({
  ...{ problem: 'container_down', component: 'node', name: 'n2', severity: 'warning', alert: 'SubnetContainerDown' },
  ...{ summary: 'the container of n2 is down', evidence: 'it exited with 137', fix: 'start it' },
  ...{ explains: [], causes: [], state: 'open', since: openedAt - 20 * SECOND, seenAt: openedAt, openedAt },
  ...over,
});
const halt = (openedAt: number, over: Partial<Problem> = {}): Problem => {
  const { component: _, name: __, ...rest } = down(openedAt);
  return {
    ...{ ...rest, problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', since: openedAt },
    ...{ summary: 'the subnet is halted', ...over },
  };
};
const withProblems = (...problems: readonly Problem[]): Snapshot => [{ ...well, problems }];

type Step = readonly [at: number, snapshot: Snapshot];

/**
 * Folds snapshots, each at its time in watched milliseconds. The wall clock is ahead by `ahead`. What is known of the snapshot
 * before saves work, and changes nothing.
 */
function run(
  steps: readonly Step[],
  start: FollowedIncidents = NO_INCIDENTS,
  ahead: (at: number) => number = () => DAY,
) {
  let followed = start;
  let earlier: Snapshot = [];
  for (const [now, snapshot] of steps) {
    const moment = { now, toWall: (at: number) => at + ahead(now) };
    const next = followIncidents(followed, snapshot, moment, earlier);
    const compared = ({ open, ended }: FollowedIncidents) => [new Set(open), new Set(ended)];
    expect(compared(next)).toEqual(compared(followIncidents(followed, snapshot, moment)));
    followed = next;
    earlier = snapshot;
  }
  const all = [...followed.open.values(), ...followed.ended.values()];
  return { ...followed, all, only: all[0] as Incident };
}

it('an incident that a graver problem hides goes on until that is over, and ends then if it is not found', () => {
  const risk = halt(MINUTE, { problem: 'quorum_at_risk', alert: 'SubnetQuorumAtRisk' });
  const hiding = halt(2 * MINUTE, { causes: [{ problem: 'quorum_at_risk' }] });
  const steps: readonly Step[] = [
    [MINUTE, withProblems(risk)],
    [2 * MINUTE, withProblems(hiding)],
  ];
  const during = run(steps);
  expect([...during.open.values()].map(({ problem }) => problem).toSorted()).toEqual([
    'quorum_at_risk',
    'subnet_halted',
  ]);
  // What is not found by itself while its cover clears is over, so that nobody reads it after a restart of subnetd.
  const clearing = halt(2 * MINUTE, { ...hiding, state: 'clearing', clearingSince: 3 * MINUTE });
  const openAt = (at: number, ...more: readonly Problem[]) =>
    [...run([...steps, [at, withProblems(clearing, ...more)]]).open.values()].map(({ problem }) => problem).toSorted();
  expect(openAt(4 * MINUTE - 1)).toEqual(['quorum_at_risk', 'subnet_halted']);
  expect(openAt(4 * MINUTE)).toEqual(['subnet_halted']);
  expect(openAt(4 * MINUTE, { ...risk, state: 'suspected' })).toEqual(['quorum_at_risk', 'subnet_halted']);
  const back = run([...steps, [3 * MINUTE, withProblems(risk)]]);
  expect([...back.open.values()]).toMatchObject([{ problem: 'quorum_at_risk', startedAt: MINUTE, returns: 0 }]);
  const over = run([...steps, [3 * MINUTE, withProblems()]]);
  expect([...over.ended.values()].map(({ problem, endedAt }) => [problem, endedAt])).toContainEqual([
    'quorum_at_risk',
    3 * MINUTE,
  ]);
});

it('an incident that a graver problem hides says since when, and what hides it, until it is found by itself or over', () => {
  const risk = halt(MINUTE, { problem: 'quorum_at_risk', alert: 'SubnetQuorumAtRisk' });
  const hiding = halt(2 * MINUTE, { causes: [{ problem: 'quorum_at_risk' }] });
  const steps: readonly Step[] = [
    [MINUTE, withProblems(risk)],
    [2 * MINUTE, withProblems(hiding)],
  ];
  const riskOf = ({ all }: ReturnType<typeof run>) => all.find(({ problem }) => problem === 'quorum_at_risk');
  const covered = { since: 2 * MINUTE, by: 'the subnet is halted' };
  expect(riskOf(run(steps))?.covered).toEqual(covered);
  const clearing = halt(2 * MINUTE, { ...hiding, state: 'clearing', clearingSince: 3 * MINUTE });
  const later: readonly Step[] = [...steps, [3 * MINUTE, withProblems(clearing)]];
  expect(riskOf(run(later))?.covered).toEqual(covered);
  expect(riskOf(run([...later, [4 * MINUTE, withProblems(clearing)]]))).toMatchObject({
    covered,
    endedAt: 4 * MINUTE,
  });
  expect(riskOf(run([...steps, [3 * MINUTE, withProblems(risk)]]))).not.toHaveProperty('covered');
  // One that has begun since is another.
  const anew = run([...steps, [4 * MINUTE, withProblems({ ...risk, since: 3 * MINUTE, openedAt: 4 * MINUTE })]]);
  expect(anew.all.filter(({ problem }) => problem === 'quorum_at_risk')).toMatchObject([
    { foundAt: 3 * MINUTE },
    { covered, end: 'recovered' },
  ]);
  // After a restart of subnetd it is there for a moment, before the halt is found again.
  const restored = withProblems({ ...hiding, restoredAt: 3 * MINUTE }, { ...risk, restoredAt: 3 * MINUTE });
  expect(riskOf(run([...steps, [3 * MINUTE, restored], [4 * MINUTE, withProblems(hiding)]]))?.covered).toEqual(covered);
  const wall = convertIncident(riskOf(run(steps)) as Incident, (at) => at + DAY);
  expect(wall.covered).toEqual({ ...covered, since: DAY + 2 * MINUTE });
});

it('an incident that had begun to clear is over when something graver hides it, and what comes after that is another', () => {
  const risk = halt(MINUTE, { problem: 'quorum_at_risk', alert: 'SubnetQuorumAtRisk' });
  const hiding = halt(3 * MINUTE, { causes: [{ problem: 'quorum_at_risk' }] });
  const steps: readonly Step[] = [
    [MINUTE, withProblems(risk)],
    [2 * MINUTE, withProblems({ ...risk, state: 'clearing', clearingSince: 2 * MINUTE })],
    [3 * MINUTE, withProblems(hiding)],
  ];
  const during = run(steps);
  expect([...during.open.values()].map(({ problem }) => problem)).toEqual(['subnet_halted']);
  expect([...during.ended.values()]).toMatchObject([{ problem: 'quorum_at_risk', clearSince: 2 * MINUTE }]);
  const after = run([...steps, [6 * MINUTE, withProblems(halt(6 * MINUTE, { ...risk, openedAt: 6 * MINUTE }))]]);
  const [first] = during.ended.values();
  expect([...after.open.values()]).toMatchObject([
    { problem: 'quorum_at_risk', startedAt: 6 * MINUTE, returns: 0, earlier: first?.id },
  ]);
});

describe('an incident', () => {
  it('that begins during planned work keeps what was announced, and one from before does not', () => {
    const planned = { reason: 'upgrade', until: DAY + 60 * MINUTE, by: 'ann' };
    const during = down(MINUTE, { planned: { ...planned, mutes: true } });
    expect(run([[MINUTE, withProblems(during)]]).only.planned).toEqual(planned);
    const after: readonly Step[] = [
      [MINUTE, withProblems(during)],
      [61 * MINUTE, withProblems(down(MINUTE))],
    ];
    expect(run(after).only.planned).toEqual(planned);
    const before = down(MINUTE, { planned: { ...planned, mutes: false } });
    expect(run([[MINUTE, withProblems(before)]]).only).not.toHaveProperty('planned');
  });

  it('begins when its problem is open, and keeps the first and the last words and the worst severity', () => {
    const suspected = down(MINUTE, { state: 'suspected' });
    expect(run([[MINUTE, withProblems(suspected)]]).all).toEqual([]);
    const begun = run([[MINUTE, withProblems(down(MINUTE))]]);
    expect(begun.all).toEqual([
      {
        id: toIncidentId('devnet container_down node n2', DAY + MINUTE),
        subnet: 'devnet',
        problem: 'container_down',
        component: 'node',
        name: 'n2',
        severity: 'warning',
        alert: 'SubnetContainerDown',
        foundAt: 40 * SECOND,
        startedAt: MINUTE,
        first: { summary: 'the container of n2 is down', evidence: 'it exited with 137', fix: 'start it' },
        last: {
          summary: 'the container of n2 is down',
          evidence: 'it exited with 137',
          fix: 'start it',
          readAt: MINUTE,
          since: 40 * SECOND,
        },
        returns: 0,
        causes: [],
        effects: [],
        notified: [],
      },
    ]);
    expect(begun.only.id).toMatch(/^20261122-000100-[0-9a-f]{8}$/);
    const later = run(
      [
        [2 * MINUTE, withProblems(down(MINUTE, { evidence: 'it is paused', severity: 'critical' }))],
        [3 * MINUTE, withProblems(down(MINUTE, { evidence: 'it is dead' }))],
      ],
      begun,
    );
    expect(later.only).toMatchObject({ id: begun.only.id, severity: 'critical', startedAt: MINUTE });
    expect([later.only.first.evidence, later.only.last.evidence]).toEqual(['it exited with 137', 'it is dead']);
  });

  it('is the same value as long as nothing changes', () => {
    const begun = run([[MINUTE, withProblems(down(MINUTE))]]);
    expect(run([[2 * MINUTE, withProblems(down(MINUTE, { seenAt: 2 * MINUTE }))]], begun).only).toBe(begun.only);
  });

  it('is not looked at while its subnet is as it was, whatever happens to others', () => {
    const called = (name: string, ...problems: readonly Problem[]): SubnetState => ({
      ...well,
      subnet: { ...well.subnet, name },
      problems,
    });
    const [east, west] = [called('east', down(MINUTE), halt(MINUTE)), called('west', down(MINUTE))];
    const moment = { now: 2 * MINUTE, toWall: (at: number) => at + DAY };
    const begun = run([[MINUTE, [east, west]]]);
    const next = (snapshot: Snapshot, earlier: Snapshot) => followIncidents(begun, snapshot, moment, earlier);
    expect(next([east, west], [east, west])).toBe(begun);
    const same = [...begun.open].filter(([, { subnet }]) => subnet === 'east');
    expect(same).toHaveLength(2);
    for (const others of [[{ ...west, problems: [] }], [called('north', down(2 * MINUTE))], []]) {
      const { open, ended } = next([east, ...others], [east, west]);
      for (const [key, incident] of same) expect(open.get(key)).toBe(incident);
      expect([...ended.values()].map(({ subnet, end }) => `${subnet} ${end}`)).toEqual([
        others[0]?.subnet.name === 'west' ? 'west recovered' : 'west removed',
      ]);
    }
    // A reload may have removed targets.
    const without = { ...east, subnet: { ...east.subnet }, targets: east.targets.slice(0, 1) };
    expect([...next([without, west], [east, west]).ended.values()].map(({ end }) => end)).toEqual(['removed']);
    expect(next([], []).open.size).toBe(0);
  });

  it('says since when it is not found any more, and ends when the problem is gone', () => {
    const open: Step = [MINUTE, withProblems(down(MINUTE))];
    const clearing = withProblems(down(MINUTE, { state: 'clearing', clearingSince: 4 * MINUTE }));
    expect(run([open, [4 * MINUTE, clearing]]).only).toMatchObject({ clearSince: 4 * MINUTE });
    const again = run([open, [4 * MINUTE, clearing], [5 * MINUTE, withProblems(down(MINUTE))]]);
    expect(again.only.clearSince).toBeUndefined();
    const ended = run([open, [4 * MINUTE, clearing], [6 * MINUTE, withProblems()]]);
    expect(ended.open.size).toBe(0);
    expect(ended.only).toMatchObject({ clearSince: 4 * MINUTE, endedAt: 6 * MINUTE, end: 'recovered' });
  });

  it('ends when its problem opens again of another cause while it clears, as with other nodes', () => {
    const risk = (openedAt: number, over: Partial<Problem> = {}) =>
      halt(openedAt, { problem: 'quorum_at_risk', ...over });
    const { open, all } = run([
      [MINUTE, withProblems(risk(MINUTE, { about: 'n1' }))],
      [4 * MINUTE, withProblems(risk(MINUTE, { about: 'n1, n2', state: 'clearing', clearingSince: 4 * MINUTE }))],
      [5 * MINUTE, withProblems(risk(5 * MINUTE, { about: 'n3', since: 4.5 * MINUTE, evidence: 'n3 is down' }))],
    ]);
    expect(open.size).toBe(1);
    expect(all.map(({ startedAt, endedAt, returns }) => ({ startedAt, endedAt, returns }))).toEqual([
      { startedAt: 5 * MINUTE, endedAt: undefined, returns: 0 },
      { startedAt: MINUTE, endedAt: 5 * MINUTE, returns: 0 },
    ]);
    const [second, first] = all;
    expect(first).toMatchObject({ about: 'n1, n2' });
    expect(second).toMatchObject({ earlier: first?.id, foundAt: 4.5 * MINUTE, first: { evidence: 'n3 is down' } });
    // After a restart of subnetd it has the times of what stands now.
    const restored = second && toRestoredProblem(second, { now: 6 * MINUTE, toWall: Number });
    expect(restored).toMatchObject({ about: 'n3', since: 4.5 * MINUTE, openedAt: 5 * MINUTE });
  });

  it('that is a halt after a block is another one, whether the one before is over or not', () => {
    const halted = (block: string, openedAt: number, over: Partial<Problem> = {}) =>
      withProblems(halt(openedAt, { about: block, ...over }));
    const begun: readonly Step[] = [
      [MINUTE, halted('263', MINUTE)],
      [2 * MINUTE, halted('263', MINUTE, { state: 'clearing', clearingSince: 2 * MINUTE })],
    ];
    const timesOf = (...steps: readonly Step[]) =>
      run([...begun, ...steps]).all.map(({ startedAt, endedAt, returns }) => [startedAt, endedAt, returns]);
    const first = [MINUTE, 3 * MINUTE, 0];
    const second = [3.5 * MINUTE, undefined, 0];
    expect(timesOf([3 * MINUTE, withProblems()], [3.5 * MINUTE, halted('272', 3.5 * MINUTE)])).toEqual([second, first]);
    expect(timesOf([3 * MINUTE, halted('272', 3 * MINUTE)])).toEqual([[3 * MINUTE, undefined, 0], first]);
    // Without a block it goes on.
    expect(timesOf([3 * MINUTE, withProblems()], [3.5 * MINUTE, halted('263', MINUTE)])).toEqual([
      [MINUTE, undefined, 1],
    ]);
  });

  it('goes on when its problem returns within the reopen window, two minutes for a container', () => {
    const steps: readonly Step[] = [
      [MINUTE, withProblems(down(MINUTE))],
      [5 * MINUTE, withProblems()],
    ];
    const first = run(steps);
    const at = 7 * MINUTE - 1;
    const returned = run([...steps, [at, withProblems(down(at))]]);
    expect(returned.all).toHaveLength(1);
    expect(returned.only).toMatchObject({ id: first.only.id, startedAt: MINUTE, returns: 1 });
    expect([returned.only.endedAt, returned.only.end]).toEqual([undefined, undefined]);
  });

  it('is a new one when its problem has begun anew since it was seen to be over, whether it has ended or not', () => {
    const begun: readonly Step[] = [
      [MINUTE, withProblems(down(MINUTE))],
      [2 * MINUTE, withProblems(down(MINUTE, { state: 'clearing', clearingSince: 2 * MINUTE }))],
    ];
    const again = (openedAt: number, since: number): Step => [openedAt, withProblems(down(openedAt, { since }))];
    const timesOf = (...steps: readonly Step[]) =>
      run([...begun, ...steps]).all.map(({ foundAt, endedAt }) => [foundAt, endedAt]);
    const first = [40 * SECOND, 3 * MINUTE];
    expect(timesOf(again(3 * MINUTE, 2 * MINUTE + 1))).toEqual([[2 * MINUTE + 1, undefined], first]);
    expect(timesOf(again(3 * MINUTE, 40 * SECOND))).toEqual([[40 * SECOND, undefined]]);
    const ended: Step = [3 * MINUTE, withProblems()];
    expect(timesOf(ended, again(4 * MINUTE, 3.5 * MINUTE))).toEqual([[3.5 * MINUTE, undefined], first]);
    expect(timesOf(ended, again(4 * MINUTE, 40 * SECOND))).toEqual([[40 * SECOND, undefined]]);
  });

  it('is a new one when it is over and some of its nodes bring it again', () => {
    const crash = (openedAt: number, about: string) => withProblems(halt(openedAt, { about }));
    const { all } = run([
      [MINUTE, crash(MINUTE, 'n1, n2, n3, n4')],
      [4 * MINUTE, withProblems()],
      [5 * MINUTE, crash(5 * MINUTE, 'n1, n2')],
    ]);
    expect(all.map(({ about, returns }) => [about, returns])).toEqual([
      ['n1, n2', 0],
      ['n1, n2, n3, n4', 0],
    ]);
  });

  it('is a new one, with a link to the earlier, when its problem returns after that', () => {
    const at = 7 * MINUTE;
    const first = run([
      [MINUTE, withProblems(down(MINUTE))],
      [5 * MINUTE, withProblems()],
    ]);
    const second = run([[at, withProblems(down(at))]], first);
    expect(second.only).toMatchObject({ startedAt: at, earlier: first.only.id, returns: 0 });
    expect(second.only.id).not.toBe(first.only.id);
  });

  it('of a problem that is suspected afresh is over until that is confirmed', () => {
    const ended = run([
      [MINUTE, withProblems(down(MINUTE))],
      [2 * MINUTE, withProblems(down(2 * MINUTE, { state: 'suspected' }))],
    ]);
    expect(ended.only).toMatchObject({ endedAt: 2 * MINUTE, end: 'recovered' });
  });

  it('ends with the removal of its target or subnet, also before the next diagnosis says so', () => {
    const open: Step = [MINUTE, withProblems(down(MINUTE))];
    const without = { ...well, targets: well.targets.filter(({ target }) => target.name !== 'n2') };
    for (const snapshot of [[], [without], [{ ...without, problems: [down(MINUTE)] }]])
      expect(run([open, [2 * MINUTE, snapshot]]).only).toMatchObject({ endedAt: 2 * MINUTE, end: 'removed' });
  });

  it('keeps its times and its id when the clock is set, and two of them never share an id', () => {
    const hourBack = (at: number) => (at > MINUTE ? DAY - 60 * MINUTE : DAY);
    const begun = run([[MINUTE, withProblems(down(MINUTE))]], undefined, hourBack);
    const ended = run([[9 * MINUTE, withProblems()]], begun, hourBack);
    expect(ended.only).toMatchObject({ id: begun.only.id, startedAt: MINUTE, endedAt: 9 * MINUTE });
    const at = 61 * MINUTE;
    expect(toIncidentId('devnet container_down node n2', at + hourBack(at))).toBe(begun.only.id);
    const second = run([[at, withProblems(down(at))]], ended, hourBack);
    expect(second.only.id).toBe(toIncidentId('devnet container_down node n2', at + hourBack(at) + SECOND));
    expect(second.only.earlier).toBe(begun.only.id);
  });
});

describe('the links of incidents', () => {
  const ofNode = (list: readonly Incident[], name?: string) => list.find((one) => one.name === name) as Incident;

  it('lead from a halt to the nodes that brought it, and back', () => {
    const { all } = run([
      [MINUTE, withProblems(down(MINUTE))],
      [2 * MINUTE, withProblems(down(MINUTE), halt(2 * MINUTE))],
      [3 * MINUTE, withProblems(down(MINUTE), halt(2 * MINUTE), down(3 * MINUTE, { name: 'n3', since: 150_000 }))],
    ]);
    expect(ofNode(all).causes).toEqual([ofNode(all, 'n2').id, ofNode(all, 'n3').id]);
    expect(ofNode(all, 'n2').effects).toEqual([ofNode(all).id]);
    expect(ofNode(all, 'n3').effects).toEqual([ofNode(all).id]);
  });

  it('do not blame what began a minute after the halt, a service, or what is only context', () => {
    const late = down(5 * MINUTE, { name: 'n3', since: 2 * MINUTE + 60_001 });
    const info = down(MINUTE, { name: 'n4', severity: 'info' });
    const { all } = run([[5 * MINUTE, withProblems(halt(2 * MINUTE), late, info)]]);
    expect(ofNode(all).causes).toEqual([]);
    expect(ofNode(all, 'n3').effects).toEqual([]);
  });

  it('are twenty at most', () => {
    const names = Array.from({ length: 30 }, (_, index) => `x${index}`);
    const targets = names.map((name) => diagnosedNode(name, names));
    const problems = [...names.map((name) => down(MINUTE, { name })), halt(2 * MINUTE)];
    const { all } = run([[2 * MINUTE, [{ ...well, ...stateOf(targets), problems }]]]);
    expect(ofNode(all).causes).toHaveLength(20);
    expect(all.filter(({ effects }) => effects.length === 1)).toHaveLength(20);
  });

  it('are those that the diagnosis gives, between problems of one target too', () => {
    const behind = down(MINUTE, { problem: 'node_behind', alert: 'SubnetNodeBehind' });
    const cause = down(2 * MINUTE, { causes: [{ problem: 'node_behind', component: 'node', name: 'n2' }] });
    const { all } = run([[2 * MINUTE, withProblems(behind, cause)]]);
    const [one, other] = [all.find((each) => each.problem === 'node_behind'), all.find((each) => each.effects.length)];
    expect(one?.causes).toEqual([other?.id]);
    expect(other?.effects).toEqual([one?.id]);
  });
});

it('incidents that have ended are all known at first, and the newest 200 at the next change', () => {
  const names = Array.from({ length: 250 }, (_, index) => `x${index}`);
  const targets = names.map((name) => ({ target: { component: 'node', name } }) as TargetState);
  const follow = (before: FollowedIncidents, now: number, ...problems: readonly Problem[]) =>
    followIncidents(before, [{ ...well, targets, problems }], { now, toWall: (at) => at });
  const open = follow(NO_INCIDENTS, MINUTE, ...names.map((name) => down(MINUTE, { name })));
  const ended = follow(open, 4 * MINUTE);
  expect([open.open.size, ended.open.size, ended.ended.size]).toEqual([250, 0, 250]);
  const next = follow(ended, 5 * MINUTE, halt(5 * MINUTE));
  expect([...next.ended.values()].map(({ name }) => name)).toEqual(names.slice(50));
});

describe('incidents from before a restart', () => {
  const before = run([[MINUTE, withProblems(down(MINUTE))]]);
  const restored = restoreIncidents(NO_INCIDENTS, [...before.open.values()]);
  const at = (now: number) => ({ now, toWall: (time: number) => time + DAY });
  const evidence = `seen at 2026-11-22 00:01:00 UTC, before subnetd was started: ${down(MINUTE).evidence}`;

  it('are those of the problems that the diagnosis then has, as it was last seen', () => {
    const problem = toRestoredProblem(before.only, at(5 * SECOND));
    expect(problem).toEqual({ ...down(MINUTE), evidence, seenAt: 5 * SECOND, restoredAt: 5 * SECOND });
    // Its words and their time are kept for one more restart.
    expect(run([[6 * SECOND, withProblems(problem)]], restored).all).toEqual([before.only]);
    expect(run([[6 * SECOND, withProblems()]], restored).only).toMatchObject({ end: 'recovered', endedAt: MINUTE });
    expect(run([[6 * SECOND, []]], restored).only).toMatchObject({ end: 'removed', endedAt: MINUTE });
  });

  it('keep when they began and the moment from which a halt says to restart, by the clock of who reads them', () => {
    const { only } = run([[MINUTE, withProblems(halt(MINUTE, { restartAt: 90 * SECOND }))]]);
    const stored = convertIncident(only, (at) => at + DAY);
    const read = convertIncident(stored, (at) => at - DAY - MINUTE);
    const { restartAt, since } = toRestoredProblem(read, at(0));
    expect([restartAt, since]).toEqual([30 * SECOND, (only.last.since ?? 0) - MINUTE]);
  });

  it('that were clearing go on with it, and do not give their advice again', () => {
    const clearing = { ...before.only, clearSince: 3 * SECOND };
    expect(toRestoredProblem(clearing, at(5 * SECOND))).toEqual({
      ...down(MINUTE),
      ...{
        state: 'clearing',
        clearingSince: 3 * SECOND,
        fix: 'nothing to do about this: it is over unless it comes back',
        evidence,
      },
      ...{ seenAt: 3 * SECOND, restoredAt: 5 * SECOND },
    });
  });

  it('are written at once for all but their evidence, which changes with every second', () => {
    const { only } = before;
    const said = (over: Partial<Incident['last']>): Incident => ({ ...only, last: { ...only.last, ...over } });
    expect(isNews(undefined, only)).toBe(true);
    expect(isNews(only, said({ evidence: 'it exited with 1' }))).toBe(false);
    expect(isNews(only, said({ fix: 'bring back n3' }))).toBe(true);
    expect(isNews(only, said({ summary: 'the container of n3 is down' }))).toBe(true);
    expect(isNews(only, { ...only, clearSince: MINUTE })).toBe(true);
    expect(isNews(only, { ...only, severity: 'critical' })).toBe(true);
  });

  it('look for their targets once a subnet, however many they are', () => {
    let reads = 0;
    const names = Array.from({ length: 40 }, (_, index) => `x${index}`);
    const countRead = (name: string) => {
      reads += 1;
      return name;
    };
    const targets = names.map((name) => {
      const target = Object.defineProperty({ component: 'node' }, 'name', { get: () => countRead(name) });
      return { target } as TargetState;
    });
    const [state] = withProblems(...names.map((name) => down(MINUTE, { name })));
    const open = run([[MINUTE, [{ ...well, ...state, targets }]]]);
    reads = 0;
    const { all } = run([[4 * MINUTE, [{ ...well, targets }]]], open);
    expect(all.map(({ end }) => end)).toEqual(names.map(() => 'recovered'));
    // The test itself folds twice.
    expect(reads).toBe(2 * names.length);
  });

  it('are the same as what was found before the database answered', () => {
    const own = run([[2 * SECOND, withProblems(down(2 * SECOND, { evidence: 'it is dead' }))]]);
    const merged = restoreIncidents(own, [...before.open.values()]);
    expect([...merged.open.values()]).toEqual([{ ...before.only, last: own.only.last }]);
    const ended: Incident = { ...before.only, startedAt: -60 * MINUTE, endedAt: -50 * MINUTE, end: 'recovered' };
    expect([...restoreIncidents(own, [ended]).open.values()]).toEqual([{ ...own.only, earlier: ended.id }]);
    const soon: Incident = { ...ended, endedAt: -MINUTE };
    expect([...restoreIncidents(own, [soon]).open.values()]).toMatchObject([{ id: ended.id, returns: 1 }]);
  });
});
