import { expect, it } from 'vitest';
import { toDemoHistory } from '../../src/cli/demo-history.ts';
import { COMMIT_DISTANCE, createChain, DAY_OLD_START_HEIGHT } from '../../src/demo/chain.ts';
import { createSteps } from '../../src/tell/history/create-steps.ts';
import { checkTable } from '../../src/watch/rules/checks.ts';
import { diagnosedNode } from '../support/diagnosed.ts';
import { stateOf } from '../support/snapshots.ts';

const HOUR = 3_600_000;
const AT = Date.UTC(2026, 10, 22, 3, 4, 9);
const NAMES = ['subnet1', 'subnet2'];

const chain = createChain(['0x1', '0x2', '0x3', '0x4'], AT, undefined, DAY_OLD_START_HEIGHT);
const history = toDemoHistory({
  nodes: NAMES,
  startedAt: AT,
  heightAt: chain.heightAt,
  commitDistance: COMMIT_DISTANCE,
  wallet: { coins: 2_000, perDay: 43.2 },
});

it('the day before the demo has the blocks that its chain has, and ends where the demo begins', () => {
  const { minutes } = history;
  const blocks = minutes.reduce((sum, one) => sum + one.blocks, 0);
  const [first, last] = [minutes[0]?.at ?? 0, (minutes.at(-1)?.at ?? 0) + 60_000];
  expect(blocks).toBe(chain.heightAt(last) - chain.heightAt(first));
  expect(chain.heightAt(first)).toBeGreaterThan(0);
  expect([AT - last, last - first]).toEqual([9_000, 24 * HOUR]);
});

it('it has every hour of every target, and seven minutes in which the frontend was down, with their incident', () => {
  const { uptimes, incident, changes } = history;
  const failed = uptimes.filter(({ span, fail }) => span === 'hour' && fail > 0);
  expect(failed.map(({ name, fail }) => [name, fail])).toEqual([['frontend', 7 * 60_000]]);
  const hours = uptimes.filter(({ name, span }) => name === 'subnet2' && span === 'hour');
  expect(hours.reduce((sum, { ok }) => sum + ok, 0)).toBe(24 * HOUR);
  expect(incident).toMatchObject({ component: 'frontend', startedAt: AT - 9_000 - 9 * HOUR, end: 'recovered' });
  const checks = changes.filter(({ was }) => was === 'unknown');
  expect(checks.filter(({ name }) => name === 'subnet2').map(({ what, is }) => `${what} ${is}`)).toEqual([
    ...['latest_block pass', 'peers pass', 'log_block pass', 'container pass'],
  ]);
  expect(new Set(checks.map(({ what }) => what))).toEqual(new Set(Object.keys(checkTable)));
  expect(changes.slice(checks.length).map(({ was, is, reason }) => `${was} ${is}: ${reason}`)).toEqual([
    'pass fail: simulated: the page did not answer',
    'fail pass: simulated: the page did not answer',
  ]);
});

it('its steps are those of a subnet without a lag, whose wallet is paid from', () => {
  const steps = createSteps();
  const state = stateOf(
    NAMES.map((name) => diagnosedNode(name, NAMES)),
    'demo',
  );
  const targets = state.targets.map((one) => ({ ...one, target: { ...one.target, subnet: 'demo' } }));
  steps.begin([{ ...state, targets }]);
  steps.restore(history.steps);
  const { blocks, gap, coins } = steps.stepsOf('demo', '24h', AT);
  expect(new Set(blocks.slice(1))).toEqual(new Set([30]));
  expect(new Set(gap.slice(1))).toEqual(new Set([2]));
  expect(Math.round(coins.at(-2) ?? 0)).toBe(2_000);
  expect(Math.round(coins[1] ?? 0)).toBe(2_041);
  for (const { target } of targets) {
    const { p50, lag, missed } = steps.targetStepsOf(target, '24h', AT);
    expect(p50.slice(1).every((ms) => ms !== undefined && ms > 1 && ms < 10)).toBe(true);
    expect([new Set(lag.slice(1)), new Set(missed.slice(1))]).toEqual([new Set([0]), new Set([0])]);
  }
});
