import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { toScrapeTargets } from '../../src/web/scrape-targets.ts';

/** A snapshot of an inventory whose nodes have said that they run these clients. */
function snapshotOf(text: string, clients: Readonly<Record<string, string>> = {}): Snapshot {
  const parsed = parseInventory(text, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.inventory.subnets.map((subnet) => ({
    subnet,
    problems: [],
    targets: subnet.targets.map((target) => ({
      target,
      checks: [],
      facts: { node: { client: clients[target.name] && { name: clients[target.name], version: '' } } },
    })),
  })) as unknown as Snapshot;
}

it('gives each endpoint that the inventory names, with the path of the client that the node runs', () => {
  const text = `subnets:
  - name: d
    nodes:
      - { name: geth, rpc: 'http://10.0.0.1:8545', metrics: 'http://10.0.0.1:6060' }
      - { name: nethermind, rpc: 'http://10.0.0.2:8545', metrics: 'http://10.0.0.2:8009/' }
      - { name: set, rpc: 'http://10.0.0.3:8545', client: nethermind, metrics: 'https://[fd00::1]/own?module=a&x=b%20c' }
      - { name: without, rpc: 'http://10.0.0.4:8545' }
    relayer: { url: 'http://10.0.0.5:5215' }
    exporters:
      - { kind: node_exporter, name: machine1, url: 'http://10.0.0.1:9100' }
      - { kind: cadvisor, name: machine1, url: 'http://10.0.0.1:8080/cadvisor/metrics' }
`;
  const labels = (component: string, name: string, path: string, scheme = 'http') => ({
    __scheme__: scheme,
    __metrics_path__: path,
    subnet: 'd',
    component,
    name,
  });
  expect(toScrapeTargets(snapshotOf(text, { nethermind: 'nethermind' }))).toEqual([
    { targets: ['10.0.0.1:6060'], labels: labels('node', 'geth', '/debug/metrics/prometheus') },
    { targets: ['10.0.0.2:8009'], labels: labels('node', 'nethermind', '/metrics') },
    {
      targets: ['[fd00::1]:443'],
      labels: { ...labels('node', 'set', '/own', 'https'), __param_module: 'a', __param_x: 'b c' },
    },
    { targets: ['10.0.0.1:9100'], labels: labels('node_exporter', 'machine1', '/metrics') },
    { targets: ['10.0.0.1:8080'], labels: labels('cadvisor', 'machine1', '/cadvisor/metrics') },
  ]);
});

it('gives none where the inventory names none', () => {
  expect(toScrapeTargets(snapshotOf("subnets: [{ name: d, nodes: [{ name: a, rpc: 'http://a:1' }] }]"))).toEqual([]);
});
