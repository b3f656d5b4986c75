import type { BlockList } from 'node:net';
import { type DatabaseAddress, parseDatabaseUrl } from './db/parse-database-url.ts';
import { parseTrustedProxies } from './platform/client-address.ts';

/** Settings of the platform API. */
export interface PlatformSettings {
  readonly database: DatabaseAddress;
  readonly jwtSecret?: string;
  readonly trustedProxies: BlockList;
  /** Requests a second and at once, and sign-ins a minute; 0 turns a limit off. */
  readonly limits: { readonly rate: number; readonly burst: number; readonly signIns: number };
  /** The path of a web config file: TLS and basic auth. */
  readonly webConfig?: string;
}

/** HS256 is as strong as its secret is long, up to its 32 bytes. */
const SECRET_BYTES = 32;

/** Reads the settings; `read` gives the text of one, `problems` takes a sentence for each that is bad. */
export function parsePlatformSettings(
  read: (name: string) => string | undefined,
  problems: string[],
): PlatformSettings | undefined {
  const before = problems.length;
  const database = parseDatabaseUrl(read('SUBNETD_DATABASE_URL') ?? 'sqlite:data/subnetd.db');
  if (database === undefined)
    problems.push('SUBNETD_DATABASE_URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE');
  const trusted = parseTrustedProxies(read('SUBNETD_TRUSTED_PROXIES') ?? '');
  if (!trusted.ok)
    problems.push(`SUBNETD_TRUSTED_PROXIES: ${trusted.bad} is no address or CIDR, as in 10.0.0.0/8, 192.0.2.7`);
  const count = (name: string, fallback: number) => {
    const text = read(name);
    if (text === undefined) return fallback;
    if (!/^\d{1,9}$/.test(text)) problems.push(`${name} must be a whole number from 0 (off) to 999999999`);
    return Number(text);
  };
  const limits = {
    rate: count('SUBNETD_RATE_LIMIT', 100),
    burst: count('SUBNETD_RATE_BURST', 200),
    signIns: count('SUBNETD_SIGNIN_LIMIT', 10),
  };
  const jwtSecret = read('SUBNETD_JWT_SECRET');
  if (jwtSecret !== undefined && Buffer.byteLength(jwtSecret) < SECRET_BYTES)
    problems.push(
      `SUBNETD_JWT_SECRET must be ${SECRET_BYTES} bytes or longer, or its tokens can be forged; make one with openssl rand -base64 32`,
    );
  const webConfig = read('SUBNETD_WEB_CONFIG');
  if (database === undefined || !trusted.ok || problems.length > before) return undefined;
  return {
    database,
    trustedProxies: trusted.proxies,
    limits,
    ...(jwtSecret !== undefined && { jwtSecret }),
    ...(webConfig !== undefined && { webConfig }),
  };
}
