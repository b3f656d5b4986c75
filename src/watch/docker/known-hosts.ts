import { createHmac } from 'node:crypto';

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
