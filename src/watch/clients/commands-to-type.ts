import { nameSome, toShellWord } from '../../lib/words.ts';
import type { ContainerRef, Target } from '../../model/target.ts';

/** The command that shows the last output of a target's program, as far as the inventory says where it runs. */
export function commandToSeeLog({ container, component, name }: Target): string {
  if (container === undefined)
    return `read the log of the ${component === 'node' ? `node ${name}` : component === 'stats' ? 'stats server' : component}`;
  return 'name' in container
    ? `run \`docker logs --tail 50 ${toShellWord(container.name)}\``
    : `run \`docker compose -p ${toShellWord(container.project)} logs --tail 50 ${toShellWord(container.service)}\``;
}

/** A container as the inventory names it. */
export const describeRef = (ref: ContainerRef): string =>
  'name' in ref ? `the container ${ref.name}` : `the service ${ref.service} of the compose project ${ref.project}`;

type ServiceRef = Exclude<ContainerRef, { readonly name: string }>;

/**
 * The command that makes the container of a service. The compose file of a generated deployment mounts what is below HOSTPWD; without
 * it, a node begins with an empty folder.
 */
const composeUp = ({ project, service }: ServiceRef, flags: readonly string[] = []): string =>
  `\`HOSTPWD=$PWD docker compose ${['-p', toShellWord(project), 'up', '-d', ...flags, toShellWord(service)].join(' ')}\` in the folder of its compose file`;

/** The commands that find and create a container that is missing. One of another name may run the same node with the same key. */
export function commandToCreate(ref: ContainerRef): string {
  const [filter, create] =
    'name' in ref
      ? [`name=${ref.name}`, 'create it']
      : [`label=com.docker.compose.service=${ref.service}`, `create it with ${composeUp(ref)}`];
  return `look for it with \`docker ps -a --filter ${toShellWord(filter)}\`: if it is there under another name, correct the inventory, else ${create}`;
}

/** The command that lists what may be the container of a target under another name. */
export const commandToFind = (ref: ContainerRef | undefined): string =>
  ref === undefined || 'name' in ref
    ? '`docker ps`'
    : `\`docker ps --filter ${toShellWord(`label=com.docker.compose.service=${ref.service}`)}\`, or with \`docker ps\` if it was not made by Compose`;

/** How to raise the limit of file descriptors, as the end of a sentence about subnetd. */
export const RAISE_DESCRIPTORS = 'with LimitNOFILE in its systemd unit or with ulimit -n, and restart it';

/** A call that a person can repeat; the address has no user info. */
export const commandToCall = (address: string, method: string, params: string): string =>
  `curl -s -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}' ${toShellWord(address)}`;

const recreate = (ref: ContainerRef | undefined, flags?: readonly string[]): string =>
  ref === undefined || 'name' in ref
    ? `recreate ${ref === undefined ? 'its container' : `the container ${ref.name}`}`
    : `run ${composeUp(ref, flags)}`;

/** The command that makes a container again after a change in its compose file. */
export const commandToRecreate = (ref: ContainerRef | undefined): string => recreate(ref);

/** The same after a change that its compose file may not show, or none at all. */
export const commandToReplace = (ref: ContainerRef | undefined): string => recreate(ref, ['--force-recreate']);

/** The name of a container in its compose file. */
export const serviceOf = (ref: ContainerRef | undefined, name: string): string =>
  ref === undefined || 'name' in ref ? name : ref.service;

/** The lines of a compose file by which Docker keeps a log for a while, but not for ever. */
export const LOG_ROTATION = '`logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }`';

/** A command for one container, which may as well be given for several: what to do, and the command without the name. */
const OF_CONTAINER = /^(start|resume|restart) it with (`docker \w+) (\S+)`$/;

/** What to do about each of several, without what is next if that does not help: together where it is the same, or the same command. */
export function joinFixes(ones: readonly { readonly name?: string; readonly fix: string }[]): readonly string[] {
  const all = ones.map(({ name, fix: whole }) => {
    const [fix = ''] = whole.split('; if ');
    const [, act, command, container] = OF_CONTAINER.exec(fix) ?? [];
    return { name, fix, way: act === undefined ? fix : `${act} them with ${command}`, container };
  });
  return [
    ...Map.groupBy(
      all.filter(({ way }) => way !== ''),
      ({ way }) => way,
    ),
  ].map(([way, some]) => {
    const containers = some.flatMap(({ container }) => container ?? []);
    const names = nameSome(some.flatMap(({ name }) => name ?? []));
    const [{ fix } = { fix: way }, ...others] = some;
    if (names === '') return fix;
    if (others.length === 0) return `for ${names}: ${fix}`;
    // What is said of one is said of each.
    return containers.length === 0 ? `for each of ${names}: ${way}` : `for ${names}: ${way} ${containers.join(' ')}\``;
  });
}
