import { expect, it } from 'vitest';
import { isLoopbackHost } from '../../src/lib/addresses.ts';

it.each([
  'localhost',
  'LocalHost',
  'localhost.',
  '127.0.0.1',
  '127.1.2.3',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
])('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

it.each([
  ...['127.evil.example', '127.0.0.1.evil.example', '127.', 'localhost.evil.example', 'evil.localhost', 'my-localhost'],
  ...['::1.evil.example', '::ffff:192.0.2.1', '::2', '0.0.0.0', '::', '192.0.2.127', '', '127.0.0.1:25', '127.0.0.256'],
])('%s may be another', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});
