import { basename, dirname, resolve } from 'node:path';
import { toPort } from '../../lib/addresses.ts';
import { DOCKER_ROOT } from '../../model/disk.ts';
import type { Container } from '../../model/observation.ts';
import { type ContainerSetup, type LogSetup, type PublishedPort, pickSettings } from '../../model/setup.ts';
import { isKept, type LogConfig, readEnv, readRotation, VARIABLES } from './log-container.ts';
import { toMembers } from './memory.ts';

/** Podman tells of each driver as Docker's json-file without options: how it keeps a log is not known. */
function toLogSetup(config: LogConfig | undefined, isPodman: boolean): LogSetup {
  const Type = isPodman ? undefined : config?.Type;
  const driver = typeof Type === 'string' && /^[\w./:@-]{1,100}$/.test(Type) ? Type : 'unknown';
  const rotation = readRotation(config);
  return { driver, isReadable: isKept(config), ...(rotation && { rotation }) };
}

/** Parses a mapping such as `{"8545/tcp": [{"HostIp": "0.0.0.0", "HostPort": "8545"}]}`. */
function toPublished(mapping: unknown): readonly PublishedPort[] {
  return Object.entries(toMembers(mapping) ?? {}).flatMap(([key, places]) => {
    const [port, protocol = 'tcp'] = key.split('/');
    const containerPort = toPort(port);
    if (containerPort === undefined || !Array.isArray(places)) return [];
    return places.flatMap((place: unknown): readonly PublishedPort[] => {
      const { HostIp, HostPort } = toMembers(place) ?? {};
      const hostIp = HostIp === undefined || HostIp === '' ? '0.0.0.0' : String(HostIp);
      const hostPort = toPort(HostPort);
      return hostPort === undefined || !/^[\da-f.:]{1,45}$/i.test(hostIp)
        ? []
        : [{ containerPort, protocol, hostIp, hostPort }];
    });
  });
}

/** The number after `-verbosity` among the arguments of a container. */
function readVerbosity(words: readonly unknown[]): number | undefined {
  const at = words.findIndex((word) => /^--?verbosity(?:=|$)/.test(String(word)));
  if (at < 0) return undefined;
  const [, given = String(words[at + 1])] = String(words[at]).split('=');
  return /^\d$/.test(given) ? Number(given) : undefined;
}

const isPath = (value: unknown): value is string => typeof value === 'string' && /^\/\P{Cc}{0,1000}$/u.test(value);

/** The folders of the engine's machine that a container writes to. Sockets and files are left out by who reads them. */
const toFolders = (mounts: unknown): readonly string[] =>
  (Array.isArray(mounts) ? mounts : []).flatMap((mount: unknown) => {
    const { Source, RW } = toMembers(mount) ?? {};
    return RW === true && isPath(Source) ? [Source] : [];
  });

/** Docker keeps the log of a container below its root; other drivers than its own have no path. */
const toRoot = (logPath: unknown): string =>
  (isPath(logPath) ? /^(.+)\/containers\/[\da-f]{64}\//.exec(logPath)?.[1] : undefined) ?? DOCKER_ROOT;

/** The folder of a container of Compose, if it was made from the files that Compose finds there by itself. */
function toOrigin(labels: unknown, env: unknown): ContainerSetup['origin'] {
  const labelOf = (name: string) => toMembers(labels)?.[`com.docker.compose.project.${name}`];
  const [folder, files] = [labelOf('working_dir'), String(labelOf('config_files')).split(',')];
  const isFound = (file: string) => /^(?:docker-)?compose(?:\.override)?\.ya?ml$/.test(basename(file));
  if (!isPath(folder) || !files.every((file) => isFound(file) && dirname(resolve(folder, file)) === folder))
    return undefined;
  return { folder, settings: pickSettings((name) => readEnv(env, name) ?? '') };
}

/**
 * Parses how a container was made from `GET /containers/ID/json`. Of its environment only harmless settings are read, and that it is Podman's. `isHere`: its engine runs
 * on this machine, so its folders are here.
 */
export function toContainerSetup(
  { id, name }: Pick<Container, 'id' | 'name'>,
  body: unknown,
  isHere: boolean,
): ContainerSetup {
  const { HostConfig, Config, Image, Args, NetworkSettings, Mounts, LogPath } = toMembers(body) ?? {};
  const { LogConfig, PortBindings } = toMembers(HostConfig) ?? {};
  const { Image: image, Env, Labels } = toMembers(Config) ?? {};
  // While it runs, Docker says which addresses it really took.
  const running = toPublished(toMembers(NetworkSettings)?.Ports);
  const verbosity = readVerbosity(Array.isArray(Args) ? Args : []);
  const [rpc, ws, p2p] = [VARIABLES.rpc, VARIABLES.ws, VARIABLES.p2p].map((names) => toPort(readEnv(Env, ...names)));
  const origin = isHere ? toOrigin(Labels, Env) : undefined;
  return {
    id,
    name,
    ...(typeof image === 'string' && /^[\w./:@-]{1,255}$/.test(image) ? { image } : {}),
    ...(typeof Image === 'string' && /^sha256:[\da-f]{64}$/.test(Image) ? { imageId: Image } : {}),
    log: toLogSetup(toMembers(LogConfig), readEnv(Env, 'container') === 'podman'),
    published: running.length > 0 ? running : toPublished(PortBindings),
    ports: { ...(rpc && { rpc }), ...(ws && { ws }), ...(p2p && { p2p }) },
    ...(verbosity !== undefined && { verbosity }),
    ...(origin && { origin }),
    ...(isHere && { folders: toFolders(Mounts), engineRoot: toRoot(LogPath) }),
  };
}
