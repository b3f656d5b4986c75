import type { InventoryDocument } from './schema.ts';

interface Conflict {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

function findAlertmanagerConflicts({ urls, basicAuth, bearerTokenFile, tls }: InventoryDocument['alertmanager']) {
  const findings: Conflict[] = [];
  const known = new Set<string>();
  for (const [u, text] of urls.entries()) {
    const path = ['alertmanager', 'urls', u];
    const { username, password, protocol, host, pathname } = new URL(text);
    const address = `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
    if (known.has(address)) findings.push({ path, what: 'is already in the list' });
    known.add(address);
    if (`${username}${password}` !== '' && (basicAuth ?? bearerTokenFile) !== undefined)
      findings.push({
        path,
        what: 'has user info beside basicAuth or bearerTokenFile; keep one of them',
      });
  }
  if (basicAuth !== undefined && bearerTokenFile !== undefined)
    findings.push({
      path: ['alertmanager', 'bearerTokenFile'],
      what: 'cannot be combined with basicAuth, because both use the same header; keep one of them',
    });
  if ((tls?.cert === undefined) !== (tls?.key === undefined))
    findings.push({ path: ['alertmanager', 'tls'], what: 'needs both cert and key, or neither' });
  return findings;
}

/** Errors between values: duplicate names, nodes with nothing to probe, credentials that exclude each other. */
export function findConflicts(document: InventoryDocument): readonly Conflict[] {
  const findings: Conflict[] = findAlertmanagerConflicts(document.alertmanager);
  const subnetNames = new Set<string>();
  for (const [s, subnet] of document.subnets.entries()) {
    if (subnetNames.has(subnet.name))
      findings.push({ path: ['subnets', s, 'name'], what: `another subnet is already called ${subnet.name}` });
    subnetNames.add(subnet.name);
    const nodeNames = new Set<string>();
    for (const [n, node] of subnet.nodes.entries()) {
      const path = ['subnets', s, 'nodes', n];
      if (nodeNames.has(node.name))
        findings.push({ path: [...path, 'name'], what: `another node of this subnet is already called ${node.name}` });
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
