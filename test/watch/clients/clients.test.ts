import { expect, test } from 'vitest';
import { recogniseClient } from '../../../src/watch/clients/clients.ts';

test.each([
  ['XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13', 'xdc-subnet'],
  ['XDC/v2.0.0-unstable/linux-amd64/go1.26.8', 'xdc-subnet'],
  ['XDC/v0.3.2-stable/linux-amd64/go1.23.4', 'xdc-subnet'],
  ['XDC/v2.7.0-beta/linux-amd64/go1.26.8', 'xdposchain'],
  ['XDC/v2.6.4-beta-1a2b3c4d/linux-amd64/go1.23.4', 'xdposchain'],
  ['Nethermind/v1.40.0-unstable+d4ef4fd0/linux-x64/dotnet10.0.1', 'nethermind'],
  ['Geth/v1.14.0/linux-amd64/go1.22', undefined],
])('%s is %s', (version, client) => {
  expect(recogniseClient(version)?.name).toBe(client);
});
