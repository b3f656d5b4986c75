import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { createDatabaseLink } from '../../../src/store/create-database-link.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { healthy, startNode } from '../../support/fake-node.ts';
import { useFolder } from '../../support/recordings.ts';
import { createUnscheduledMonitor } from '../../support/unscheduled-monitor.ts';

const addresses = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string];

test('the turns that masternodes have missed are known after a restart of subnetd, and those of a subnet that is gone are not kept', async () => {
  const node = await startNode({
    ...healthy,
    eth_coinbase: () => addresses[0],
    XDPoS_getMasternodesByNumber: () => ({
      ...{ Number: 1234, Round: 1300, MasternodesLen: 2, Masternodes: addresses },
      ...{ PenaltyLen: 0, Penalty: [], StandbynodesLen: 0, Standbynodes: [], Error: null },
    }),
  });
  onTestFinished(node.stop);
  const link = createDatabaseLink({
    address: { kind: 'sqlite', path: join(useFolder(), 'subnetd.db') },
    onUp: () => {},
    onDown: () => {},
  });
  onTestFinished(link.stop);
  const table = (await link.openStores()).turns('test');
  const turns = { [addresses[0]]: [250, 30, 12, 3], [addresses[1]]: [250, 1, 1, 90] };
  await table.write(
    new Map([
      ['d', turns],
      ['gone', turns],
    ]),
    [],
  );
  const parsed = parseInventory(`subnets: [{ name: d, nodes: [{ name: n0, rpc: '${node.url}' }] }]`, {});
  if (!parsed.ok) throw new Error('the inventory is bad');
  const monitor = createUnscheduledMonitor({ clock: createProcessClock(), turns: async () => table });
  onTestFinished(monitor.stop);
  monitor.load(parsed.inventory);
  await vi.waitFor(async () => {
    await monitor.probeNow((_target, round) => round === 'rpc');
    const shares = monitor.snapshot()[0]?.epoch?.masternodes.map(({ lag }) => lag?.missedShare);
    expect(shares).toEqual([30 / 250, 1 / 250]);
  });
  await monitor.stop();
  expect(await table.read()).toEqual(new Map([['d', turns]]));
});
