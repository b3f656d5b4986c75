import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { parse } from 'yaml';
import { z } from 'zod';
import { type CheckUser, createCheckUser } from './check-user.ts';

const version = z.enum(['TLS10', 'TLS11', 'TLS12', 'TLS13']);

const schema = z
  .strictObject({
    tls_server_config: z
      .strictObject({
        cert_file: z.string().min(1),
        key_file: z.string().min(1),
        client_ca_file: z.string().min(1).optional(),
        // Go's other types accept unverified certificates.
        client_auth_type: z.enum(['NoClientCert', 'RequireAndVerifyClientCert']).optional(),
        min_version: version.optional(),
        max_version: z.enum(['TLS12', 'TLS13'], 'must be TLS12 or TLS13; older ones are not safe').optional(),
      })
      .optional(),
    basic_auth_users: z
      .record(
        z.string(),
        z.string().regex(/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/, 'must be a bcrypt hash, as htpasswd -nB makes it'),
      )
      .optional(),
  })
  .nullable();

/** TLS and basic auth for the server; changed files are read again. */
export interface WebConfig {
  /** Undefined without TLS. Throws, with the reason, if a file cannot be read or does not match. */
  readonly tls: (() => TlsOptions) | undefined;
  /** Whether the certificate files have changed since they were last read. */
  readonly hasNewCertificate: () => boolean;
  /** Is it the right password of that user? Undefined without users. */
  readonly checkUser: CheckUser | undefined;
}

/** TLS 1.0 and 1.1 have no cipher suites but those with CBC, which are never offered. */
const VERSION: Readonly<Record<z.infer<typeof version>, NonNullable<SecureContextOptions['minVersion']>>> = {
  TLS10: 'TLSv1.2',
  TLS11: 'TLSv1.2',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
};

/** Those of TLS 1.3, and of TLS 1.2 those with forward secrecy and authenticated encryption. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Reads a web config file, with the keys of the Prometheus exporter-toolkit. */
export function readWebConfig(
  path: string,
): { readonly ok: true; readonly config: WebConfig } | { readonly ok: false; readonly errors: readonly string[] } {
  const refuse = (what: string) => ({ ok: false, errors: [`SUBNETD_WEB_CONFIG: ${path}: ${what}`] }) as const;
  let parsed: ReturnType<typeof schema.safeParse>;
  try {
    parsed = schema.safeParse(parse(readFileSync(path, 'utf8')));
  } catch (error) {
    return refuse(`${(error as Error).message.split('\n')[0]}; correct the file or the setting`);
  }
  if (!parsed.success)
    return {
      ok: false,
      errors: parsed.error.issues.map(
        (issue) => `SUBNETD_WEB_CONFIG: ${path}: ${issue.path.join('.')}: ${issue.message}`,
      ),
    };
  const { tls_server_config: tls, basic_auth_users: users } = parsed.data ?? {};
  const at = (file: string) => resolve(dirname(path), file);
  const files = tls ? [tls.cert_file, tls.key_file, ...(tls.client_ca_file ? [tls.client_ca_file] : [])].map(at) : [];
  const stamp = () => files.map((file) => `${statSync(file).mtimeMs} ${statSync(file).ino}`).join();
  let last = '';
  const read = (): TlsOptions => {
    if (tls === undefined) return {};
    last = stamp();
    const cert = readFileSync(at(tls.cert_file));
    const key = readFileSync(at(tls.key_file));
    // Throws on a bad certificate before the current one is dropped.
    new X509Certificate(cert);
    const auth = tls.client_auth_type ?? 'NoClientCert';
    return {
      cert,
      key,
      ...(tls.client_ca_file && { ca: readFileSync(at(tls.client_ca_file)) }),
      requestCert: auth !== 'NoClientCert',
      rejectUnauthorized: auth === 'RequireAndVerifyClientCert',
      ciphers: CIPHERS,
      minVersion: VERSION[tls.min_version ?? 'TLS12'],
      maxVersion: VERSION[tls.max_version ?? 'TLS13'],
    };
  };
  try {
    read();
  } catch (error) {
    return refuse(`tls_server_config: ${(error as Error).message}; correct the paths or the files`);
  }
  return {
    ok: true,
    config: {
      tls: tls && read,
      hasNewCertificate: () => {
        try {
          return stamp() !== last;
        } catch {
          // The file is just being replaced.
          return false;
        }
      },
      checkUser: users && Object.keys(users).length > 0 ? createCheckUser(users) : undefined,
    },
  };
}
