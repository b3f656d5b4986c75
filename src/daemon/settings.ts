import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { hostname } from 'node:os';
import { ENCODE_PASSWORD, parseTrustedProxies } from '../lib/addresses.ts';
import { type MailSettings, parseMailSettings } from '../lib/mail/mail-settings.ts';
import { FLEET_STATE } from '../model/fleet.ts';
import { parseShard, type Shard } from '../model/shard.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../store/database-url.ts';

/** Settings other than the inventory. */
export interface Settings extends LinkSettings {
  readonly configPath: string;
  readonly listen: Listen;
  readonly logLevel: string;
  readonly instance: string;
  /** Which part of the inventory's subnets this process watches; undefined for all. */
  readonly shard?: Shard;
  /** Whether people without a credential see a status page without details. */
  readonly isPublic: boolean;
  readonly history: HistorySettings;
  readonly platform: PlatformSettings;
}

/** For how many days the history is kept: its changes, the uptimes of days, and incidents that have ended. */
export interface HistorySettings {
  readonly changes: number;
  readonly days: number;
  readonly incidents: number;
}

/** Settings of the platform API, of its database, and of the server. */
export interface PlatformSettings {
  readonly database: DatabaseAddress;
  readonly jwtSecret?: string;
  /** Secrets that are kept outside of the database, the newest first. */
  readonly secretKeys: readonly string[];
  /** Whether every admin user needs one-time codes. */
  readonly requiresOtp?: boolean;
  readonly trustedProxies: BlockList;
  /** The origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
  /** Requests per second, burst, and sign-ins per minute; 0 turns a limit off. */
  readonly limits: { readonly rate: number; readonly burst: number; readonly signIns: number };
  /** The path of a web config file: TLS and basic auth. */
  readonly webConfig?: string;
  /** The mail server; without one no mail is sent. */
  readonly mail?: MailSettings;
  /** The address of this subnetd for people, with which links begin. */
  readonly publicUrl?: string;
}

/** Where to listen; port 0 takes a free one. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** The settings, or one sentence for each bad one. */
export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly errors: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the process; nothing else reads it. */
export const readEnvironment = (): Environment => process.env;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Parses `HOST:PORT`, with an IPv6 address in brackets; undefined for anything else. */
function parseListen(text: string): Listen | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65535 ? undefined : { host, port };
}

/** A setting from `NAME`, or from the file in `NAME_FILE` without its last line break. */
function read(environment: Environment, name: string, errors: string[]): string | undefined {
  const path = environment[`${name}_FILE`];
  if (path === undefined || path === '') return environment[name] || undefined;
  if (environment[name]) errors.push(`${name} and ${name}_FILE are both set; unset one of them`);
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    errors.push(`${name}_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}); correct the path`);
    return undefined;
  }
}

/** The start of links, from a flag or the environment. */
function readLink(environment: Environment, name: string, errors: string[], flag?: string): string | undefined {
  const text = flag ?? read(environment, name, errors);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isGood = url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.search}${url.hash}` === '';
  const given = flag === undefined ? name : `--${name.slice('SUBNETD_'.length).toLowerCase().replace('_', '-')}`;
  if (!isGood) errors.push(`${given} must be an address such as http://subnetd.example.com:10545, without user info`);
  return text.replace(/\/+$/, '');
}

/**
 * The addresses of this subnetd, Grafana and Prometheus for people, without a slash at the end. Links in alerts, on
 * dashboards and pages begin with them.
 */
export interface LinkSettings {
  readonly publicUrl?: string;
  readonly grafanaUrl?: string;
  readonly prometheusUrl?: string;
}

/** Reads the starts of links; `errors` gets a sentence for each bad one. */
export function parseLinkSettings(environment: Environment, flags: LinkSettings, errors: string[]): LinkSettings {
  const publicUrl = readLink(environment, 'SUBNETD_PUBLIC_URL', errors, flags.publicUrl);
  const grafanaUrl = readLink(environment, 'SUBNETD_GRAFANA_URL', errors, flags.grafanaUrl);
  const prometheusUrl = readLink(environment, 'SUBNETD_PROMETHEUS_URL', errors);
  return { publicUrl, grafanaUrl, prometheusUrl };
}

/** `true` or `false`; false when it is not set. */
function readSwitch(read: (name: string) => string | undefined, name: string, errors: string[]): boolean {
  const text = read(name) ?? 'false';
  if (text !== 'true' && text !== 'false') errors.push(`${name} must be true or false`);
  return text === 'true';
}

/** The address to listen on; undefined, with an error, if it is not an address. */
function readListen(
  environment: Environment,
  flags: { readonly listen?: string },
  defaultListen: string,
  errors: string[],
): Listen | undefined {
  const listen = parseListen(flags.listen ?? read(environment, 'SUBNETD_LISTEN', errors) ?? defaultListen);
  if (listen === undefined)
    errors.push(
      `${flags.listen === undefined ? 'SUBNETD_LISTEN' : '--listen'} must be HOST:PORT, such as 127.0.0.1:10545`,
    );
  return listen;
}

/** The shard from a flag or the environment; an error if it is none. */
function readShard(environment: Environment, flags: { readonly shard?: string }, errors: string[]): Shard | undefined {
  const text = flags.shard ?? read(environment, 'SUBNETD_SHARD', errors);
  const shard = text === undefined ? undefined : parseShard(text);
  if (text !== undefined && shard === undefined)
    errors.push(
      `${flags.shard === undefined ? 'SUBNETD_SHARD' : '--shard'} must be I/N, the index from 0 and the total, such as 0/3, 1/3 and 2/3`,
    );
  return shard;
}

const DEFAULT_LISTEN = '0.0.0.0:10545';

/** Reads only the settings of the server's address, so no other setting can be wrong. */
export function parseServerSettings(
  environment: Environment,
  flags: { readonly listen?: string },
):
  | { readonly ok: true; readonly listen: Listen; readonly webConfig: string | undefined }
  | { readonly ok: false; readonly errors: readonly string[] } {
  const errors: string[] = [];
  const listen = readListen(environment, flags, DEFAULT_LISTEN, errors);
  const webConfig = read(environment, 'SUBNETD_WEB_CONFIG', errors);
  return listen === undefined || errors.length > 0 ? { ok: false, errors } : { ok: true, listen, webConfig };
}

const DEFAULT_CONFIG = 'config/subnetd.yaml';

/** Reads only the path of the inventory, so no other setting can be wrong. */
export function parseConfigPath(environment: Environment, flag: string | undefined) {
  const errors: string[] = [];
  const path = flag ?? read(environment, 'SUBNETD_CONFIG', errors) ?? DEFAULT_CONFIG;
  return errors.length > 0 ? { ok: false as const, errors } : { ok: true as const, path };
}

/** Reads for how long the history is kept; `errors` gets a sentence for each bad setting. */
export function parseHistorySettings(read: (name: string) => string | undefined, errors: string[]): HistorySettings {
  const days = (name: string, fallback: number) => {
    const text = read(name) ?? `${fallback}d`;
    if (!/^[1-9]\d{0,3}d$/.test(text))
      errors.push(`${name} must be a number of days from 1d to 9999d, such as ${fallback}d`);
    return Number.parseInt(text, 10);
  };
  return {
    changes: days('SUBNETD_HISTORY_CHANGES', 30),
    days: days('SUBNETD_HISTORY_DAYS', 365),
    incidents: days('SUBNETD_HISTORY_INCIDENTS', 365),
  };
}

/** HS256 is as strong as its secret is long, up to 32 bytes. */
const SECRET_BYTES = 32;

/** Reads the settings. `read` returns the text of one; `errors` gets a sentence for each bad one. */
export function parsePlatformSettings(
  read: (name: string) => string | undefined,
  errors: string[],
  publicUrl?: string,
): PlatformSettings | undefined {
  const before = errors.length;
  const database = parseDatabaseUrl(read('SUBNETD_DATABASE_URL') ?? 'sqlite:data/subnetd.db');
  if (database === undefined)
    errors.push(
      `SUBNETD_DATABASE_URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE; ${ENCODE_PASSWORD}`,
    );
  const trusted = parseTrustedProxies(read('SUBNETD_TRUSTED_PROXIES') ?? '');
  if (!trusted.ok)
    errors.push(`SUBNETD_TRUSTED_PROXIES: ${trusted.bad} is not an address or CIDR such as 10.0.0.0/8 or 192.0.2.7`);
  const count = (name: string, fallback: number) => {
    const text = read(name);
    if (text === undefined) return fallback;
    if (!/^\d{1,9}$/.test(text)) errors.push(`${name} must be a whole number from 0 (off) to 999999999`);
    return Number(text);
  };
  const limits = {
    rate: count('SUBNETD_RATE_LIMIT', 100),
    burst: count('SUBNETD_RATE_BURST', 200),
    signIns: count('SUBNETD_SIGNIN_LIMIT', 10),
  };
  const corsOrigins = (read('SUBNETD_CORS_ORIGINS') ?? '').split(/[\s,]+/).filter(Boolean);
  const badOrigin = corsOrigins.find((origin) => !/^https?:/.test(origin) || URL.parse(origin)?.origin !== origin);
  if (badOrigin !== undefined)
    errors.push(
      `SUBNETD_CORS_ORIGINS: ${badOrigin.replace(/\/\/.*@/, '//…@')} is not an origin such as https://app.example.com; give each in full`,
    );
  const jwtSecret = read('SUBNETD_JWT_SECRET');
  if (jwtSecret !== undefined && Buffer.byteLength(jwtSecret) < SECRET_BYTES)
    errors.push(
      `SUBNETD_JWT_SECRET must be ${SECRET_BYTES} bytes or longer, or its tokens can be forged; generate one with openssl rand -base64 32`,
    );
  const secretKeys = (read('SUBNETD_SECRET_KEY') ?? '').split(/\s+/).filter(Boolean);
  if (secretKeys.some((secret) => Buffer.byteLength(secret) < SECRET_BYTES))
    errors.push(
      `SUBNETD_SECRET_KEY must be ${SECRET_BYTES} bytes or longer; generate one with openssl rand -base64 32, and keep older ones after it, one per line`,
    );
  const requiresOtp = readSwitch(read, 'SUBNETD_REQUIRE_OTP', errors);
  const webConfig = read('SUBNETD_WEB_CONFIG');
  const mail = parseMailSettings(read, publicUrl, errors);
  if (database === undefined || !trusted.ok || errors.length > before) return undefined;
  return {
    database,
    trustedProxies: trusted.proxies,
    corsOrigins,
    limits,
    jwtSecret,
    secretKeys,
    requiresOtp,
    webConfig,
    mail,
    publicUrl,
  };
}

/** Reads the settings; flags override the environment. */
export function parseSettings(
  environment: Environment,
  flags: { readonly config?: string; readonly listen?: string; readonly shard?: string },
  defaultListen = DEFAULT_LISTEN,
): ParsedSettings {
  const errors: string[] = [];
  const listen = readListen(environment, flags, defaultListen, errors);
  const logLevel = read(environment, 'SUBNETD_LOG_LEVEL', errors) ?? 'info';
  if (!LOG_LEVELS.includes(logLevel)) errors.push(`SUBNETD_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  const configPath = flags.config ?? read(environment, 'SUBNETD_CONFIG', errors) ?? DEFAULT_CONFIG;
  const instance = read(environment, 'SUBNETD_INSTANCE', errors) ?? hostname();
  if (instance === FLEET_STATE)
    errors.push(
      `SUBNETD_INSTANCE must not be ${FLEET_STATE}: the database uses that name for what the whole fleet shares`,
    );
  const shard = readShard(environment, flags, errors);
  const links = parseLinkSettings(environment, {}, errors);
  const readOne = (name: string) => read(environment, name, errors);
  const isPublic = readSwitch(readOne, 'SUBNETD_PUBLIC', errors);
  const platform = parsePlatformSettings(readOne, errors, links.publicUrl);
  const history = parseHistorySettings(readOne, errors);
  return listen === undefined || platform === undefined || errors.length > 0
    ? { ok: false, errors }
    : { ok: true, settings: { configPath, listen, logLevel, instance, shard, isPublic, ...links, history, platform } };
}
