import { formatDuration } from '../../../lib/duration.ts';
import { collect } from '../../../lib/values.ts';
import { formatCount, listEach } from '../../../lib/words.ts';
import type { ContainerSetup, PublishedPort } from '../../../model/setup.ts';
import type { Component, Target } from '../../../model/target.ts';
import { commandToRecreate, LOG_ROTATION, serviceOf } from '../../clients/commands-to-type.ts';
import type { SubnetView, TargetView } from '../subnet-view.ts';
import { type Found, findEach, suspect, suspectTarget } from '../suspect.ts';

/** Docker should keep at least as much: some minutes of a busy node, which prints 5 kB a second (measured at level 4). */
const LEAST_BYTES = 1e6;
const BUSY_BYTES_PER_MS = 5;

/** A bootnode prints the pings that it receives from this level on (XDC-Subnet p2p/discover/udp.go: Trace). */
const PINGS_LEVEL = 5;

/** A target with how its container was made, where that was read. */
const toMade = (one: TargetView) =>
  one.setup.container?.ok ? { one, target: one.state.target, container: one.setup.container.value } : undefined;

type Made = NonNullable<ReturnType<typeof toMade>>;

/** A log of which Docker keeps less than some minutes. */
function findSmall({ one, target: { name, container: ref }, container: { name: container, log } }: Made): Found {
  const { fileBytes, files } = log.rotation ?? { fileBytes: LEAST_BYTES, files: 1 };
  const bytes = fileBytes * files;
  if (bytes >= LEAST_BYTES) return undefined;
  return suspectTarget('log_rotation_small', one, {
    summary: `Docker keeps too little of the log of ${name}`,
    evidence: `Docker keeps ${formatCount(files, 'file', 'files')} of ${Math.round(fileBytes / 1e3)} kB of ${container}, which a busy node fills in ${formatDuration(bytes / BUSY_BYTES_PER_MS)}`,
    fix: `write ${LOG_ROTATION} below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
  });
}

/** Logs that grow until the disk is full. */
function findEndless(made: readonly Made[]): Found {
  const endless = made.filter(({ container: { log } }) => log.driver === 'json-file' && log.rotation === undefined);
  const [first] = endless;
  if (first === undefined) return undefined;
  const { name, container } = first.target;
  return suspect('log_rotation_missing', {
    summary: 'Docker never throws log lines away, so they fill the disk',
    evidence: `the log driver json-file has no max-size for ${endless.length} of ${made.length} containers: ${listEach(endless, ({ target }) => target.name)}`,
    fix: `write \`"log-opts": { "max-size": "20m", "max-file": "5" }\` into /etc/docker/daemon.json and restart Docker, or ${LOG_ROTATION} below each service in docker-compose.yml; then recreate each container, for ${name}: ${commandToRecreate(container)}`,
  });
}

/** A bootnode whose log does not show from which nodes it receives pings. */
function findQuiet({ one, target, container: { name: container, verbosity } }: Made): Found {
  const { component, name, container: ref } = target;
  if (component !== 'bootnode' || verbosity === undefined || verbosity >= PINGS_LEVEL) return undefined;
  return suspectTarget('bootnode_log_quiet', one, {
    summary: 'the log of the bootnode does not show whom it hears',
    evidence: `${container} runs with -verbosity ${verbosity}, and pings are printed from ${PINGS_LEVEL} on`,
    fix: `write \`command: ["-verbosity", "6", "-nodekey", "bootnode.key"]\` below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
  });
}

/** What not everybody should reach of a service. The frontend is for people, and the p2p port must be open. */
const GUARDED: Partial<Record<Component, string>> = { relayer: 'the page of the relayer', stats: 'the stats server' };

/** What answers at a port that not everybody should reach; else undefined. */
function nameGuarded(target: Target, { ports }: ContainerSetup, { containerPort, hostPort }: PublishedPort) {
  if (target.component !== 'node') return GUARDED[target.component];
  if (containerPort === ports.ws) return 'WebSocket';
  return containerPort === ports.rpc || String(hostPort) === URL.parse(target.rpc ?? '')?.port ? 'RPC' : undefined;
}

/** The ports that are open to everybody who reaches the machine, and what answers there. */
function findOpen(target: Target, container: ContainerSetup) {
  const open = new Map<number, PublishedPort & { readonly what: string }>();
  for (const port of container.published) {
    const what = ['0.0.0.0', '::'].includes(port.hostIp) ? nameGuarded(target, container, port) : undefined;
    if (what !== undefined && port.protocol === 'tcp') open.set(port.hostPort, { ...port, what });
  }
  return [...open.values()];
}

/** Ports of nodes, relayer and stats server that Docker publishes on all addresses of their machines. */
function findPublished(made: readonly Made[]): Found {
  const open = made
    .map(({ target, container }) => ({ target, ports: findOpen(target, container) }))
    .filter(({ ports }) => ports.length > 0);
  const [first] = open;
  const [port] = first?.ports ?? [];
  if (first === undefined || port === undefined) return undefined;
  const { name, container } = first.target;
  const line = `${port.hostPort}:${port.containerPort}`;
  const described = listEach(
    open,
    ({ target, ports }) => `${target.name} (${ports.map(({ hostPort, what }) => `${hostPort}, ${what}`).join('; ')})`,
  );
  return suspect('ports_published', {
    summary: 'Docker publishes ports to everybody who reaches its machine',
    evidence: `published on all addresses: ${described}`,
    fix: `below \`ports:\` in docker-compose.yml write the address before the port, for ${serviceOf(container, name)} \`127.0.0.1:${line}\` in place of \`${line}\`, or the address of a private network, and ${commandToRecreate(container)}; a firewall such as ufw does not stop what Docker publishes`,
  });
}

/** Containers whose logs show too little, lose lines, or fill the disk, and whose ports are open to everybody. */
export function findContainerSetup(view: SubnetView): readonly Found[] {
  const made = collect(view.targets, toMade);
  return [...findEach(made, view, findSmall, findQuiet), findEndless(made), findPublished(made)];
}
