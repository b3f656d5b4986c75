import type { InventoryDocument } from './schema.ts';

/** What each value alone cannot show: names taken twice, nodes with nothing to look at. */
export function findConflicts(
  document: InventoryDocument,
): readonly { readonly path: readonly PropertyKey[]; readonly what: string }[] {
  const findings: { path: PropertyKey[]; what: string }[] = [];
  const subnetNames = new Set<string>();
  for (const [s, subnet] of document.subnets.entries()) {
    if (subnetNames.has(subnet.name))
      findings.push({ path: ['subnets', s, 'name'], what: `another subnet is called ${subnet.name} already` });
    subnetNames.add(subnet.name);
    const nodeNames = new Set<string>();
    for (const [n, node] of subnet.nodes.entries()) {
      const path = ['subnets', s, 'nodes', n];
      if (nodeNames.has(node.name))
        findings.push({ path: [...path, 'name'], what: `another node of this subnet is called ${node.name} already` });
      nodeNames.add(node.name);
      if (node.rpc === undefined && node.ipc === undefined && node.container === undefined)
        findings.push({ path, what: 'needs at least one of rpc, ipc and container' });
      if (node.consoleExec && node.container === undefined)
        findings.push({ path: [...path, 'consoleExec'], what: 'needs the container in which to run the console' });
    }
    for (const reader of ['relayer', 'stats'] as const) {
      const from = subnet[reader]?.readsFrom;
      if (from !== undefined && !nodeNames.has(from))
        findings.push({ path: ['subnets', s, reader, 'readsFrom'], what: 'must be the name of a node of this subnet' });
    }
  }
  return findings;
}
