import { expect, test } from 'vitest';
import type { TargetSetup } from '../../../../src/model/setup.ts';
import { isLasting } from '../../../../src/watch/probes/setup/read-target.ts';

const took = (ms: number): TargetSetup => ({
  client: { ok: true, value: { version: { ok: true, value: 'XDC/v2.0.0' }, tookMs: [1, ms, 2] } },
});

test('a slow answer is read again soon: below a second once, above it until it is quicker', () => {
  expect(isLasting(took(99), undefined)).toBe(true);
  expect(isLasting(took(100), undefined)).toBe(false);
  expect(isLasting(took(100), took(99))).toBe(false);
  expect(isLasting(took(100), took(100))).toBe(true);
  expect(isLasting(took(999), took(2_000))).toBe(true);
  expect(isLasting(took(1_000), took(1_000))).toBe(false);
});

test('what could not be read does not last', () => {
  expect(isLasting({ client: { ok: false, why: 'it does not answer' } }, undefined)).toBe(false);
});
