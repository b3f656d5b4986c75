import type { ContainerRef, Target } from './target.ts';
import { toShellWord } from './to-shell-word.ts';

/** The command that shows the last output of a target's program, as far as the inventory says where it runs. */
export function commandToSeeLog({ container, component, name }: Target): string {
  if (container === undefined) return `read the log of ${component === name ? `the ${name}` : `the node ${name}`}`;
  return 'name' in container
    ? `run \`docker logs --tail 50 ${toShellWord(container.name)}\``
    : `run \`docker compose -p ${toShellWord(container.project)} logs --tail 50 ${toShellWord(container.service)}\``;
}

/** A container as the inventory names it. */
export const describeRef = (ref: ContainerRef): string =>
  'name' in ref ? `the container ${ref.name}` : `the service ${ref.service} of the compose project ${ref.project}`;

/** The commands that find and create a container that is missing. */
export function commandToCreate(ref: ContainerRef): string {
  if ('name' in ref)
    return `look for it with \`docker ps -a --filter ${toShellWord(`name=${ref.name}`)}\`, create it, or correct the inventory`;
  const labels = ['project', 'service'] as const;
  const filters = labels
    .map((key) => `--filter ${toShellWord(`label=com.docker.compose.${key}=${ref[key]}`)}`)
    .join(' ');
  return `look with \`docker ps -a ${filters}\`, and create it with \`docker compose -p ${toShellWord(ref.project)} up -d ${toShellWord(ref.service)}\` in the folder of its compose file`;
}

/** How to raise the limit of file descriptors, as the end of a sentence about subnetd. */
export const RAISE_DESCRIPTORS = 'with LimitNOFILE in its systemd unit or with ulimit -n, and restart it';

/** A call that a person can repeat; the address has no user info. */
export const commandToCall = (address: string, method: string, params: string): string =>
  `curl -s -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}' ${toShellWord(address)}`;

/** The command that makes a container again after a change in its compose file. */
export const commandToRecreate = (ref: ContainerRef | undefined): string =>
  ref === undefined || 'name' in ref
    ? `recreate ${ref === undefined ? 'its container' : `the container ${ref.name}`}`
    : `run \`docker compose -p ${toShellWord(ref.project)} up -d ${toShellWord(ref.service)}\``;

/** The same after a change that its compose file may not show, or none at all. */
export const commandToReplace = (ref: ContainerRef | undefined): string =>
  commandToRecreate(ref).replace(' up -d ', ' up -d --force-recreate ');

/** The name of a container in its compose file. */
export const serviceOf = (ref: ContainerRef | undefined, name: string): string =>
  ref === undefined || 'name' in ref ? name : ref.service;

/** The lines of a compose file by which Docker keeps a log for a while, but not for ever. */
export const LOG_ROTATION = '`logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }`';
