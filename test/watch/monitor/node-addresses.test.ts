import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { createDatabaseLink } from '../../../src/store/create-database-link.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { healthy, startNode } from '../../support/fake-node.ts';
import { useFolder } from '../../support/recordings.ts';
import { createUnscheduledMonitor } from '../../support/unscheduled-monitor.ts';

const addresses = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);

/** A node that signs by this address, and tells who the masternodes are. */
const startMasternode = (address: string | undefined) =>
  startNode({
    ...healthy,
    eth_coinbase: () => address,
    XDPoS_getMasternodesByNumber: () => ({
      ...{ Number: 1234, Round: 1300, MasternodesLen: addresses.length, Masternodes: addresses },
      ...{ PenaltyLen: 0, Penalty: [], StandbynodesLen: 0, Standbynodes: [], Error: null },
    }),
  });

test('masternodes that are down since before a restart of subnetd keep their addresses', async () => {
  const nodes = await Promise.all(addresses.map(startMasternode));
  onTestFinished(async () => void (await Promise.all(nodes.map(({ stop }) => stop()))));
  const link = createDatabaseLink({
    address: { kind: 'sqlite', path: join(useFolder(), 'subnetd.db') },
    onUp: () => {},
    onDown: () => {},
  });
  onTestFinished(link.stop);
  const stores = await link.openStores();
  const table = stores.nodeAddresses('test');
  const parsed = parseInventory(
    `subnets: [{ name: d, nodes: [${nodes.map(({ url }, index) => `{ name: n${index}, rpc: '${url}' }`)}] }]`,
    {},
  );
  if (!parsed.ok) throw new Error('the inventory is bad');
  const watch = async () => {
    const monitor = createUnscheduledMonitor({ clock: createProcessClock(), addresses: async () => table });
    onTestFinished(monitor.stop);
    monitor.load(parsed.inventory);
    await monitor.probeNow((_target, round) => round === 'rpc');
    const namesOf = () => monitor.snapshot()[0]?.epoch?.masternodes.map(({ name }) => name);
    return { ...monitor, namesOf };
  };
  const first = await watch();
  expect(first.namesOf()).toEqual(['n0', 'n1', 'n2', 'n3']);
  await first.stop();
  await Promise.all(nodes.slice(2).map(({ stop }) => stop()));
  const second = await watch();
  expect(second.namesOf()).toEqual(['n0', 'n1', 'n2', 'n3']);
  await second.stop();
  expect([...(await table.read()).values()]).toEqual(addresses);
});
