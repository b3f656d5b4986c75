import { expect, test } from 'vitest';
import type { BootnodeTarget } from '../../src/model/target.ts';
import { countHeardNodes } from '../../src/rules/count-heard-nodes.ts';
import { judgeMessages } from '../../src/rules/judge-messages.ts';
import type { Known } from '../../src/rules/view.ts';
import { aView, nodeTarget } from '../support/views.ts';

const NOW = 10_000_000;
const WINDOW_MS = 600_000;
const bootnode: BootnodeTarget = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };

/** Nodes by their names, with their p2p addresses where the inventory has them. */
const nodes = (addresses: Readonly<Record<string, string | undefined>>): readonly Known[] =>
  Object.entries(addresses).map(([name, p2p]) => ({
    target: nodeTarget(name, p2p === undefined ? {} : { p2p }),
    facts: {},
  }));

/** The bootnode that heard these addresses so many milliseconds ago, and reads its log for so long. */
function judge(others: readonly Known[], heard: Readonly<Record<string, number>>, readForMs = 2 * WINDOW_MS) {
  const facts = {
    logs: {
      sources: { container: { up: true, lines: 1, since: NOW - readForMs, caughtUp: true } },
      patterns: {},
      heard: new Map(Object.entries(heard).map(([address, ago]) => [address, NOW - ago])),
    },
  };
  const view = aView(bootnode, facts, { now: NOW, others });
  return { ...judgeMessages(view), seen: countHeardNodes(view.subnet, NOW, WINDOW_MS) };
}

const three = nodes({ a: '192.168.25.11:20303', b: '192.168.25.12:20304', c: '192.168.25.13:20305' });

test('a bootnode that has heard every node within the window passes', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.12:20304': 2_000, '192.168.25.13:20305': WINDOW_MS - 1 };
  expect(judge(three, heard)).toMatchObject({ verdict: 'pass', seen: 3 });
});

test('one that has not heard a node for the window fails and names it', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.12:20304': WINDOW_MS, '192.168.25.13:20305': 1_000 };
  expect(judge(three, heard)).toMatchObject({
    verdict: 'fail',
    seen: 2,
    reason: expect.stringMatching(/has not heard b for 10m; start it, or open UDP from its p2p port/),
  });
});

test('a node behind a NAT is known by its port, unless another node has the same', () => {
  const heard = { '203.0.113.7:20303': 1_000, '203.0.113.7:20304': 1_000, '203.0.113.7:20305': 1_000 };
  expect(judge(three, heard)).toMatchObject({ verdict: 'pass', seen: 3 });
  const same = nodes({ a: '192.168.25.11:20303', b: '192.168.25.12:20303' });
  expect(judge(same, { '192.168.25.11:20303': 1_000, '203.0.113.7:20303': 1_000 })).toMatchObject({
    verdict: 'fail',
    seen: 1,
    reason: expect.stringContaining('has not heard b for'),
  });
});

test('one node that sends from many addresses is not taken for the others', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`10.0.0.${index}:20303`, 1_000]));
  expect(judge(three, many)).toMatchObject({ verdict: 'fail', seen: 1, reason: expect.stringContaining('b, c') });
});

test('nodes whose address nobody knows share out what is left over, and the reason says what to add', () => {
  const unknown = nodes({ a: '192.168.25.11:20303', b: undefined, c: undefined });
  const heard = { '192.168.25.11:20303': 1_000, '10.0.0.1:40001': 1_000, '10.0.0.2:40002': 1_000 };
  expect(judge(unknown, heard)).toMatchObject({ verdict: 'pass', seen: 3 });
  expect(judge(unknown, { '192.168.25.11:20303': 1_000, '10.0.0.1:40001': 1_000 })).toMatchObject({
    verdict: 'fail',
    seen: 2,
    reason: expect.stringContaining('add p2p to the nodes'),
  });
});

test('a node that was never heard has the window from the start of reading on', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.13:20305': 1_000 };
  expect(judge(three, heard, WINDOW_MS - 1)).toMatchObject({ verdict: 'unknown' });
  expect(judge(three, heard, WINDOW_MS)).toMatchObject({ verdict: 'fail' });
});
