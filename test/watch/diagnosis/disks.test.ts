import { expect, test } from 'vitest';
import type { DiskFacts, DiskReading } from '../../../src/model/disk.ts';
import type { StartedBy } from '../../../src/model/facts.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { foldContainer } from '../../../src/watch/rules/fold-container.ts';
import { foldDisks } from '../../../src/watch/rules/fold-subnet.ts';
import { containerOf, diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const GB = 1e9;
const HOUR = 3_600_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** A disk that was read for some hours, with what is free after each. */
function disksAfter(hours: number, freeAt: (hour: number) => number, over: Partial<DiskReading> = {}) {
  let disks: readonly DiskFacts[] = [];
  for (let minutes = 0; minutes <= hours * 60; minutes += 2) {
    const reading = {
      folder: '/srv/generated',
      targets: ['n2', 'n3'],
      total: 100 * GB,
      free: freeAt(minutes / 60),
      ...over,
    };
    disks = foldDisks(disks, { disks: [reading] }, NOW - hours * HOUR + minutes * 60_000);
  }
  return disks;
}

/** What is found with these disks. */
function find(disks: readonly DiskFacts[], logBytes?: number) {
  const nodes = NAMES.map((name) => {
    const node = diagnosedNode(name, NAMES);
    const { logs } = node.facts;
    return name === 'n3' && logs ? { ...node, facts: { ...node.facts, logs: { ...logs, fileBytes: logBytes } } } : node;
  }) as ReturnType<typeof diagnosedNode>[];
  const targets = nodes.map(({ target }) => target);
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
  const { problems } = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), NO_PROBLEMS, NOW, { facts: { disks } });
  return problems.map(({ problem, severity, name, summary, evidence, fix }) => ({
    problem,
    severity,
    name,
    summary,
    evidence,
    fix,
  }));
}

test('a disk that is full within a week is said once, with its pace, what is large and what to type', () => {
  const disks = disksAfter(6, (hour) => (76 - hour) * GB);
  expect(find(disks, 3.2 * GB)).toEqual([
    {
      problem: 'disk_filling',
      severity: 'warning',
      name: 'n2',
      summary: 'the disk of /srv/generated is full in 2d',
      evidence:
        '70.0 GB of 100.0 GB are free, and took 24.0 GB a day over the last 6h: at that pace it is full in 2d; the log files of n3 hold 3.2 GB',
      fix: 'free space on it, or make it larger; `du -xh --max-depth=2 /srv/generated | sort -h | tail` and `docker system df` show what grows',
    },
  ]);
  expect(find(disksAfter(6, (hour) => (100 - hour / 10) * GB))).toEqual([]);
  // An estimate moves: what has begun at seven days is over at eight.
  const slow = disksAfter(6, (hour) => (70 - hour * 0.38) * GB);
  expect([slow[0]?.level, disksAfter(6, (hour) => (68 - hour * 0.42) * GB)[0]?.level]).toEqual([undefined, 'filling']);
});

test('an hour before, and with next to nothing free, it is critical', () => {
  const soon = find(disksAfter(2, (hour) => (60 - hour * 25) * GB));
  expect(soon).toMatchObject([
    { problem: 'disk_full', severity: 'critical', summary: 'the disk of /srv/generated is full in 24m' },
  ]);
  expect(find(disksAfter(0.1, () => 0.99 * GB))).toMatchObject([
    {
      problem: 'disk_full',
      summary: 'the disk of /srv/generated is nearly full',
      evidence: '990 MB of 100.0 GB are free',
    },
  ]);
  expect(find(disksAfter(0.1, () => 1.01 * GB))).toEqual([]);
});

test('a disk on which nothing is free is full, not nearly full', () => {
  expect(find(disksAfter(0.1, () => 1e6))).toMatchObject([{ summary: 'the disk of /srv/generated is nearly full' }]);
  expect(find(disksAfter(0.1, () => 1e6 - 1))).toMatchObject([
    { problem: 'disk_full', summary: 'the disk of /srv/generated is full', evidence: '1 MB of 100.0 GB are free' },
  ]);
});

test('what a disk had free before somebody started its node again says nothing of now', () => {
  const found = (startedAt: number, lastRestartBy: StartedBy, freeAt: (hour: number) => number) => {
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES);
      const container = { ...containerOf(name, { startedAt }), lastRestartAt: startedAt, lastRestartBy };
      return name === 'n2' ? { ...node, facts: { ...node.facts, container } } : node;
    }) as ReturnType<typeof diagnosedNode>[];
    const targets = nodes.map(({ target }) => target);
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    const facts = { disks: disksAfter(2, freeAt) };
    const { problems } = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), NO_PROBLEMS, NOW, { facts });
    return problems.flatMap(({ problem, summary }) => (problem === 'disk_full' ? summary : []));
  };
  const full = () => 0;
  expect(found(NOW + 1, 'request', full)).toEqual([]);
  expect(found(NOW, 'request', full)).toEqual(['the disk of /srv/generated is full']);
  // A crash frees nothing, and a disk that only fills is not read again at once.
  expect(found(NOW + 1, 'policy', full)).toEqual(['the disk of /srv/generated is full']);
  expect(found(NOW + 1, 'request', (hour) => (60 - hour * 25) * GB)).toEqual([
    'the disk of /srv/generated is full in 24m',
  ]);
});

test('that of Docker or of subnetd itself is of the whole subnet', () => {
  const disks = disksAfter(6, (hour) => (76 - hour) * GB, { folder: '/var/lib/docker', targets: [] });
  expect(find(disks)).toMatchObject([
    { problem: 'disk_filling', name: undefined, summary: 'the disk of /var/lib/docker is full in 2d' },
  ]);
});

test('a container that reaches its memory limit within a day is said before it is near it', () => {
  const limit = 4 * GB;
  const grown = (perHour: number) => {
    let container = containerOf('n1');
    for (let minutes = 0; minutes <= 6 * 60; minutes += 2) {
      const memory = { memoryBytes: GB + (minutes / 60) * perHour * GB, memoryLimitBytes: limit };
      const { observation } = containerOf('n1', memory) ?? {};
      if (observation) container = foldContainer(container, observation, NOW - 6 * HOUR + minutes * 60_000);
    }
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES);
      return name === 'n1' ? { ...node, facts: { ...node.facts, container } } : node;
    }) as ReturnType<typeof diagnosedNode>[];
    const targets = nodes.map(({ target }) => target);
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    return diagnoseSubnet(subnet, judgeTargets(nodes, NOW), NO_PROBLEMS, NOW).problems;
  };
  expect(grown(0.2).map(({ problem, name, summary, evidence }) => [problem, name, summary, evidence])).toEqual([
    [
      'memory_filling',
      'n1',
      'the container of n1 reaches its memory limit in 9h',
      'it uses 2.2 GB of 4.0 GB, and took 4.8 GB a day over the last 6h: at that pace it is killed in 9h',
    ],
  ]);
  expect(grown(0.05)).toEqual([]);
});
