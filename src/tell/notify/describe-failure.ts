import { readFileSync } from 'node:fs';

/** The text of a file that a setting names. Throws `UnusableFile`, which names the setting and the path. */
export function readSettingFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableFile(`${setting}: ${path} cannot be read (${code}); correct the path or its mode`);
  }
}

/** The names of the settings to correct when an Alertmanager cannot be called. */
export interface SettingNames {
  readonly address: string;
  readonly login: string;
  readonly tls: string;
}

export const IN_INVENTORY: SettingNames = {
  address: 'alertmanager.urls',
  login: 'alertmanager.basicAuth or alertmanager.bearerTokenFile',
  tls: 'alertmanager.tls or the address',
};

export const BY_FLAG: SettingNames = {
  address: '--url',
  login: '--url, with USER:PASSWORD@ before the host',
  tls: '--url, or name the authority in the inventory under alertmanager.tls and use --config',
};

/** Why a call failed: the rest of a sentence that begins with the address. Holds no secret. */
const BY_CODE: Readonly<Record<string, (settings: SettingNames) => string>> = {
  ECONNREFUSED: ({ address }) => `refuses connections; start it, or correct ${address}`,
  ENOTFOUND: ({ address }) => `has a host name that does not resolve; correct ${address}`,
  EAI_AGAIN: () => 'has a host name that cannot be resolved now; check the name server',
  ECONNRESET: () => 'closed the connection; look at its log, and check whether it wants https',
  EPIPE: () => 'closed the connection; look at its log',
  ERR_SSL_WRONG_VERSION_NUMBER: ({ address }) => `speaks no TLS; correct ${address}, perhaps to http`,
  HPE_INVALID_CONSTANT: ({ address }) => `does not speak HTTP; correct ${address}, perhaps to https`,
};

const BY_STATUS: Readonly<Record<number, (settings: SettingNames) => string>> = {
  401: ({ login }) => `refuses the credentials; correct ${login}`,
  403: ({ login }) => `forbids it to these credentials; correct ${login}`,
  404: ({ address }) => `has no API at this path; correct ${address}, with the prefix under which it is served`,
  413: () => 'or a proxy in front of it accepts no body of this size; raise its limit',
};

const TLS = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** A file named in the inventory cannot be used. The message names the setting, the path and the fix. */
export class UnusableFile extends Error {}

/** Describes a status other than 2xx. `text` is the body of the answer, shown when it is about what was sent. */
export function describeStatus(status: number, text: string, settings: SettingNames): string {
  const known = BY_STATUS[status]?.(settings);
  if (known !== undefined) return `${known} (status ${status})`;
  if (status >= 300 && status < 400) return `redirects elsewhere (status ${status}); give the final address`;
  const words = text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
  return status === 400 || status === 422
    ? `refuses what was sent (status ${status}): ${words}`
    : `answers with status ${status}; look at its log`;
}

/** Describes an error of the network or of a file. */
export function describeError(error: unknown, timeoutMs: number, settings: SettingNames): string {
  if (error instanceof UnusableFile) return `cannot be called: ${error.message}`;
  const { code, name, errors, message } = error as NodeJS.ErrnoException & {
    readonly errors?: readonly NodeJS.ErrnoException[];
  };
  const isPlain = code === 'EPROTO' && message.includes('wrong version number');
  const first = isPlain ? 'ERR_SSL_WRONG_VERSION_NUMBER' : (code ?? errors?.[0]?.code ?? '');
  if (name === 'TimeoutError' || name === 'AbortError')
    return `does not answer within ${timeoutMs / 1000}s; look at its log`;
  const known = BY_CODE[first]?.(settings);
  if (known !== undefined) return known;
  if (TLS.test(first)) return `has a certificate that does not fit (${first}); correct ${settings.tls}`;
  return `cannot be reached${first === '' ? '' : ` (${first})`}; check the network between`;
}
