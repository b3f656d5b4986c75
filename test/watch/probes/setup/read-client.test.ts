import { expect, onTestFinished, test } from 'vitest';
import { readClient } from '../../../../src/watch/probes/setup/read-client.ts';
import { startNode } from '../../../support/fake-node.ts';
import { nodeTarget } from '../../../support/views.ts';

const VERSION = 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13';

test('a time in which subnetd itself was busy is not a time that the node took', async () => {
  const version = [{ jsonrpc: '2.0', id: 1, result: VERSION }];
  const takesMs = 800;
  const late = await startNode(undefined, (_, response) => {
    setTimeout(() => response.end(JSON.stringify(version[0])), takesMs);
  });
  // The fake node runs in this process, so that it blocks the reader, too.
  const busy = await startNode(undefined, (_, response) => {
    const until = performance.now() + takesMs;
    while (performance.now() < until);
    response.end(JSON.stringify(version[0]));
  });
  onTestFinished(async () => {
    await Promise.all([late.stop(), busy.stop()]);
  });
  const tookOf = async (url: string) => {
    const read = await readClient({ ...nodeTarget('n1'), rpc: url }, AbortSignal.timeout(20_000));
    return read?.ok ? Math.min(...read.value.tookMs) : Number.NaN;
  };
  expect((await tookOf(busy.url)) / (await tookOf(late.url))).toBeLessThan(0.5);
});

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
