/** The programs that nodes of a subnet run, as inventory, metrics and `/status.json` call them. */
export const CLIENT_NAMES = ['xdc-subnet', 'xdposchain', 'nethermind'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** What a node says that it runs; the version as `web3_clientVersion` gives it. */
export interface ClientInfo {
  readonly name: ClientName;
  readonly version: string;
}
