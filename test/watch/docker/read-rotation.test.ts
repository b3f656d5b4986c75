import { expect, test } from 'vitest';
import { readRotation } from '../../../src/watch/docker/log-container.ts';

test.each([
  ['json-file', '50k', '3', { fileBytes: 50_000, files: 3 }],
  ['json-file', '10m', undefined, { fileBytes: 10_000_000, files: 1 }],
  ['json-file', '1.5g', '3', { fileBytes: 1_500_000_000, files: 3 }],
  ['json-file', '10MiB', '3', { fileBytes: 10_000_000, files: 3 }],
  ['json-file', '10 mb', '3', { fileBytes: 10_000_000, files: 3 }],
  ['json-file', '-1', '3', undefined],
  ['json-file', undefined, '3', undefined],
  ['local', undefined, undefined, { fileBytes: 20_000_000, files: 5 }],
  ['local', '100k', '1', { fileBytes: 100_000, files: 1 }],
  ['journald', '50k', '3', undefined],
])('a log of the driver %s with max-size %s and max-file %s is rotated as %o', (Type, size, files, expected) => {
  const Config = { ...(size && { 'max-size': size }), ...(files && { 'max-file': files }) };
  expect(readRotation({ Type, Config })).toEqual(expected);
});
