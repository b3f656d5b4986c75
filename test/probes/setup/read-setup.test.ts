import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SETTINGS, type NodeTarget, targetKey } from '../../../src/model/target.ts';
import { readSetup } from '../../../src/probes/setup/read-setup.ts';
import { startNode } from '../../support/fake-node.ts';

const VERSION = 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13';

const toNode = (name: string, rpc: string): NodeTarget => ({
  ...{ subnet: 'devnet', component: 'node', name, rpc },
  ...{ consoleExec: false, expectedPeers: 1, logFiles: [], patterns: [] },
});

test('the client of each node is read with the time that each answer takes, or why it is not', async () => {
  const node = await startNode({ web3_clientVersion: () => VERSION });
  const older = await startNode({ net_version: () => '1' });
  const gone = await startNode({});
  onTestFinished(async () => {
    await Promise.all([node.stop(), older.stop()]);
  });
  await gone.stop();
  const targets = [toNode('n1', node.url), toNode('n2', older.url), toNode('n3', gone.url)];
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
  const seen = await readSetup(subnet, AbortSignal.timeout(20_000));
  const [n1, n2, n3] = targets.map((target) => seen.targets.get(targetKey(target))?.client);
  expect(n1).toMatchObject({ ok: true, value: { version: { ok: true, value: VERSION } } });
  expect(n1?.ok && n1.value.tookMs).toHaveLength(5);
  expect(n2).toMatchObject({ ok: true, value: { version: { ok: false, why: 'it does not serve web3' } } });
  expect(n3).toEqual({ ok: false, why: 'it does not answer' });
  expect(node.requests).toHaveLength(5);
});
