import { expect, onTestFinished, test } from 'vitest';
import type { NodeTarget, Subnet } from '../../../src/model/target.ts';
import { createProber, type ProberTools } from '../../../src/watch/probes/create-prober.ts';
import { blockResult, startNode } from '../../support/fake-node.ts';
import { recordedMethods } from '../../support/recorded-node.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const MINUTES = Array.from({ length: 12 }, (_, minute) => minute + 1);

/** In how many of twelve minutes a node of such a subnet is asked for the epoch, while its chain moves. */
async function countEpochs(nodes: number): Promise<number> {
  let now = 0;
  const recorded = recordedMethods('healthy');
  const node = await startNode({
    ...recorded,
    XDPoS_getV2BlockByNumber: (call) =>
      call.params[0] === 'latest' ? blockResult(1_000 + now / 1_000) : recorded.XDPoS_getV2BlockByNumber?.(call),
  });
  onTestFinished(node.stop);
  const target: NodeTarget = nodeTarget('n0', { rpc: node.url });
  const others = Array.from({ length: nodes - 1 }, (_, n) => nodeTarget(`n${n + 1}`));
  const services = (['relayer', 'stats', 'frontend'] as const).map((component) => serviceTarget(component));
  const subnet: Subnet = { name: 'd', consensus: 'XDPoS', targets: [target, ...others, ...services], settings };
  const tools = { keepsConnections: () => true, now: () => now } as ProberTools;
  const prober = createProber('node', target, subnet, tools) ?? expect.fail('a node with an RPC has a prober');
  onTestFinished(() => prober.close());
  let count = 0;
  for (const minute of MINUTES) {
    now = minute * 60_000;
    const before = node.requests.flat().length;
    await prober.probe();
    const asked = node.requests.flat().slice(before);
    if (asked.some(({ method }) => method === 'XDPoS_getMissedRoundsInEpochByBlockNum')) count += 1;
  }
  return count;
}

// The first probe asks always.
test.each([
  [4, 12],
  [15, 12],
  [24, 5],
])(
  'a subnet of %i nodes and three services asks each node for the epoch in %i of twelve minutes',
  async (nodes, count) => {
    expect(await countEpochs(nodes)).toBe(count);
  },
);
