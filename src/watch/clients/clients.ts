import type { Advised, Client, DeployedService } from '../../model/client.ts';
import type { ShownFailure } from '../../model/snapshot.ts';
import type { ClientInfo, ClientName } from '../../model/target.ts';
import { nethermind } from './nethermind.ts';
import { xdcSubnet } from './xdc-subnet.ts';
import { xdposchain } from './xdposchain.ts';

/** Every client, by its name. */
export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  'xdc-subnet': xdcSubnet,
  xdposchain,
  nethermind,
};

/** The client whose version this is; undefined for one that is not known. */
export const recogniseClient = (version: string): Client | undefined =>
  Object.values(CLIENTS).find(({ recognises }) => recognises(version));

/** The client that a deployment gives a node: the last that takes it for its own, as the first takes any. */
export const deployedClient = (service: DeployedService): Client =>
  Object.values(CLIENTS).findLast(({ deployment }) => deployment.isOf(service)) ?? xdcSubnet;

/** A node, by what the inventory says of its client, and by what it said itself. */
interface Known {
  readonly target: { readonly client?: ClientName };
  readonly facts: { readonly node?: { readonly client?: ClientInfo } };
}

/** The client of a node; until it is known, the one that most subnets run. */
export const clientOf = ({ target, facts }: Known): Client =>
  CLIENTS[target.client ?? facts.node?.client?.name ?? 'xdc-subnet'];

/** What to do about a known failure of a target, in the words of its client. */
export const fixOf = (
  { advise, fix }: ShownFailure,
  {
    target,
    facts,
  }: {
    readonly target: Known['target'] & Advised;
    readonly facts: Known['facts'] & { readonly logs?: { readonly patterns: Readonly<Record<string, unknown>> } };
  },
): string => advise?.(clientOf({ target, facts }), target, (one) => facts.logs?.patterns[one] !== undefined) ?? fix;
