import { expect, test } from 'vitest';
import type { TrackedAlert } from '../../../src/tell/alerts/tracked-alert.ts';
import { toAlert } from '../../../src/tell/notify/to-alert.ts';

const BOOT = Date.parse('2026-11-21T00:00:00Z');
const toWall = (at: number) => BOOT + at;

const ALERT: TrackedAlert = {
  labels: { alertname: 'SubnetHalted', subnet: 'd' },
  annotations: { summary: 'It is halted.', description: 'No node shows new blocks.' },
  phase: 'firing',
  keepFiringForMs: 0,
  activeAt: 1_000,
  firedAt: 2_000,
  seenAt: 95_000,
};
const descriptionOf = (details?: TrackedAlert['details']) =>
  toAlert({ ...ALERT, ...(details && { details }) }, 99_000, 60_000, toWall).annotations.description;

test('what was seen has the instant at which it was, as its durations are of then', () => {
  const seen = { summary: 'it is halted', evidence: 'no block after 7 for 34s' };
  expect(descriptionOf({ ...seen, fix: 'restart n1' })).toBe(
    'No node shows new blocks. Seen at 2026-11-21 00:01:35 UTC: no block after 7 for 34s. To do: restart n1.',
  );
  expect(descriptionOf({ ...seen, fix: '' })).toBe(
    'No node shows new blocks. Seen at 2026-11-21 00:01:35 UTC: no block after 7 for 34s.',
  );
  expect(descriptionOf()).toBe('No node shows new blocks.');
});
