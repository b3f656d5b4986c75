import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { type CheckState, formatReason } from '../../../src/model/verdict.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { type FakeNode, healthy, type Methods, startNode, startTcp } from '../../support/fake-node.ts';
import { useFolder } from '../../support/recordings.ts';

async function useNode(methods?: Methods): Promise<FakeNode> {
  const node = await startNode(methods);
  onTestFinished(node.stop);
  return node;
}

/** The address of a node that takes connections and answers nothing. */
async function useMute(): Promise<string> {
  const mute = await startTcp(() => {});
  onTestFinished(mute.stop);
  return mute.url;
}

/** A monitor of a subnet whose nodes have an address and a log file each. */
function useMonitor(folder: string, every = '100ms') {
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  onTestFinished(async () => {
    await monitor.stop();
    expect(bugs).toEqual([]);
  });
  const load = (nodes: Readonly<Record<string, string>>, timeout = '5s') => {
    const rows = Object.entries(nodes).map(
      ([name, rpc]) => `      - { name: ${name}, rpc: '${rpc}', logFiles: ['${join(folder, `${name}.log`)}'] }\n`,
    );
    const checks = `rpc: { schedule: 'every ${every}', timeout: ${timeout}, stallAfter: 1s }, logs: { schedule: 'every 100ms' }`;
    const parsed = parseInventory(`subnets:\n  - name: d\n    nodes:\n${rows.join('')}    checks: { ${checks} }\n`, {});
    if (!parsed.ok) throw new Error(parsed.errors.map(({ what }) => what).join());
    monitor.load(parsed.inventory);
  };
  const stateOf = (name: string) =>
    monitor.snapshot()[0]?.targets.find(({ target }) => target.name === name) ?? expect.fail(`no target ${name}`);
  const checkOf = (name: string, check: string): CheckState =>
    stateOf(name).checks.find((one) => one.check === check) ?? expect.fail(`no check ${check}`);
  return { load, stateOf, checkOf, isReady: monitor.isReady };
}

const modulesAsked = ({ requests }: FakeNode): number =>
  requests.filter((calls) => calls.some(({ method }) => method === 'rpc_modules')).length;

test('a node that comes or goes leaves a halted subnet failing, its counters, its connections and its logs as they were', async () => {
  const folder = useFolder();
  const alone = { ...healthy, admin_peers: () => [] };
  const [a, b, c] = await Promise.all([useNode(alone), useNode(alone), useNode(alone)]);
  const log = join(folder, 'a.log');
  await appendFile(log, '');
  const { load, stateOf, checkOf } = useMonitor(folder);
  load({ a: a.url, b: b.url });
  await eventually(() => expect(stateOf('a').facts.logs?.sources.file?.up).toBe(true));
  await appendFile(log, '########## BAD BLOCK #########\n');
  await eventually(() => {
    expect(checkOf('a', 'latest_block')).toMatchObject({ verdict: 'fail' });
    expect(checkOf('b', 'latest_block')).toMatchObject({ verdict: 'fail' });
    expect(checkOf('a', 'log_block')).toMatchObject({ verdict: 'fail' });
    expect(formatReason(checkOf('a', 'peers'))).toBe('a has 0 peers instead of 1, because a refuses a block');
  });
  const before = { latest: checkOf('a', 'latest_block'), log: checkOf('a', 'log_block') };
  const node = stateOf('a').facts.node?.latest;

  const reloads: readonly Readonly<Record<string, string>>[] = [
    { a: a.url, b: b.url, c: c.url },
    { a: a.url, b: b.url },
    { a: a.url, c: c.url },
  ];
  for (const nodes of reloads) {
    const { runs } = checkOf('a', 'latest_block');
    const asked = a.requests.length;
    load(nodes);
    const forgotten: CheckState[] = [];
    const expected = Object.keys(nodes).length - 1;
    // Nothing of it is forgotten for a moment either: each state between here and two more rounds is looked at.
    await eventually(
      () => {
        const [latest, logged] = [checkOf('a', 'latest_block'), checkOf('a', 'log_block')];
        const isKept = latest.verdict === 'fail' && logged.verdict === 'fail' && latest.runs >= runs;
        if (!isKept) forgotten.push(latest);
        expect(latest.runs).toBeGreaterThan(runs + 2);
        expect(a.requests.length).toBeGreaterThan(asked + 2);
        expect(formatReason(checkOf('a', 'peers'))).toContain(`0 peers instead of ${expected}`);
      },
      20_000,
      1,
    );
    expect(forgotten).toEqual([]);
    expect(checkOf('a', 'latest_block')).toMatchObject({ since: before.latest.since });
    expect(checkOf('a', 'latest_block').failures).toBeGreaterThan(before.latest.failures);
    expect(checkOf('a', 'log_block')).toMatchObject({ since: before.log.since });
    expect(stateOf('a').facts.node?.latest).toMatchObject({ advancedAt: node?.advancedAt });
    expect(stateOf('a').facts.logs?.sources.file).toMatchObject({ lines: 1 });
    expect(modulesAsked(a)).toBe(1);
  }
  expect(modulesAsked(b)).toBe(1);
  expect(modulesAsked(c)).toBe(2);
});

test('a target with another address loses the facts of its chain, and keeps those of its log', async () => {
  const folder = useFolder();
  const [a, b] = await Promise.all([useNode(), useNode()]);
  await appendFile(join(folder, 'a.log'), '');
  const { load, stateOf, checkOf } = useMonitor(folder);
  load({ a: a.url });
  await eventually(() => expect(stateOf('a').facts.logs?.sources.file?.up).toBe(true));
  await appendFile(join(folder, 'a.log'), 'one line\n');
  await eventually(() => {
    expect(checkOf('a', 'latest_block')).toMatchObject({ verdict: 'fail' });
    expect(stateOf('a').facts.logs?.sources.file?.lines).toBe(1);
  });
  const { runs } = checkOf('a', 'log_block');
  load({ a: b.url });
  expect(checkOf('a', 'latest_block')).toMatchObject({ verdict: 'unknown', runs: 0, failures: 0 });
  expect(stateOf('a').facts.node).toBeUndefined();
  expect(checkOf('a', 'log_block').runs).toBe(runs);
  expect(stateOf('a').facts.logs?.sources.file?.lines).toBe(1);
  await eventually(() => expect(checkOf('a', 'latest_block')).toMatchObject({ verdict: 'pass' }));
  await eventually(() => expect(checkOf('a', 'log_block').runs).toBeGreaterThan(runs));
  expect(stateOf('a').facts.logs?.sources.file?.lines).toBe(1);
});

test('an inventory that is replaced before its first round has ended does not make the monitor ready', async () => {
  const { load, checkOf, isReady } = useMonitor(useFolder());
  const [first, second] = await Promise.all([useMute(), useMute()]);
  load({ a: first }, '300ms');
  load({ b: second }, '300ms');
  await eventually(() => expect(isReady()).toBe(true));
  expect(checkOf('b', 'latest_block')).toMatchObject({ verdict: 'fail', lastRun: expect.any(Number) });
});

const blocksAsked = ({ requests }: FakeNode): number =>
  requests.flat().filter(({ method, params }) => method === 'XDPoS_getV2BlockByNumber' && params[0] === 'latest')
    .length;

test('a reload that changes one of many nodes probes that node, and leaves all others and their schedule alone', async () => {
  const nodes = await Promise.all(Array.from({ length: 20 }, () => useNode()));
  const moved = await useNode();
  const { load, stateOf, checkOf, isReady } = useMonitor(useFolder(), '1h');
  const rpcs = Object.fromEntries(nodes.map(({ url }, i) => [`n${i}`, url]));
  const others = nodes.slice(1);
  load(rpcs);
  await eventually(() => expect(isReady()).toBe(true));
  const asked = others.map(blocksAsked);
  const facts = others.map((_, i) => stateOf(`n${i + 1}`).facts.node);
  const checks = others.map((_, i) => checkOf(`n${i + 1}`, 'latest_block').lastRun);

  load({ ...rpcs, n0: moved.url });
  expect(isReady()).toBe(true);
  expect(checkOf('n0', 'latest_block').verdict).toBe('unknown');
  await eventually(() => expect(checkOf('n0', 'latest_block').verdict).toBe('pass'));
  expect([blocksAsked(moved), others.map(blocksAsked)]).toEqual([1, asked]);
  for (const [i, fact] of facts.entries()) {
    expect(stateOf(`n${i + 1}`).facts.node).toBe(fact);
    expect(checkOf(`n${i + 1}`, 'latest_block').lastRun).toBe(checks[i]);
  }
});

test('a node that leaves while its round runs is not probed any more, and one that comes is probed by the same schedule', async () => {
  const mute = await useMute();
  const [a, b] = await Promise.all([useNode(), useNode()]);
  const { load, checkOf } = useMonitor(useFolder());
  load({ a: a.url, gone: mute });
  await eventually(() => expect(checkOf('a', 'latest_block').runs).toBeGreaterThan(1));
  load({ a: a.url, b: b.url });
  await eventually(() => expect(checkOf('b', 'latest_block').runs).toBeGreaterThan(3));
  const runs = checkOf('a', 'latest_block').runs;
  await eventually(() => expect(checkOf('a', 'latest_block').runs).toBeGreaterThan(runs));
});

test('another timeout is in force for targets that have not changed, at once', async () => {
  const { load, checkOf } = useMonitor(useFolder());
  const mute = await useMute();
  load({ a: mute }, '1h');
  load({ a: mute }, '200ms');
  await eventually(() => expect(formatReason(checkOf('a', 'latest_block'))).toContain('within 200ms'));
});
