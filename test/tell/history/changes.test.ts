import { describe, expect, it } from 'vitest';
import type { ContainerFacts } from '../../../src/model/facts.ts';
import type { HistoryChange } from '../../../src/model/history.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { SubnetState, Vote } from '../../../src/model/snapshot.ts';
import { createBoundedQueue } from '../../../src/tell/history/bounded-queue.ts';
import { createChangeFinder } from '../../../src/tell/history/find-changes.ts';
import { NOW } from '../../support/diagnosed.ts';
import { penalisedSubnet } from '../../support/masternodes.ts';
import { withDown } from '../../support/snapshots.ts';

const well = withDown();
const failing = withDown('n2');
const clearing: SubnetState = {
  ...well,
  problems: failing.problems.map((one) => ({ ...one, state: 'clearing', clearingSince: NOW })),
};
const MINUTE = 60_000;
const toWall = (at: number) => at - NOW;

const show = (changes: readonly HistoryChange[]) =>
  changes.map(({ name, kind, what, was, is }) => `${name ?? '-'} ${kind} ${what}: ${was} -> ${is}`);

describe('the changes between two snapshots', () => {
  it('are those of verdicts and problems, with their reasons, and each only once', () => {
    const finder = createChangeFinder();
    expect(finder.find([well], toWall, 0)).toEqual([]);
    const broke = finder.find([failing], toWall, MINUTE);
    expect(show(broke)).toEqual(
      expect.arrayContaining(['n2 check latest_block: pass -> fail', 'n2 problem container_down: none -> open']),
    );
    expect(broke.find(({ what, name }) => what === 'latest_block' && name === 'n2')).toEqual({
      at: expect.any(Number),
      subnet: 'devnet',
      component: 'node',
      name: 'n2',
      kind: 'check',
      what: 'latest_block',
      was: 'pass',
      is: 'fail',
      reason: expect.stringMatching(/because the container of n2 /),
    });
    expect(finder.find([failing], toWall, 2 * MINUTE)).toEqual([]);
    expect(show(finder.find([clearing], toWall, 3 * MINUTE))).toEqual(
      expect.arrayContaining(['n2 check latest_block: fail -> pass', 'n2 problem container_down: open -> clearing']),
    );
    const ended = finder.find([well], toWall, 4 * MINUTE);
    expect(show(ended)).toContain('n2 problem container_down: clearing -> ended');
    expect(ended.every(({ at }) => at === 4 * MINUTE)).toBe(true);
    expect(show(finder.find([failing], toWall, 5 * MINUTE))).toContain('n2 problem container_down: none -> open');
  });

  it('at the start are what does not pass, and nothing that has only not been looked at yet', () => {
    const finder = createChangeFinder();
    const unseen: SubnetState = {
      ...well,
      targets: well.targets.map((one) => ({
        ...one,
        checks: one.checks.map((check) => ({ ...check, verdict: 'unknown', lastRun: undefined })),
      })),
    };
    expect(finder.find([unseen], toWall, 0)).toEqual([]);
    const first = show(finder.find([failing], toWall, 1));
    expect(first).toContain('n2 check latest_block: unknown -> fail');
    expect(first.filter((text) => / -> (pass|skipped)$/.test(text))).toEqual([]);
    // A problem that is only suspected may be nothing.
    const suspected = {
      ...failing,
      problems: failing.problems.map((one) => ({ ...one, state: 'suspected' as const })),
    };
    expect(
      show(createChangeFinder().find([suspected], toWall, 0)).filter((text) => text.includes(' problem ')),
    ).toEqual([]);
  });

  it('are those of containers too: how each ended, started again or was made again, and its new image', () => {
    const finder = createChangeFinder();
    const withContainer = (over: Partial<Container>, facts: Partial<ContainerFacts> = {}) => {
      const [first, ...others] = well.targets;
      if (first?.facts.container?.observation?.kind !== 'found') throw new Error('a container is needed');
      const { observation } = first.facts.container;
      const container = { ...observation.container, image: 'xdc:1', ...over };
      const changed = { ...first.facts.container, ...facts, observation: { ...observation, container } };
      return [{ ...well, targets: [{ ...first, facts: { ...first.facts, container: changed } }, ...others] }];
    };
    const find = (at: number, ...given: Parameters<typeof withContainer>) =>
      finder
        .find(withContainer(...given), toWall, at)
        .map(({ at: when, what, was, is, reason }) => [when, `${what}: ${was} -> ${is}`, reason]);
    expect(find(0, {})).toEqual([]);
    const name = 'generated-n1-1';
    const killed = { running: false, status: 'exited', exitCode: 137, finishedAt: NOW + 2 } as const;
    expect(find(5, killed, { oomKills: 1 })).toEqual([
      [2, `${name}: running -> exited`, 'it has ended with exit code 137, out of memory'],
    ]);
    expect(find(5, killed, { oomKills: 1 })).toEqual([]);
    const again = { startedAt: NOW + 9_000 };
    expect(find(10_000, again, { lastRestartBy: 'request', oomKills: 1 })).toEqual([
      [9_000, `${name}: exited -> started`, 'a person, a program or a start of Docker started it'],
    ]);
    const stopped = { lastExit: { code: 0, at: NOW + 11_000 }, engineDown: { from: NOW + 11_500, to: NOW + 12_000 } };
    const withDocker = { ...stopped, lastRestartBy: 'request', oomKills: 1 } as const;
    expect(find(14_000, { startedAt: NOW + 13_000 }, withDocker)).toEqual([
      [13_000, `${name}: running -> started`, 'it was started with Docker itself, after it has ended with exit code 0'],
    ]);
    const crashed = { startedAt: NOW + 20_000 };
    const exit = { code: 2, at: NOW + 19_000 };
    expect(find(25_000, crashed, { lastRestartBy: 'policy', lastExit: exit, oomKills: 1 })).toEqual([
      [
        20_000,
        `${name}: running -> started`,
        'its restart policy has started it again, after it has ended with exit code 2',
      ],
    ]);
    const paused = { ...crashed, status: 'paused', running: false, finishedAt: NOW + 19_000 } as const;
    expect(find(30_000, paused, { oomKills: 1 })).toEqual([[30_000, `${name}: running -> paused`, 'it was paused']]);
    expect(find(31_000, crashed, { oomKills: 1 })).toEqual([[31_000, `${name}: paused -> running`, 'it runs again']]);
    expect(find(32_000, crashed, { oomKills: 2 })).toEqual([
      [32_000, `${name}: running -> killed`, 'a process in it was killed, out of memory'],
    ]);
    expect(find(50_000, { id: 'other', startedAt: NOW + 40_000, image: 'xdc:2' }, { oomKills: 2 })).toEqual([
      [40_000, `${name}: running -> recreated`, 'the container was made again'],
      [40_000, `${name}: xdc:1 -> xdc:2`, 'the container has another image'],
    ]);
  });

  it('after a restart are what has changed since the changes before it', () => {
    const before = createChangeFinder();
    before.find([well], toWall, 0);
    const stored = [...before.find([failing], toWall, MINUTE)].reverse();
    const asBefore = createChangeFinder();
    asBefore.remember(stored);
    expect(asBefore.find([failing], toWall, 2 * MINUTE)).toEqual([]);
    expect(asBefore.find([failing], toWall, 20 * MINUTE)).toEqual([]);

    const better = createChangeFinder();
    better.remember(stored);
    expect(show(better.find([well], toWall, 2 * MINUTE))).toContain('n2 check latest_block: fail -> pass');
    // A problem may need some time until it is found again.
    expect(better.find([well], toWall, 6 * MINUTE)).toEqual([]);
    expect(show(better.find([well], toWall, 7 * MINUTE))).toContain('n2 problem container_down: open -> ended');
    expect(better.find([well], toWall, 20 * MINUTE)).toEqual([]);
  });
});

describe('what waits for the database', () => {
  it('is dropped from the oldest on when it is too much, and counted, also when it was taken and comes back', () => {
    const queue = createBoundedQueue<number>(3);
    queue.add([1, 2, 3, 4, 5]);
    expect(queue.dropped()).toBe(2);
    const taken = queue.take(2);
    expect(taken).toEqual([3, 4]);
    queue.add([6]);
    queue.putBack(taken);
    expect(queue.dropped()).toBe(3);
    expect(queue.take(9)).toEqual([4, 5, 6]);
    expect(queue.size()).toBe(0);
  });
});

describe('the masternodes of a subnet', () => {
  const subnet = penalisedSubnet();
  const address = (digit: string) => `0x${digit.repeat(40)}`;
  /** The subnet with another vote of one masternode, or without it. */
  const withVote = (digit: string, vote: Vote | undefined): SubnetState => ({
    ...subnet,
    epoch: subnet.epoch && {
      ...subnet.epoch,
      number: 2,
      masternodes: subnet.epoch.masternodes.flatMap((one) =>
        one.address !== address(digit) ? [one] : vote === undefined ? [] : [{ ...one, vote }],
      ),
    },
  });
  const ofMasternodes = (changes: readonly HistoryChange[]) =>
    changes
      .filter(({ kind }) => kind === 'masternode')
      .map(({ at, name, was, is, reason }) => [at, name, was, is, reason.replaceAll(/0x(\w)\1+/g, '0x$1…')]);
  const watch = () => {
    const finder = createChangeFinder();
    return { finder, find: (state: SubnetState, at: number) => ofMasternodes(finder.find([state], toWall, at)) };
  };

  it('change by who has turns, not by who votes', () => {
    const { find } = watch();
    const penalised = 'subnet3 (0xd…) made too few blocks, and the chain gives it no turn in epoch 1';
    const waits = 'subnet3 (0xd…) waits in epoch 2, because the chain has as many masternodes as it may have';
    expect(find(subnet, 0)).toEqual([[0, 'subnet3', 'unknown', 'penalised', penalised]]);
    expect(find(subnet, 1)).toEqual([]);
    expect(find(withVote('a', 'votes'), 2)).toEqual([]);
    expect(find(withVote('d', 'votes'), 3)).toEqual([
      [3, 'subnet3', 'penalised', 'active', 'subnet3 (0xd…) has turns again in epoch 2'],
    ]);
    expect(find(withVote('d', 'standby'), 4)).toEqual([[4, 'subnet3', 'active', 'standby', waits]]);
  });

  it('come and go, also those that the inventory does not list', () => {
    const { find } = watch();
    find(subnet, 0);
    const gone = [1, undefined, 'active', 'none', '0xc… is no longer a masternode in epoch 2'];
    expect(find(withVote('c', undefined), 1)).toEqual([gone]);
    // While no node names them, nobody knows of a change.
    const { epoch: _, ...unknown } = subnet;
    expect(find(unknown, 2)).toEqual([]);
    expect(find(subnet, 3)).toEqual([[3, undefined, 'none', 'active', '0xc… is a new masternode in epoch 1']]);
  });

  it('are compared with how they were before a restart', () => {
    const { finder } = watch();
    const before = finder.find([subnet], toWall, 0);
    const same = watch();
    same.finder.remember(before);
    expect(same.find(subnet, 1)).toEqual([]);
    const other = watch();
    other.finder.remember(before);
    expect(other.find(withVote('d', 'votes'), 1)).toEqual([
      [1, 'subnet3', 'penalised', 'active', 'subnet3 (0xd…) has turns again in epoch 2'],
    ]);
  });
});
