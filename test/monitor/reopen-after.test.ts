import { expect, test } from 'vitest';
import { readReopenAfterMs } from '../../src/monitor/find-log-container.ts';

test.each([
  ['json-file', '50k', 10_000],
  ['json-file', '500k', 100_000],
  ['json-file', '10m', 300_000],
  ['json-file', undefined, undefined],
  ['local', undefined, 300_000],
  ['local', '100k', 20_000],
  ['journald', '50k', undefined],
])('a log of the driver %s with max-size %s is opened again after %s ms', (Type, size, expected) => {
  expect(readReopenAfterMs({ Type, Config: { ...(size && { 'max-size': size }) } })).toBe(expected);
});
