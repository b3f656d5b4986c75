import { expect, test } from 'vitest';
import type { ContainerFacts } from '../../../src/model/facts.ts';
import type { ContainerObservation } from '../../../src/model/observation.ts';
import { createDockerTimes } from '../../../src/watch/docker/times.ts';
import { foldContainer } from '../../../src/watch/rules/fold-container.ts';
import { judgeContainer } from '../../../src/watch/rules/judge-container.ts';
import { createHandClock } from '../../support/hand-clock.ts';
import { asRead, aView, nodeTarget } from '../../support/views.ts';

const node = nodeTarget('n', { container: { name: 'n' } });
const HOUR = 3_600_000;
const MINUTE = 60_000;

function watchContainer() {
  const hand = createHandClock();
  const { clock } = hand;
  const toWatched = createDockerTimes(clock.fromWall);
  let facts: ContainerFacts | undefined;
  return {
    ...hand,
    look: (startedAt: number, restartCount = 0, more = {}) => {
      const observation: ContainerObservation = {
        kind: 'found',
        container: {
          id: 'c',
          name: 'n',
          running: true,
          status: 'running',
          oomKilled: false,
          restartCount,
          startedAt,
          ...more,
        },
      };
      facts = foldContainer(facts, toWatched(observation), clock.now());
      return facts;
    },
    judge: () =>
      asRead(judgeContainer({ ...aView(node, { container: facts }, { now: clock.now() }), toWall: clock.toWall })),
  };
}

test.each([HOUR, 90_000, -HOUR])("setting the machine's clock by %d ms is not a restart of a container", (byMs) => {
  const { look, judge, run, set, wall } = watchContainer();
  const startedAt = wall() - 10 * MINUTE;
  look(startedAt);
  run(10_000);
  set(byMs);
  expect(look(startedAt).restarts).toBe(0);
  expect(judge()).toEqual({ verdict: 'pass', reason: 'n has been running for 10m 10s' });
  expect(look(wall(), 1).restarts).toBe(1);
});

test('an exit that happened while subnetd was suspended has its own time', () => {
  const { look, judge, run, suspend, wall } = watchContainer();
  const startedAt = wall() - 10 * MINUTE;
  look(startedAt);
  run(10_000);
  suspend(MINUTE);
  const finishedAt = wall();
  suspend(MINUTE);
  look(startedAt, 0, { running: false, status: 'exited', exitCode: 1, finishedAt });
  expect(judge().reason).toContain(`n exited at ${new Date(finishedAt).toISOString().slice(0, 19)}Z with code 1`);
});

test('runs that started while subnetd was suspended are different runs', () => {
  const { look, suspend, wall } = watchContainer();
  look(wall() - MINUTE);
  suspend(MINUTE);
  const [first, second] = [wall(), wall() + 1_000];
  suspend(MINUTE);
  expect(look(first, 1).restarts).toBe(1);
  expect(look(second, 2).restarts).toBe(2);
  expect(look(second, 2).restarts).toBe(2);
});

test('the runs of 10,000 containers keep their times when one of them restarts and the clock is set', () => {
  let shiftMs = 0;
  const toWatched = createDockerTimes((wallMs) => wallMs + shiftMs);
  const startOf = (index: number, startedAt: number) => {
    const found = toWatched({
      kind: 'found',
      container: {
        ...{ id: `c${index}`, name: 'n', running: true, status: 'running', oomKilled: false, restartCount: 1 },
        ...{ startedAt, finishedAt: startedAt - 1 },
      },
    });
    return found.kind === 'found' ? found.container.startedAt : undefined;
  };
  const starts = Array.from({ length: 10_000 }, () => 1_000);
  starts.forEach((at, index) => void startOf(index, at));
  startOf(9_999, 2_000);
  shiftMs = HOUR;
  expect(new Set(starts.slice(0, -1).map((at, index) => startOf(index, at)))).toEqual(new Set([1_000]));
});
