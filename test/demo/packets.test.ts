import { expect, onTestFinished, test } from 'vitest';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createRelayProber } from '../../src/watch/probes/relay-prober.ts';

/** A simulated subnet with a clock that only the test moves, and what the prober reads of the packets to its parent chain. */
async function simulate(clients: readonly ('go' | 'nethermind' | 'xdposchain')[]) {
  const start = Date.now();
  let time = start;
  const simulation = await startSimulation({ nodes: 4, faults: [], clients, now: () => time });
  onTestFinished(() => simulation.stop());
  const parsed = parseInventory(simulation.inventory(), {});
  const [subnet] = parsed.ok ? parsed.inventory.subnets : [];
  if (subnet?.parentChain === undefined) throw new Error('the demo has a parent chain');
  const prober = createRelayProber(subnet.parentChain, subnet);
  onTestFinished(prober.close);
  const read = async () => {
    const { to_parent: packets } = (await prober.probe(new AbortController().signal)).packets;
    return packets?.ok ? packets.value : packets;
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { simulation, read, pass, start };
}

test.each([[['go']], [['nethermind', 'nethermind', 'nethermind', 'nethermind']], [['xdposchain']]] as const)(
  'packets of a demo of %s wait while its relayer delivers none, and arrive at the end of the fault',
  async (clients) => {
    const { simulation, read, pass, start } = await simulate(clients);
    expect(await read()).toEqual({ sent: 0, received: 0 });

    await simulation.setFaults(['packets-stuck']);
    const first = await read();
    expect(first).toMatchObject({ sent: 1, received: 0 });
    expect(first).toMatchObject({ route: { isRegistered: true, isEndpoint: true, isContract: true } });

    pass(10 * 60_000);
    const later = await read();
    expect(later).toMatchObject({ sent: 6, received: 0 });
    for (const one of [first, later]) {
      const oldestAt = one && 'oldestAt' in one ? (one.oldestAt ?? 0) : 0;
      expect(Math.abs(oldestAt - start / 1000)).toBeLessThan(4);
    }

    await simulation.setFaults([]);
    expect(await read()).toEqual({ sent: 6, received: 6 });
  },
);
