import { join } from 'node:path';
import { isLoopbackHost, isSocketPathTooLong } from '../../lib/addresses.ts';
import type { Client } from '../../model/client.ts';
import { deployedClient } from '../clients/clients.ts';
import type { ComposeService, PortMapping } from './compose-service.ts';
import type { Note } from './deployment-notes.ts';
import { portSetting, readServiceSettings, type ServiceSettings } from './deployment-settings.ts';

/** What the nodes and services of one deployment share. */
export interface Deployment {
  /** As the person wrote it. */
  readonly folder: string;
  readonly composeName: string;
  readonly project?: string;
  /** The Docker Engine of the containers that run here; absent when there is only one. */
  readonly engine?: string;
  /** In the form for a URL. */
  readonly host: string;
  /** The monitor runs on the machine of the deployment, so it reaches Docker. */
  readonly local: boolean;
  /** It runs in a container on the network of the deployment: it reaches services by their names, and no file of the host. */
  readonly inside: boolean;
  /** What is put before the name of each node. */
  readonly prefix: string;
}

/** A component of the inventory, its keys in the order in which they are written. */
export interface Entry {
  readonly value: Readonly<Record<string, unknown>>;
  readonly comment?: string;
  readonly notes: readonly Note[];
}

/** The `container` of a service as far as it can be named from here. */
export const containerOf = (service: string, { local, project, engine }: Deployment) =>
  local && project !== undefined && { container: { ...(engine !== undefined && { engine }), project, service } };

/** The name of the Docker Engine of a machine: that of the generator's profile. */
export const engineOfMachine = (machine: number): string => `machine${machine}`;

/** Where a container reaches the ports of its host. */
export const HOST_FROM_INSIDE = 'host.docker.internal';

/** Whether the monitor reaches files and sockets of the deployment. */
export const hasFiles = ({ local, inside }: Deployment): boolean => local && !inside;

/** A note if `logFiles` would read the path as a glob. */
export const noteGlob = (path: string): readonly Note[] =>
  /[*?[\]{}()!\\]/.test(path) ? [{ kind: 'glob', what: path }] : [];

/** A port from the compose file: the usual one, or, where all three are different, the one in the usual place. */
function composePort({ ports }: ComposeService, usual: number, place: number): number {
  const targets = [...new Set(ports.map(({ target }) => target))];
  return targets.length === 3 && !targets.includes(usual) ? (targets[place] ?? usual) : usual;
}

/** A note if a monitor in a container must reach the service on the network of the host. */
export const noteHostNetwork = (
  key: string,
  { hostNetwork }: ComposeService,
  { inside, local }: Deployment,
): readonly Note[] => (inside && local && hostNetwork ? [{ kind: 'hostNetwork', what: key }] : []);

/** The host of a published port in a URL, and a note if the port is at one address that is not that of the deployment. */
export function toOrigin(
  key: string,
  { address }: Partial<PortMapping>,
  { host, local }: Deployment,
): { readonly origin: string; readonly notes: readonly Note[] } {
  if (address === undefined) return { origin: host, notes: [] };
  const origin = address.includes(':') ? `[${address}]` : address;
  // A machine reaches all of its own addresses; from elsewhere, the one that was given may be translated to it.
  if (local) return { origin: isLoopbackHost(host) && address === '127.0.0.1' ? host : origin, notes: [] };
  return { origin: host, notes: origin === host ? [] : [{ kind: 'oneAddress', what: `${key} (${address})` }] };
}

function noteLogAndApi(
  { values, files }: ServiceSettings,
  { logLevel }: Client['deployment'],
  local: boolean,
): readonly Note[] {
  const level = logLevel && values.get(logLevel.variable);
  const api = values.get('RPC_API');
  const unset = files.length > 0 && (logLevel?.unset ?? 3) < 3 ? [`${files.at(-1)} (not set)`] : [];
  const low = level === undefined ? unset : /^\d+$/.test(level.value) && Number(level.value) < 3 ? [level.where] : [];
  const modules = api?.value.split(',').map((module) => module.trim());
  return [
    ...(local ? low.map((what): Note => ({ kind: 'lowLogLevel', what })) : []),
    ...(api && !modules?.includes('admin') ? [{ kind: 'noAdmin', what: api.where } as const] : []),
  ];
}

/** The files of a node on the host. */
function hostFiles(
  key: string,
  service: ComposeService,
  { hasConsole, logFile }: Client,
): { readonly ipc?: string; readonly logFiles?: readonly string[]; readonly notes: readonly Note[] } {
  const data = service.mounts.get('/work/xdcchain');
  if (data === undefined) return { notes: [] };
  const ipc = join(data, 'XDC.ipc');
  const tooLong = hasConsole && isSocketPathTooLong(ipc);
  return {
    ...(hasConsole && !tooLong && { ipc }),
    logFiles: [join(data, logFile)],
    notes: [...(tooLong ? [{ kind: 'longIpc', what: key } as const] : []), ...noteGlob(data)],
  };
}

/**
 * A node of the inventory from its service. The ports come from the env file, else from the compose file, else from the
 * generator's numbering. There, node N listens on 8544 + N for RPC and on 20302 + N for peers. `machine` is set for a
 * node of another machine than the deployment's first.
 */
export function toNodeEntry(
  key: string,
  service: ComposeService,
  deployment: Deployment,
  machine: number | undefined,
): Entry {
  const number = Number(/\d+$/.exec(key)?.[0]);
  const { image, envFiles } = service;
  const client = deployedClient({ name: key, image, envFiles });
  const settings = readServiceSettings(key, service, deployment);
  const rpcSetting = portSetting(settings, ...client.deployment.rpcPort);
  const p2pSetting = portSetting(settings, client.deployment.p2pPort);
  const rpcPort = rpcSetting.port ?? composePort(service, 8544 + number, 1);
  const p2pPort = p2pSetting.port ?? composePort(service, 20302 + number, 0);

  const elsewhere = machine !== undefined;
  const mapping: Partial<PortMapping> = service.ports.find(({ target }) => target === rpcPort) ?? {};
  const published = service.hostNetwork ? undefined : mapping.published;
  const hidden = published === undefined && !service.hostNetwork;
  const isNeighbour = deployment.inside && !elsewhere && !service.hostNetwork;
  const shown = toOrigin(key, published === undefined ? {} : mapping, deployment);
  const near = hidden && deployment.local ? service.address : undefined;
  // The address on a compose network reaches nothing from another machine.
  const origin = elsewhere ? engineOfMachine(machine) : isNeighbour ? key : (near ?? shown.origin);
  const placed = elsewhere ? { ...deployment, local: false } : deployment;
  const { ipc, logFiles, notes } = hasFiles(placed) ? hostFiles(key, service, client) : { notes: [] };
  return {
    value: {
      name: `${deployment.prefix}${key}`,
      rpc: `http://${origin}:${(isNeighbour ? undefined : published) ?? rpcPort}`,
      ipc,
      ...containerOf(key, elsewhere ? { ...deployment, engine: engineOfMachine(machine) } : deployment),
      logFiles,
      ...(service.address !== undefined && !elsewhere && { p2p: `${service.address}:${p2pPort}` }),
    },
    ...(elsewhere && {
      comment: ` ${key} runs on ${engineOfMachine(machine)}: put that machine's address into rpc, and add p2p: ADDRESS:${p2pPort}.`,
    }),
    notes: [
      ...settings.notes,
      ...rpcSetting.notes,
      ...p2pSetting.notes,
      ...noteLogAndApi(settings, client.deployment, deployment.local),
      ...(elsewhere ? [{ kind: 'otherMachine', what: `${key} (${engineOfMachine(machine)})` } as const] : shown.notes),
      ...(hidden && !isNeighbour ? [{ kind: 'unpublished', what: key } as const] : []),
      ...noteHostNetwork(key, service, placed),
      ...notes,
    ],
  };
}
