import { expect, onTestFinished, test } from 'vitest';
import { readClient } from '../../../src/probes/setup/read-client.ts';
import { startNode } from '../../support/fake-node.ts';
import { nodeTarget } from '../../support/views.ts';

const VERSION = 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13';

test('the client of each node is read with the time that each answer takes, or why it is not', async () => {
  const node = await startNode({ web3_clientVersion: () => VERSION });
  const older = await startNode({ net_version: () => '1' });
  const gone = await startNode({});
  onTestFinished(async () => {
    await Promise.all([node.stop(), older.stop()]);
  });
  await gone.stop();
  const [n1, n2, n3] = await Promise.all(
    [node, older, gone].map(({ url }) => readClient({ ...nodeTarget('n1'), rpc: url }, AbortSignal.timeout(20_000))),
  );
  expect(n1).toMatchObject({ ok: true, value: { version: { ok: true, value: VERSION } } });
  expect(n1?.ok && n1.value.tookMs).toHaveLength(3);
  expect(n2).toMatchObject({ ok: true, value: { version: { ok: false, why: 'it does not serve web3' } } });
  expect(n3).toEqual({ ok: false, why: 'it does not answer' });
  expect(node.requests).toHaveLength(3);
});
