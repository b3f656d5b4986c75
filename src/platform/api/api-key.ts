import { hash, randomBytes } from 'node:crypto';

/** A new API key of 256 bits, so a plain digest is safe to store. */
export const makeApiKey = (): string => `subnetd_${randomBytes(32).toString('base64url')}`;

/** Does the text have the form of a key? */
export const isApiKey = (text: string): boolean => /^subnetd_[A-Za-z0-9_-]{43}$/.test(text);

/** The stored form of a key: SHA-256 in hexadecimal. */
export const hashApiKey = (key: string): string => hash('sha256', key);

const HINT_LENGTH = 'subnetd_'.length + 4;

/** The first characters of a key, by which people know it: 24 of its 256 bits. */
export const hintOf = (key: string): string => key.slice(0, HINT_LENGTH);
