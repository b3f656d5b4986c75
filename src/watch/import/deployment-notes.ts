import { MAX_SOCKET_PATH_BYTES } from '../../lib/addresses.ts';

/** A note about one place. Notes of a kind become one sentence. */
export interface Note {
  readonly kind: keyof typeof SENTENCES;
  /** A place or a name, such as `subnet1.env:13`; never a value of an env file. */
  readonly what: string;
}

/** The sentence of each kind, from the places that it is about. */
const SENTENCES = {
  envFile: (files: string) =>
    `Not read: ${files}; ports come from the compose file and the generator's numbering instead, so compare them.`,
  badPort: (places: string) => `No port number in ${places}; the usual one is used, so correct it there.`,
  badAddress: (places: string) => `Not an address: ${places}; it is left out, so correct it there.`,
  parentToken: (place: string) =>
    `PARENTNET_URL in ${place} may hold a token, so it is not written here; set PARENTNET_URL in the environment of subnetd to the same value.`,
  lowLogLevel: (places: string) =>
    `LOG_LEVEL is below 3 in ${places}: the node logs no blocks, so where subnetd cannot read xdc.log the check of its log is degraded; set LOG_LEVEL=3 there and recreate the container.`,
  noAdmin: (places: string) =>
    `RPC_API is without admin in ${places}: where subnetd cannot use the IPC socket, peers are counted by net_peerCount (degraded); add ,admin to that line only if nobody else can reach the RPC port.`,
  noCheckpoint: (places: string) =>
    `CHECKPOINT_CONTRACT is not set in ${places}: until the checkpoint contract is deployed, the stats server restarts again and again and the relayer is idle.`,
  noContract: (place: string) =>
    `No checkpoint contract is known, so parentChain is left out, although PARENTNET_URL is set in ${place}; import again once the contract is deployed.`,
  otherMachine: (nodes: string) =>
    `On another machine: ${nodes}; put that machine's address into their rpc and p2p, which the compose file does not know.`,
  oneAddress: (places: string) =>
    `Published only at one address of the machine, which differs from --host: ${places}; make sure that subnetd reaches it at the address written here.`,
  unset: (variables: string) =>
    `No usable value in .env for ${variables}: what the compose file builds from it is left out; write it into .env, or complete the inventory by hand.`,
  ignored: (parts: string) =>
    `Not followed in the compose file: ${parts}; compare the inventory with \`docker compose config\`.`,
  dockerSocket: (place: string) =>
    `docker.socketPath is that of ${place}; the user that runs subnetd must be allowed to open it.`,
  dockerElsewhere: (place: string) =>
    `${place} does not reach Docker through a socket on this machine; write it into docker, as docs/docker-engines.md shows.`,
  remoteEngine: (engines: string) =>
    `Docker Engines of other machines: ${engines}; put their addresses and keys into docker.engines, as docs/docker-engines.md shows, and correct project where the folder there has another name; until then the checks of their containers are unknown.`,
  unpublished: (nodes: string) =>
    `The compose file does not publish the RPC port of ${nodes}; make sure that subnetd reaches the rpc written here.`,
  noUrl: (components: string) =>
    `The compose file publishes no port of ${components}; add its url if subnetd can reach it some other way.`,
  otherFrontend: (service: string) =>
    `${service} is not watched: subnetd watches one frontend of a subnet; watch that page with another tool, such as blackbox_exporter.`,
  compose: () =>
    'Written for a monitor in a container on the network of the deployment: without ipc and logFiles, so logs come through Docker; docs/compose.md shows how it joins that network.',
  hostNetwork: (services: string) =>
    `On the network of the host: ${services}; give the container of subnetd the line extra_hosts: ["host.docker.internal:host-gateway"].`,
  longIpc: (nodes: string) =>
    `The path of XDC.ipc is too long for a socket (over ${MAX_SOCKET_PATH_BYTES} bytes) and left out for ${nodes}; move the deployment to a shorter path.`,
  glob: (paths: string) =>
    `Entries of logFiles are globs, and ${paths} contains characters with a special meaning there; check that it finds its files.`,
  noProject: (folder: string) =>
    `The compose project name cannot be derived from ${folder}; add each container by hand, as { name: … }.`,
  remoteHost: (host: string) =>
    `Written for a monitor on a machine other than ${host}: without ipc, logFiles and container; leave --host out where the deployment runs.`,
} as const satisfies Record<string, (list: string) => string>;

/** Notes as sentences, one for each kind, in the order of the first note of each kind. */
export const formatNotes = (notes: readonly Note[]): readonly string[] =>
  [...Map.groupBy(notes, ({ kind }) => kind)].map(([kind, group]) =>
    SENTENCES[kind]([...new Set(group.map(({ what }) => what))].join(', ')),
  );
