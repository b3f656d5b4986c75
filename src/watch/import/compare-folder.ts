import { stat } from 'node:fs/promises';
import { settleWithin } from '../../lib/promises.ts';
import { joinAnd, listNames, toShellWord } from '../../lib/words.ts';
import { type ContainerSetup, type ProjectSetup, pickSettings } from '../../model/setup.ts';
import { isNodeKey, readComposeFile } from './compose-file.ts';
import type { ComposeService } from './compose-service.ts';
import { readServiceSettings } from './deployment-settings.ts';

/** A file system that does not answer must not stop the daemon. */
const WITHIN_MS = 5_000;

/** More differences than these are counted. */
const MOST = 8;

/** They have the env file of the relayer, to which the contract is added after their start, and read none of the settings. */
const NO_READERS = ['bootnode', 'frontend'];

/** Podman names images in full. */
const toImage = (name: string): string => name.replace(/^docker\.io\/(?:library\/)?|:latest$/g, '');

const joinPorts = (ports: readonly string[]): string => joinAnd([...new Set(ports)].toSorted());

/** What the files say of a service, and with what its container was created; undefined where that is not known. */
function listCompared(key: string, service: ComposeService, made: ContainerSetup, folder: string, composeName: string) {
  const { image, ports, hostNetwork, unset } = service;
  const { values, notes } = readServiceSettings(key, service, { folder, composeName });
  // What a variable of a shell or a file that is not read would change is not known.
  const areKnown = unset.length + notes.length === 0 && !NO_READERS.includes(key);
  const arePortsKnown = unset.length === 0 && !hostNetwork && ports.every(({ published }) => published !== undefined);
  const isImageKnown = image !== '' && !image.includes('$') && made.image !== undefined;
  const open = made.published.filter(({ protocol }) => protocol === 'tcp');
  return [
    ...[...pickSettings((name) => (areKnown ? values.get(name)?.value : undefined))].map(
      ([name, value]) =>
        [`${values.get(name)?.where} sets ${name} to`, value, made.origin?.settings.get(name)] as const,
    ),
    [`${composeName} names the image`, isImageKnown ? toImage(image) : undefined, toImage(made.image ?? '')] as const,
    [
      `${composeName} publishes`,
      arePortsKnown ? joinPorts(ports.map(({ published, target }) => `${published}:${target}`)) : undefined,
      joinPorts(open.map(({ hostPort, containerPort }) => `${hostPort}:${containerPort}`)),
    ] as const,
  ];
}

/** Compares the folder of a project with its containers, by their services, and looks for nodes that are not known elsewhere. */
export async function compareFolder(
  project: string,
  folder: string,
  made: ReadonlyMap<string, ContainerSetup>,
  isKnown: (service: string) => boolean,
): Promise<NonNullable<ProjectSetup['drift']>> {
  if (!(await settleWithin(WITHIN_MS, stat(folder)))) return { ok: false, why: `${folder} does not answer` };
  const read = readComposeFile(folder);
  if (!read.ok) return { ok: false, why: read.errors.join(' ').replace(/;.*/s, '') };
  const { name, services, ignored } = read.file;
  if (ignored.length > 0) return { ok: false, why: `subnetd does not follow ${joinAnd(ignored)} in ${name}` };
  const differing = [...made].flatMap(([key, container]) => {
    const service = services.get(key);
    const compared = service ? listCompared(key, service, container, folder, name) : [];
    return compared.flatMap(([says, is, was]) =>
      is === undefined || was === undefined || is === was ? [] : [{ key, says: `${says} ${is || 'nothing'}`, was }],
    );
  });
  // Nodes of another machine have a profile of which nothing runs here.
  const profiles = new Set([...made.keys()].flatMap((key) => services.get(key)?.profiles ?? []));
  const added = [...services].flatMap(([key, { profiles: own }]) =>
    isNodeKey(key) && !isKnown(key) && (own.length === 0 || own.some((one) => profiles.has(one))) ? [key] : [],
  );
  const seen = [...Map.groupBy(differing, ({ says, was }) => `${says} ${was}`).values()].map((alike) => {
    const keys = alike.map(({ key }) => key);
    return `${alike[0]?.says}, and ${joinAnd(keys)} ${keys.length === 1 ? 'was' : 'were'} created with ${alike[0]?.was || 'none'}`;
  });
  if (added.length > 0) seen.push(`${name} has ${joinAnd(added)}, and neither Docker nor the inventory does`);
  if (seen.length === 0) return { ok: true, value: undefined };
  const [first, ...others] = new Set(differing.map(({ key }) => key));
  const then = others.length > 0 ? `, then the same for ${listNames(others)}, one after another` : '';
  const place = toShellWord(folder);
  const fixes = [
    first &&
      `if the files are right, run \`cd ${place} && HOSTPWD=$PWD docker compose -p ${project} up -d ${first}\`${then}; else correct them`,
    added.length > 0 &&
      `add ${joinAnd(added)} to the inventory as \`subnetd import ${place}\` prints it, or correct ${name}`,
  ];
  const more = seen.length > MOST ? [`and ${seen.length - MOST} more`] : [];
  const evidence = [...seen.slice(0, MOST), ...more].join('; ');
  return { ok: true, value: { evidence, fix: fixes.filter(Boolean).join('; ') } };
}
