/** The programs that a simulated node can be, by the words of `--clients`; `go` is XDC-Subnet. */
const DEMO_CLIENTS = ['go', 'xdposchain', 'nethermind'] as const;
export type DemoClient = (typeof DEMO_CLIENTS)[number];

/** As people write them. */
export const TITLES: Readonly<Record<DemoClient, string>> = {
  go: 'XDC-Subnet',
  xdposchain: 'XDPoSChain',
  nethermind: 'Nethermind',
};

/** What they say of themselves: `web3_clientVersion`, and the name by which peers know them. */
export const VERSIONS: Readonly<Record<DemoClient, string>> = {
  go: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
  xdposchain: 'XDC/v2.7.0-beta/linux-amd64/go1.26.8',
  nethermind: 'Nethermind/v1.40.0-unstable+d4ef4fd0/linux-x64/dotnet10.0.1',
};

const isClient = (word: string): word is DemoClient => (DEMO_CLIENTS as readonly string[]).includes(word);

/**
 * Reads `--clients`: one word for all nodes, or a list with one for each. Gives the clients of `nodes` nodes, or of as many
 * as the list has; or what is wrong with it, as the end of a sentence.
 */
export function parseClients(text: string, nodes: number | undefined): readonly DemoClient[] | string {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.filter((word) => !isClient(word));
  if (unknown.length > 0)
    return `has no client ${unknown.map((word) => JSON.stringify(word)).join(', ')}; there are ${DEMO_CLIENTS.join(', ')}`;
  const clients = words.filter(isClient);
  const [first] = clients;
  if (first === undefined) return 'is empty';
  const all = clients.length > 1 ? clients : Array.from({ length: nodes ?? 4 }, () => first);
  if (nodes !== undefined && all.length !== nodes) return `names ${all.length} clients, and there are ${nodes} nodes`;
  return all.every((client) => client === 'nethermind')
    ? 'needs a node of another client, as Nethermind sends no block to the stats server'
    : all;
}
