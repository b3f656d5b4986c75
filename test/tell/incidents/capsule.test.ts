import { describe, expect, it } from 'vitest';
import type { HistoryChange } from '../../../src/model/history.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { NO_INCIDENTS } from '../../../src/tell/incidents/follow-incidents.ts';
import { recordNotifications } from '../../../src/tell/incidents/record-notifications.ts';
import {
  boundCapsule,
  chooseLogs,
  MOST_BYTES,
  readLogs,
  takeCapsule,
} from '../../../src/tell/incidents/take-capsule.ts';
import { findTimeline } from '../../../src/tell/incidents/timeline.ts';
import { diagnosedNode, diagnosedService, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22, 3);
const words = { summary: 's', evidence: 'e', fix: 'f' };
const incident: Incident = {
  id: 'a',
  ...{ subnet: 'devnet', problem: 'container_down', component: 'node', name: 'n2', severity: 'warning' },
  ...{ alert: 'SubnetContainerDown', foundAt: START - 20_000, startedAt: START, returns: 0 },
  ...{ first: words, last: words, causes: [], effects: [], notified: [] },
};
const { component: _, name: __, ...ofSubnet } = incident;
const halt: Incident = { ...ofSubnet, id: 'b', problem: 'subnet_halted' };
const down: Given = { fault: { kind: 'refused', address: 'http://192.0.2.1:852' }, container: STOPPED };
const toWall = (at: number) => START + at - NOW;

const subnetOf = (count: number, gone: readonly string[]) => {
  const names = Array.from({ length: count }, (_, index) => `n${index + 1}`);
  const nodes = names.map((name) =>
    diagnosedNode(name, names, gone.includes(name) ? down : { peers: names.filter((one) => one !== name) }),
  );
  return stateOf([...nodes, diagnosedService('stats', { fault: { kind: 'refused', address: 'x' } })]);
};
const lineOf = (text: string) => ({ text, at: START });

describe('a capsule', () => {
  it('has what was known of each target, its container and its last answer, in wall time', () => {
    const { targets, quorum, reference, at, omitted } = takeCapsule(subnetOf(4, ['n2']), incident, START, toWall);
    expect({ quorum, reference, at, omitted }).toEqual({
      ...{ quorum: { total: 4, required: 3, voting: 3 }, reference: 1_000, at: START, omitted: 0 },
    });
    const [first] = targets;
    expect(first).toMatchObject({
      ...{ component: 'node', name: 'n2', vote: 'silent', height: 1_000, expectedPeers: 3 },
      container: { status: 'exited', exitCode: 137, restarts: 0, oomKills: 0, startedAt: START - 60 * MINUTE },
    });
    expect(first).not.toHaveProperty('peers');
    expect(first?.checks.find(({ check }) => check === 'latest_block')).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('because the container of n2'),
    });
    expect(targets.find(({ name }) => name === 'n1')).toMatchObject({
      vote: 'votes',
      peers: 3,
      container: { status: 'running' },
    });
  });

  it('has 50 targets at most: the subject, those with problems or failing checks, and then other nodes', () => {
    const { targets, omitted } = takeCapsule(subnetOf(80, ['n2', 'n70']), incident, START, toWall);
    expect(targets.slice(0, 3).map(({ name }) => name)).toEqual(['n2', 'n70', 'stats']);
    expect([targets.length, omitted]).toEqual([50, 31]);
    const later = takeCapsule(subnetOf(80, ['n2', 'n70']), { ...incident, name: 'n70' }, START, toWall);
    expect(later.targets.slice(0, 2).map(({ name }) => name)).toEqual(['n70', 'n2']);
  });

  it('has the log of the subject, of three nodes with problems for a halt, or of any node', async () => {
    const state = subnetOf(6, ['n2', 'n3', 'n4', 'n5']);
    const namesOf = (...given: Parameters<typeof chooseLogs>) => chooseLogs(...given).map(({ name }) => name);
    expect(namesOf(state, incident)).toEqual(['n2']);
    expect(namesOf(state, halt)).toEqual(['n2', 'n3', 'n4']);
    expect(namesOf(subnetOf(4, []), halt)).toEqual(['n1']);
    const logs = await readLogs(chooseLogs(state, halt), async ({ name }, count) =>
      name === 'n2'
        ? { ok: true, source: 'file', lines: [lineOf(`${count} lines`)] }
        : { ok: false, why: 'Docker does not answer' },
    );
    expect(logs).toEqual([
      { name: 'n2', lines: [lineOf('50 lines')] },
      { name: 'n3', lines: [], why: 'Docker does not answer' },
      { name: 'n4', lines: [], why: 'Docker does not answer' },
    ]);
  });

  it('has 64 KB at most: the oldest lines go first, then what the last targets answered, then these', () => {
    const sizeOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
    const capsule = takeCapsule(subnetOf(60, ['n2']), incident, START, toWall);
    const withLogs = (lines: number, characters: number) => ({
      ...capsule,
      logs: ['n1', 'n2', 'n3'].map((name) => ({
        name,
        lines: Array.from({ length: lines }, (_, index) => lineOf(`${index} ${'é'.repeat(characters)}`)),
      })),
    });
    const small = withLogs(2, 10);
    expect(boundCapsule(small)).toEqual(small);
    const bounded = boundCapsule(withLogs(50, 500));
    expect(sizeOf(bounded)).toBeLessThanOrEqual(MOST_BYTES);
    expect(sizeOf(bounded)).toBeGreaterThan(MOST_BYTES - 2_000);
    expect(bounded.targets).toEqual(capsule.targets);
    expect(bounded.logs.every(({ lines }) => lines.length > 0 && lines.at(-1)?.text.startsWith('49 '))).toBe(true);
    const half = boundCapsule(withLogs(50, 500), 20_000);
    expect(sizeOf(half)).toBeLessThanOrEqual(20_000);
    expect(half.targets[0]).toEqual(capsule.targets[0]);
    expect(half.targets.at(-1)?.exchanges).toEqual([]);
    expect(half.omitted + half.targets.length).toBe(61);
  });
});

describe('a timeline', () => {
  const change = (minute: number, over: Partial<HistoryChange> = {}): HistoryChange => ({
    ...{ at: START + minute * MINUTE, subnet: 'devnet', kind: 'check', what: 'peers', was: 'pass', is: 'fail' },
    ...{ reason: 'r', ...over },
  });
  const minutesOf = (changes: readonly HistoryChange[]) => changes.map(({ at }) => (at - START) / MINUTE);
  const ended: Incident = { ...incident, foundAt: START, endedAt: START + 30 * MINUTE };

  it('goes from ten minutes before the start to ten minutes after the end, of its subnet alone', () => {
    const all = [-11, -10, 0, 40, 40.1].map((minute) => change(minute));
    const others = [change(1, { subnet: 'other' })];
    const { changes, minutes } = findTimeline(ended, START + 99 * MINUTE, [...all, ...others], []);
    expect([minutesOf(changes), minutes]).toEqual([[-10, 0, 40], []]);
    // While it is open, it goes to now.
    const open = findTimeline(incident, START + 35 * MINUTE, all, []);
    expect(minutesOf(open.changes)).toEqual([-10, 0]);
  });

  it('has each thing once, and 300 changes at most: those around the start and the end', () => {
    expect(
      findTimeline(ended, START + 99 * MINUTE, [change(1), change(1), change(1, { is: 'pass' })], []).changes,
    ).toHaveLength(2);
    const many = Array.from({ length: 400 }, (_, index) => change(index / 20));
    const { changes } = findTimeline(ended, START + 99 * MINUTE, many.toReversed(), []);
    expect(changes).toHaveLength(300);
    expect([changes[0], changes[149], changes[150], changes.at(-1)]).toEqual([
      many[0],
      many[149],
      many[250],
      many[399],
    ]);
  });

  it('has each minute once, those of the first two hours', () => {
    const minutes = Array.from({ length: 300 }, (_, index) => ({ at: START + (index - 20) * MINUTE, blocks: index }));
    const long = { ...ended, endedAt: START + 500 * MINUTE };
    const found = findTimeline(long, START + 999 * MINUTE, [], [...minutes, ...minutes]).minutes;
    expect(found.map(({ at }) => (at - START) / MINUTE)).toEqual(Array.from({ length: 140 }, (_, index) => index - 11));
  });
});

describe('who was notified', () => {
  const labels = {
    alertname: 'SubnetContainerDown',
    severity: 'warning',
    subnet: 'devnet',
    component: 'node',
    name: 'n2',
  };
  const open = { ...NO_INCIDENTS, open: new Map([['k', incident]]) };
  const firing = { at: START, to: 'http://am', phase: 'firing' } as const;
  const resolved = { ...firing, at: START + 10 * MINUTE, phase: 'resolved' } as const;

  it('is noted once for each Alertmanager, at the start and at the end', () => {
    let followed = recordNotifications(open, [{ labels, ...firing }]);
    followed = recordNotifications(followed, [{ labels, ...firing, at: START + MINUTE }]);
    followed = recordNotifications(followed, [{ labels, ...firing, to: 'http://other' }]);
    expect(followed.open.get('k')?.notified).toEqual([firing, { ...firing, to: 'http://other' }]);
    const ended = { ...(followed.open.get('k') ?? incident), endedAt: START + 9 * MINUTE };
    const over = { ...NO_INCIDENTS, ended: new Map([['k', ended]]) };
    expect(recordNotifications(over, [{ labels, ...resolved }]).ended.get('k')?.notified).toEqual([
      ...ended.notified,
      resolved,
    ]);
    // This one was never notified, or the incident is long over.
    expect(recordNotifications(over, [{ labels, ...resolved, to: 'http://third' }]).ended.get('k')).toBe(ended);
    expect(recordNotifications(over, [{ labels, ...resolved, at: START + 40 * MINUTE }]).ended.get('k')).toBe(ended);
  });

  it('of another alert, target or subnet does not belong to it', () => {
    for (const other of [{ alertname: 'SubnetNodeDown' }, { name: 'n3' }, { subnet: 'x' }, { component: 'stats' }])
      expect(recordNotifications(open, [{ labels: { ...labels, ...other }, ...firing }]).open.get('k')).toBe(incident);
    const { component: ___, name: ____, ...whole } = labels;
    const halted = { ...NO_INCIDENTS, open: new Map([['h', { ...halt, alert: 'SubnetContainerDown' }]]) };
    expect(recordNotifications(halted, [{ labels: whole, ...firing }]).open.get('h')?.notified).toEqual([firing]);
    const two = [
      { labels, ...firing },
      { labels, ...firing, at: START + MINUTE },
      { labels: whole, ...firing },
    ];
    const both = recordNotifications({ ...open, open: new Map([...open.open, ...halted.open]) }, two);
    expect([...both.open.values()].map(({ notified }) => notified)).toEqual([[firing], [firing]]);
    expect(recordNotifications(both, two)).toBe(both);
  });
});
