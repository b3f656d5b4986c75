import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Client, ConnectConfig, ParsedKey } from 'ssh2';
import type { SshFault } from '../../model/observation.ts';
import type { SshAddress } from '../../model/target.ts';

/** A public key that known_hosts has for a host. */
export interface KnownHostKey {
  /** As in known_hosts: `ssh-ed25519`, `ssh-rsa`. */
  readonly type: string;
  /** The public key as ssh sends it. */
  readonly key: Buffer;
  readonly isRevoked: boolean;
}

/** A pattern of known_hosts, in which `*` and `?` stand for any characters and for one. */
function matchesPattern(pattern: string, host: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'i').test(host);
}

/** `|1|salt|hash`: the HMAC-SHA1 of the host's name. */
function matchesHash(entry: string, host: string): boolean {
  const [, , salt = '', hash] = entry.split('|');
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(host).digest('base64') === hash;
}

/** Is the list of names for this host? A pattern that begins with `!` takes a host out again. */
function matchesHosts(names: string, host: string): boolean {
  if (names.startsWith('|1|')) return matchesHash(names, host);
  const patterns = names.split(',');
  if (patterns.some((name) => name.startsWith('!') && matchesPattern(name.slice(1), host))) return false;
  return patterns.some((name) => matchesPattern(name, host));
}

/**
 * The keys of a host in a text of known_hosts, as sshd(8) describes it. Lines of certificate authorities are left out, as
 * subnetd checks no certificates of hosts.
 */
export function findHostKeys(text: string, host: string, port: number): readonly KnownHostKey[] {
  const name = (port === 22 ? host : `[${host}]:${port}`).toLowerCase();
  return text.split(/\r?\n/).flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [names, type, key] = words;
    if (names === undefined || names.startsWith('#') || type === undefined || key === undefined) return [];
    if ((marker !== undefined && marker !== '@revoked') || !matchesHosts(names, name)) return [];
    return [{ type, key: Buffer.from(key, 'base64'), isRevoked: marker === '@revoked' }];
  });
}

/** An error whose code says why there is no way to the engine. What ssh2 says is never shown, as it may quote a server. */
export const toSshError = (code: SshFault): Error => Object.assign(new Error(`no ssh: ${code}`), { code });

const READY_MS = 10_000;
/** A connection is dead after this many unanswered requests in a row. */
const MAX_UNANSWERED = 3;

/** The types of host keys that ssh2 knows, without those that OpenSSH no longer accepts, and how each may sign. */
const SIGNATURES = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
} as const;

type KeyType = keyof typeof SIGNATURES;

const isKeyType = (type: string): type is KeyType => Object.hasOwn(SIGNATURES, type);

const lacksDescriptor = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Throws when none of the files has a key of the host. */
async function readHostKeys({ host, port, knownHosts }: SshAddress): Promise<readonly KnownHostKey[]> {
  const read = (path: string) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      if (lacksDescriptor(error)) throw error;
      return '';
    });
  const texts = await Promise.all(knownHosts.map(read));
  const keys = texts.flatMap((text) => findHostKeys(text, host, port));
  if (!keys.some(({ type, isRevoked }) => !isRevoked && isKeyType(type))) throw toSshError('ssh-unknown-host');
  return keys;
}

/** The private key of an address, or of its agent. Rejects when there is none that can be used. */
export type ReadCredentials = () => Promise<{ readonly key: ParsedKey } | { readonly agent: string }>;

async function readKeyFiles(identityFile: string, passphraseFile: string | undefined) {
  try {
    const privateKey = await readFile(identityFile);
    if (passphraseFile === undefined) return { privateKey };
    return { privateKey, passphrase: (await readFile(passphraseFile, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    throw lacksDescriptor(error) ? error : toSshError('ssh-bad-key');
  }
}

/** Unlocks a key only when it has changed: a passphrase takes up to a second, in which no other check runs. */
export function createCredentials({ identityFile, passphraseFile, agent }: SshAddress): ReadCredentials {
  let last: { readonly hash: string; readonly key: ParsedKey | undefined } | undefined;
  return async () => {
    if (identityFile === undefined) {
      if (agent === undefined) throw toSshError('ssh-no-key');
      return { agent };
    }
    const [{ privateKey, passphrase }, { default: ssh2 }] = await Promise.all([
      readKeyFiles(identityFile, passphraseFile),
      import('ssh2'),
    ]);
    const hash = createHash('sha256').update(privateKey).update(`\0${passphrase}`).digest('hex');
    if (last?.hash !== hash) {
      const parsed = ssh2.utils.parseKey(privateKey, passphrase);
      const isUsable = !(parsed instanceof Error) && parsed.isPrivateKey();
      last = { hash, key: isUsable ? parsed : undefined };
    }
    if (last.key === undefined) throw toSshError('ssh-bad-key');
    return { key: last.key };
  };
}

const toMethod = (credentials: Awaited<ReturnType<ReadCredentials>>) =>
  'key' in credentials ? { type: 'publickey' as const, ...credentials } : { type: 'agent' as const, ...credentials };

/** An error as ssh2 marks it with the part that it comes from. */
interface MarkedError extends NodeJS.ErrnoException {
  readonly level?: string;
}

/**
 * Connects and signs in. Rejects with the code of a fault of ssh, ETIMEDOUT, or the system's error. A host whose key is not in
 * known_hosts is never signed in to, nor is one that is unknown even asked.
 */
export async function connectSsh(
  address: SshAddress,
  readCredentials: ReadCredentials,
  keepaliveMs: number,
  signal: AbortSignal,
): Promise<Client> {
  const [hostKeys, credentials, { default: ssh2 }] = await Promise.all([
    readHostKeys(address),
    readCredentials(),
    import('ssh2'),
  ]);
  const types = [...new Set(hostKeys.map(({ type }) => type))].filter(isKeyType);
  let isChanged = false;
  let isAgentLost = false;
  const config: ConnectConfig = {
    host: address.host,
    port: address.port,
    username: address.user,
    authHandler: [{ username: address.user, ...toMethod(credentials) }],
    readyTimeout: READY_MS,
    keepaliveInterval: keepaliveMs,
    keepaliveCountMax: MAX_UNANSWERED,
    hostVerifier: (key: Buffer) => {
      const same = hostKeys.filter((known) => known.key.equals(key));
      isChanged = same.length === 0 || same.some(({ isRevoked }) => isRevoked);
      return !isChanged;
    },
    algorithms: { serverHostKey: types.flatMap((type) => [...SIGNATURES[type]]) },
  };

  const toFault = (error: MarkedError): Error => {
    // The server may have no key of a type that is known, which is a change too.
    if (isChanged || /no matching host key/.test(error.message)) return toSshError('ssh-changed-host');
    if (error.level === 'client-authentication') return toSshError(isAgentLost ? 'ssh-no-agent' : 'ssh-denied');
    if (error.level === 'client-timeout') return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
    const isOwn = error.code === 'ECONNREFUSED' || lacksDescriptor(error);
    return isOwn ? error : toSshError('ssh-unreachable');
  };

  const client = new ssh2.Client();
  const { promise, resolve, reject } = Promise.withResolvers<Client>();
  const abort = () => client.destroy();
  // Its errors are heard for as long as it lives: one that nobody hears ends the process.
  client.on('error', (error: MarkedError) => {
    if (error.level === 'agent') isAgentLost = true;
    else reject(toFault(error));
  });
  client.on('close', () => reject(toSshError('ssh-unreachable')));
  client.on('ready', () => {
    // Otherwise a request waits for the acknowledgement of the one before: 40 ms each.
    client.setNoDelay(true);
    resolve(client);
  });
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', abort);
    client.connect(config);
    return await promise;
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
