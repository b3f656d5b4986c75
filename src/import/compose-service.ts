import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { isRecord } from '../model/record.ts';
import { isSettingName, type SettingName } from './env-file.ts';

/** The absolute path of a compose file, and the variables that Compose replaces in it. */
export interface ComposeContext {
  readonly folder: string;
  readonly variables: ReadonlyMap<string, string>;
}

/** What a monitor needs of one service of a compose file. */
export interface ComposeService {
  readonly image: string;
  readonly profiles: readonly string[];
  /** The container shares the host's network, so its ports are the host's. */
  readonly hostNetwork: boolean;
  /** The fixed IPv4 address on the compose network. */
  readonly address?: string;
  /** TCP ports in the order of the file; `published` is absent when Docker picks one. */
  readonly ports: readonly { readonly target: number; readonly published?: number }[];
  /** Folders and files of the host, as absolute paths, by their absolute path in the container. */
  readonly mounts: ReadonlyMap<string, string>;
  /** Absolute paths. */
  readonly envFiles: readonly string[];
  readonly environment: ReadonlyMap<SettingName, string>;
}

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** Replaces `${NAME}`, `${NAME:-default}` and `$NAME` as Compose does; undefined if a variable is unknown. */
export function expand(text: unknown, { variables }: ComposeContext): string | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  let known = true;
  const expanded = String(text).replace(
    /\$\$|\$\{(\w+)(?::?-([^}]*))?\}|\$\{[^}]*\}|\$(\w+)/g,
    (reference, braced: string | undefined, fallback: string | undefined, bare: string | undefined) => {
      if (reference === '$$') return '$';
      const value = variables.get(braced ?? bare ?? '') ?? fallback;
      known &&= value !== undefined;
      return value ?? '';
    },
  );
  return known ? expanded : undefined;
}

/** A port number from text or a number; undefined for anything else. */
export function toPort(value: unknown): number | undefined {
  const port = /^\d{1,5}$/.test(String(value)) ? Number(value) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** The ports of `8545` or `8545-8548`; none when they are none. */
function toPorts(text: string | undefined): readonly number[] {
  const [first, last = first, ...rest] = (text ?? '').split('-').map(toPort);
  if (first === undefined || last === undefined || rest.length > 0) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function toPortMappings(entry: unknown, context: ComposeContext): ComposeService['ports'] {
  const long = isRecord(entry) ? entry : undefined;
  const short = /^(?:(?:.*:)?([\d-]+):)?([\d-]+)(?:\/(\w+))?$/.exec((long ? '' : expand(entry, context)) ?? '');
  if ((long?.protocol ?? short?.[3]) === 'udp') return [];
  const targets = toPorts(long ? expand(long.target, context) : short?.[2]);
  const published = toPorts(long ? expand(long.published, context) : short?.[1]);
  // Of a range for fewer ports, Docker takes any.
  const isPaired = published.length === targets.length;
  return targets.map((target, index) => ({ target, published: isPaired ? published[index] : undefined }));
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

function toEnvironment(value: unknown, context: ComposeContext): ComposeService['environment'] {
  const entries = isRecord(value)
    ? Object.entries(value)
    : toList(value).map((entry): [string, unknown] => {
        const [, name = '', text] = /^([^=]*)=(.*)$/s.exec(String(entry)) ?? [];
        return [name, text];
      });
  return new Map(
    entries.flatMap(([name, text]): [SettingName, string][] => {
      const expanded = isSettingName(name) ? expand(text, context) : undefined;
      return isSettingName(name) && expanded !== undefined ? [[name, expanded]] : [];
    }),
  );
}

/**
 * Reads a service of a compose file, in the short and the long forms of the Compose specification
 * (https://github.com/compose-spec/compose-spec). What has an unknown form is left out.
 */
export function toComposeService(value: Readonly<Record<string, unknown>>, context: ComposeContext): ComposeService {
  const networks = isRecord(value.networks) ? Object.values(value.networks) : [];
  const address = networks
    .map((network) => (isRecord(network) ? network.ipv4_address : undefined))
    .find((ip): ip is string => typeof ip === 'string' && isIPv4(ip));
  return {
    image: typeof value.image === 'string' ? value.image : '',
    profiles: toList(value.profiles).map(String),
    hostNetwork: value.network_mode === 'host',
    address,
    ports: toList(value.ports).flatMap((entry) => toPortMappings(entry, context)),
    mounts: new Map(toList(value.volumes).flatMap((entry) => toMount(entry, context))),
    envFiles: toList(value.env_file).flatMap((entry) => {
      const path = expand(isRecord(entry) ? entry.path : entry, context);
      return path === undefined ? [] : [resolve(context.folder, path)];
    }),
    environment: toEnvironment(value.environment, context),
  };
}
