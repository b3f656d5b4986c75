import { hash, randomBytes } from 'node:crypto';

/** What a link is for: a forgotten password, or the first password of an invited user. */
export type LinkKind = 'reset' | 'activation';

/** How long a link works, in milliseconds. Source: OWASP ASVS 5.0, 6.5.5, for `reset`. */
export const LINK_LIFE_MS: Readonly<Record<LinkKind, number>> = { reset: 10 * 60_000, activation: 24 * 3_600_000 };

/** How many links of a kind a user may have at once: nobody fills the mailbox of another. */
export const LINKS_AT_ONCE = 3;

const PATHS: Readonly<Record<LinkKind, string>> = { reset: '/portal/reset', activation: '/portal/activate' };

/** How many characters the token of a link has. */
export const LINK_TOKEN_SIZE = 43;

/** The token of a link: 256 bits in 43 characters, so a plain digest is safe to store. */
export const makeLinkToken = (): string => randomBytes(32).toString('base64url');

/** The stored form of a token: SHA-256 in hexadecimal. */
export const hashLinkToken = (token: string): string => hash('sha256', token);

/** The address that a person opens. `publicUrl` is the configured one, never the `Host` of a request. */
export const linkAddress = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}${PATHS[kind]}?token=${token}`;

/** A link to store. It ends with the next change of the password, too. */
export interface NewLink {
  readonly hash: string;
  readonly kind: LinkKind;
  readonly userId: number;
  readonly passwordVersion: number;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** The links that wait to be used. */
export interface LinkStore {
  addLink(link: NewLink): Promise<void>;
  removeLink(hash: string): Promise<void>;
  /** A link that has not expired at `at` (ISO 8601), even if the password was changed since. */
  findLink(hash: string, kind: LinkKind, at: string): Promise<Omit<NewLink, 'expiresAt'> | undefined>;
  /** How many links of the kind a user has that have not expired at `at`. */
  countLinks(userId: number, kind: LinkKind, at: string): Promise<number>;
  /** Deletes the links that have expired at `at`. */
  trimLinks(at: string): Promise<void>;
}
