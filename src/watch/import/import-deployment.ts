import { readFileSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { isLoopbackHost } from '../../lib/addresses.ts';
import { isNodeKey, readComposeFile } from './compose-file.ts';
import type { ComposeService } from './compose-service.ts';
import { type Deployment, engineOfMachine, HOST_FROM_INSIDE, toNodeEntry } from './deployment-node.ts';
import { formatNotes, type Note } from './deployment-notes.ts';
import { readParent } from './deployment-parent.ts';
import { SERVICES, toServiceEntry } from './deployment-services.ts';
import { toInventoryYaml } from './deployment-yaml.ts';
import { findDockerHost } from './docker-host.ts';

/** An inventory with notes for a person, or the errors, one sentence each. */
export type ImportedDeployment =
  | { readonly ok: true; readonly yaml: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface ImportOptions {
  readonly host?: string;
  readonly compose?: boolean;
  /** What is put before the name of each node, or true for the name of the subnet and a hyphen. */
  readonly prefix?: string | boolean;
  /** The environment of a user who reaches Docker; without it, the usual socket is taken. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Pages of the deployment for which the inventory has no place: the page for swaps between subnet and parent chain. */
const OTHER_FRONTENDS = ['subswap_frontend'] as const;

/** The longest name that the inventory allows. */
const MAX_NAME = 100;

/** Leaves room for the names of services. */
const MAX_PREFIX = 64;

/** A host in the form for a URL; undefined if it is neither a name nor an address. */
function toUrlHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const host = isIPv6(bare) ? `[${bare}]` : text;
  const valid = isIP(bare) !== 0 || /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text);
  return valid && URL.canParse(`http://${host}:1`) ? host : undefined;
}

/** Is the host this machine? So are the names below `localhost` (RFC 6761). */
function isLoopback(host: string): boolean {
  const { hostname } = new URL(`http://${host}`);
  return hostname.endsWith('.localhost') || isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** The network's name in the generator's genesis_input.yml, which holds addresses but no keys. */
function readNetworkName(folder: string): string | undefined {
  const path = join(folder, 'genesis_input.yml');
  try {
    if (!statSync(path).isFile()) return undefined;
    const name: unknown = parseDocument(readFileSync(path, 'utf8'), { prettyErrors: false }).get('name');
    const text = typeof name === 'string' || typeof name === 'number' ? String(name).trim() : '';
    return text !== '' && text.length <= MAX_NAME && !/\p{C}/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const machineOf = ({ profiles }: ComposeService): number | undefined => {
  const [machine] = profiles.flatMap((profile) => /^machine(\d+)$/.exec(profile)?.[1] ?? []);
  return machine === undefined ? undefined : Number(machine);
};

/**
 * Creates an inventory from a folder that the subnet deployment generator wrote (v0.2 to v2.1: XinFinOrg/Subnet-Deployment,
 * before that XinFinOrg/XinFin-Node), or its generator of private networks. Reads the compose files, .env, genesis_input.yml and the env files of nodes and services,
 * these by a list of harmless names. Never opens keys.json, gen.env, contract_deploy.env or a datadir.
 *
 * `host` is the address of the published ports. Unless it is loopback, the inventory is for another machine and has no
 * sockets, files or containers. With `compose` it is for a container on the network of the deployment.
 */
export function importDeployment(folder: string, options: ImportOptions): ImportedDeployment {
  const inside = options.compose === true;
  if (inside && options.host !== undefined)
    return {
      ok: false,
      errors: ['Give --host or --compose, not both: --compose is for subnetd on the network of the deployment.'],
    };
  const host = inside ? HOST_FROM_INSIDE : toUrlHost(options.host ?? '127.0.0.1');
  if (host === undefined)
    return {
      ok: false,
      errors: ['--host must be a host name or an IP address, without scheme and port; correct it.'],
    };
  const compose = readComposeFile(folder);
  if (!compose.ok) return compose;
  const { name: composeName, project, services, ignored } = compose.file;
  const numbered = [...services].filter(([key]) => isNodeKey(key));
  if (numbered.length === 0)
    return {
      ok: false,
      errors: [
        `${join(folder, composeName)} has no service subnet1 or masternode1 and so on; give the folder that the deployment generator wrote, usually called generated.`,
      ],
    };

  const local = inside || isLoopback(host);
  const first = Math.min(...numbered.map(([, service]) => machineOf(service) ?? 1));
  const machines = [...new Set(numbered.map(([, service]) => machineOf(service) ?? first))].toSorted((a, b) => a - b);
  const hasEngines = local && project !== undefined && machines.length > 1;
  const engines = hasEngines ? machines.map(engineOfMachine) : [];
  const name = readNetworkName(folder) ?? project?.slice(0, MAX_NAME) ?? 'subnet';
  const prefix = options.prefix === true ? `${name}-` : options.prefix || '';
  if (prefix.length > MAX_PREFIX || /^\s|\p{C}/u.test(prefix))
    return {
      ok: false,
      errors: [`--prefix must be up to ${MAX_PREFIX} printable characters that do not begin with a blank; shorten it.`],
    };
  const deployment: Deployment = { folder, composeName, host, local, inside, project, engine: engines[0], prefix };
  const docker = local && !inside ? findDockerHost(options.environment ?? {}) : undefined;
  const nodes = numbered
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([key, service]) => {
      const machine = machineOf(service) ?? first;
      return toNodeEntry(key, service, deployment, machine === first ? undefined : machine);
    });
  const others = new Map(
    SERVICES.flatMap((key) => {
      const service = services.get(key);
      const entry = service && toServiceEntry(key, service, deployment);
      return entry ? [[key, entry] as const] : [];
    }),
  );
  const { parent, notes: parentNotes } = readParent(services, deployment);
  const notes: readonly Note[] = [
    ...(inside ? [{ kind: 'compose', what: folder } as const] : []),
    ...(local ? [] : [{ kind: 'remoteHost', what: host } as const]),
    ...(local && project === undefined ? [{ kind: 'noProject', what: resolve(folder) } as const] : []),
    ...engines.slice(1).map((what): Note => ({ kind: 'remoteEngine', what })),
    ...ignored.map((what): Note => ({ kind: 'ignored', what })),
    ...[...services]
      .filter(([key]) => isNodeKey(key) || others.has(key as never))
      .flatMap(([, { unset }]) => unset.map((what): Note => ({ kind: 'unset', what }))),
    ...(docker
      ? [{ kind: docker.socketPath === undefined ? 'dockerElsewhere' : 'dockerSocket', what: docker.where } as const]
      : []),
    ...[...nodes, ...others.values()].flatMap((entry) => entry.notes),
    ...parentNotes,
    ...OTHER_FRONTENDS.filter((key) => services.has(key)).map((what): Note => ({ kind: 'otherFrontend', what })),
  ];
  return {
    ok: true,
    yaml: toInventoryYaml(
      { name, nodes, services: others, parent, engines, socketPath: docker?.socketPath },
      resolve(folder),
    ),
    notes: formatNotes(notes),
  };
}
