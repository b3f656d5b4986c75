import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { toBasicAuthorization } from '../../lib/addresses.ts';
import type { HttpLogin } from '../../model/http-login.ts';
import type { Fault } from '../../model/observation.ts';

/** What a connection needs of a login. */
export interface ReadLogin {
  readonly authorization?: string;
  readonly secureContext?: SecureContext;
  readonly servername?: string;
}

const toFault = (setting: string, path = '', why: string) => ({ fault: { kind: 'file', setting, path, why } }) as const;

// OpenSSL takes a file of authorities without a certificate for an empty list.
const parseCertificate = (text: string) => new X509Certificate(text);

/** Reads the files of a login, or says which of them cannot be used. */
export function readHttpLogin({ basicAuth, tls }: HttpLogin): ReadLogin | { readonly fault: Fault } {
  const files = [
    ['basicAuth.passwordFile', basicAuth?.passwordFile, String],
    ['tls.ca', tls?.ca, parseCertificate],
    ['tls.cert', tls?.cert, parseCertificate],
    ['tls.key', tls?.key, createPrivateKey],
  ] as const;
  const texts: (string | undefined)[] = [];
  for (const [setting, path, parse] of files) {
    try {
      const text = path === undefined ? undefined : readFileSync(path, 'utf8');
      if (text !== undefined) parse(text);
      texts.push(text);
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      return toFault(setting, path, syscall === undefined ? 'holds no usable PEM' : `cannot be read (${code})`);
    }
  }
  const [password = '', ca, cert, key] = texts;
  try {
    return {
      ...(basicAuth && { authorization: toBasicAuthorization(basicAuth.username, password.replace(/\r?\n$/, '')) }),
      ...(tls && { secureContext: createSecureContext({ ca, cert, key }) }),
      ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    };
  } catch {
    return toFault('tls.key', tls?.key, 'is not the key of tls.cert');
  }
}
