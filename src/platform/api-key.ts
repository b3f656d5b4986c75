import { hash, randomBytes } from 'node:crypto';

/** A new API key: 256 bits, so that a plain digest is enough to keep. */
export const makeApiKey = (): string => `subnetd_${randomBytes(32).toString('base64url')}`;

/** Has the text the form of a key? */
export const isApiKey = (text: string): boolean => /^subnetd_[A-Za-z0-9_-]{43}$/.test(text);

/** What is kept of a key: SHA-256 in hexadecimal. */
export const hashApiKey = (key: string): string => hash('sha256', key);
