import { isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { toPort } from '../../lib/addresses.ts';
import { isRecord } from '../../lib/values.ts';
import { isSettingName, type SettingName } from './env-file.ts';

/** The absolute path of a compose file, and the variables that Compose replaces in it. */
export interface ComposeContext {
  readonly folder: string;
  readonly variables: ReadonlyMap<string, string>;
}

/** A TCP port of a container. */
export interface PortMapping {
  readonly target: number;
  /** The port of the host; absent when Docker picks one. */
  readonly published?: number | undefined;
  /** The only address of the host that publishes it; absent for all of them. */
  readonly address?: string;
}

/** What a monitor needs of one service of a compose file. */
export interface ComposeService {
  readonly image: string;
  readonly profiles: readonly string[];
  /** The container shares the host's network, so its ports are the host's. */
  readonly hostNetwork: boolean;
  /** The fixed IPv4 address on the compose network. */
  readonly address?: string;
  /** TCP ports in the order of the file. */
  readonly ports: readonly PortMapping[];
  /** Folders and files of the host, as absolute paths, by their absolute path in the container. */
  readonly mounts: ReadonlyMap<string, string>;
  /** Absolute paths. */
  readonly envFiles: readonly string[];
  readonly environment: ReadonlyMap<SettingName, string>;
  /** The variables that stand in what is read of it, and that have no value. */
  readonly unset: readonly string[];
}

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const REFERENCE = /\$\$|\$\{(\w+)(?::?-([^}]*))?\}|\$\{[^}]*\}|\$(\w+)/g;

/** The variables that stand in a text of the compose file, and whether each has a default there. */
export const variablesIn = (text: string): readonly { readonly name: string; readonly hasDefault: boolean }[] =>
  [...text.matchAll(REFERENCE)].flatMap(([, braced, fallback, bare]) => {
    const name = braced ?? bare;
    return name === undefined ? [] : [{ name, hasDefault: fallback !== undefined }];
  });

/** Replaces `${NAME}`, `${NAME:-default}` and `$NAME` as Compose does; undefined if a variable is unknown. */
export function expand(text: unknown, { variables }: ComposeContext): string | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  let known = true;
  const expanded = String(text).replace(
    REFERENCE,
    (reference, braced: string | undefined, fallback: string | undefined, bare: string | undefined) => {
      if (reference === '$$') return '$';
      const value = variables.get(braced ?? bare ?? '') ?? fallback;
      known &&= value !== undefined;
      return value ?? '';
    },
  );
  return known ? expanded : undefined;
}

/** The ports of `8545` or `8545-8548`; none when they are none. */
function toPorts(text: string | undefined): readonly number[] {
  const [first, last = first, ...rest] = (text ?? '').split('-').map(toPort);
  if (first === undefined || last === undefined || rest.length > 0) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** An address of the host; undefined for all of them. */
function toAddress(text: string | undefined): string | undefined {
  const address = text?.replace(/^\[(.*)\]$/, '$1') ?? '';
  return isIP(address) !== 0 && !/^[0:.]+$/.test(address) ? address : undefined;
}

function toPortMappings(entry: unknown, context: ComposeContext): ComposeService['ports'] {
  const long = isRecord(entry) ? entry : undefined;
  const short = /^(?:(?:(.*):)?([\d-]+):)?([\d-]+)(?:\/(\w+))?$/.exec((long ? '' : expand(entry, context)) ?? '');
  if ((long?.protocol ?? short?.[4]) === 'udp') return [];
  const targets = toPorts(long ? expand(long.target, context) : short?.[3]);
  const published = toPorts(long ? expand(long.published, context) : short?.[2]);
  const address = toAddress(long ? expand(long.host_ip, context) : short?.[1]);
  // Of a range for fewer ports, Docker takes any.
  const isPaired = published.length === targets.length;
  return targets.map((target, index) => ({
    target,
    ...(isPaired && { published: published[index], ...(address !== undefined && { address }) }),
  }));
}

function toMount(entry: unknown, context: ComposeContext): readonly (readonly [target: string, source: string])[] {
  // A default inside a variable may contain the colon that separates the parts.
  const short = typeof entry === 'string' ? /^((?:\$\{[^}]*\}|(?!\$\{)[^:])+):([^:]+)(?::[^:]*)?$/.exec(entry) : null;
  const long = isRecord(entry) && entry.type !== 'volume' ? entry : undefined;
  const source = expand(long ? long.source : short?.[1], context);
  const target = expand(long ? long.target : short?.[2], context);
  // Anything that does not start like a path is the name of a volume.
  if (source === undefined || target === undefined || !/^[./]/.test(source)) return [];
  return [[resolve(target), resolve(context.folder, source)]];
}

/** A list of `NAME=value` or of names as a mapping; the other form that Compose allows for some keys. */
export const toMapping = (value: readonly unknown[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    value.map((entry): [string, unknown] => {
      const [, name = String(entry), text = null] = /^([^=]*)=(.*)$/s.exec(String(entry)) ?? [];
      return [name, text];
    }),
  );

/** The settings of `environment`, as they stand there. */
function toSettings(value: unknown): readonly (readonly [SettingName, unknown])[] {
  const entries = Object.entries(isRecord(value) ? value : toMapping(toList(value)));
  return entries.flatMap(([name, text]): [SettingName, unknown][] => (isSettingName(name) ? [[name, text]] : []));
}

/**
 * Reads a service of a compose file, in the short and the long forms of the Compose specification
 * (https://github.com/compose-spec/compose-spec). What has an unknown form is left out.
 */
export function toComposeService(value: Readonly<Record<string, unknown>>, context: ComposeContext): ComposeService {
  const { image, profiles, ports, volumes, env_file } = value;
  const settings = toSettings(value.environment);
  const used = variablesIn(JSON.stringify([image, ports, volumes, env_file, value.networks, settings]));
  const hostNetwork = expand(value.network_mode, context) === 'host';
  const networks = isRecord(value.networks) ? Object.values(value.networks) : [];
  const address = networks
    .map((network) => (isRecord(network) ? network.ipv4_address : undefined))
    .map((ip) => expand(ip, context))
    .find((ip): ip is string => ip !== undefined && isIPv4(ip));
  return {
    image: typeof image === 'string' ? (expand(image, context) ?? image) : '',
    profiles: toList(profiles).map(String),
    hostNetwork,
    // The generator of private networks writes both; on the network of the host a container has no address of its own.
    ...(!hostNetwork && address !== undefined && { address }),
    ports: toList(ports).flatMap((entry) => toPortMappings(entry, context)),
    mounts: new Map(toList(volumes).flatMap((entry) => toMount(entry, context))),
    envFiles: toList(env_file).flatMap((entry) => {
      const path = expand(isRecord(entry) ? entry.path : entry, context);
      return path === undefined ? [] : [resolve(context.folder, path)];
    }),
    environment: new Map(
      settings.flatMap(([name, text]): [SettingName, string][] => {
        const expanded = expand(text, context);
        return expanded === undefined ? [] : [[name, expanded]];
      }),
    ),
    unset: used.flatMap(({ name, hasDefault }) => (hasDefault || context.variables.has(name) ? [] : [name])),
  };
}
