import { writeFile } from 'node:fs/promises';

/** The configuration of an Alertmanager with two receivers that hear of everything. */
export const TWO_RECEIVERS = `
route: { receiver: ops, group_wait: 1s, routes: [{ receiver: pager, continue: true }, { receiver: ops }] }
receivers: [{ name: ops }, { name: pager }]
`;

/** Writes an inventory of two nodes with these Alertmanagers, and gives its path. */
export async function writeAlertInventory(pathOf: (name: string) => string, urls: readonly string[]): Promise<string> {
  const config = pathOf('subnetd.yaml');
  const nodes = "[{ name: subnet1, rpc: 'http://127.0.0.1:1' }, { name: subnet2, rpc: 'http://127.0.0.1:2' }]";
  await writeFile(
    config,
    `subnets: [{ name: devnet, nodes: ${nodes}, stats: {} }]\nalertmanager: { urls: ${JSON.stringify(urls)} }\n`,
  );
  return config;
}
