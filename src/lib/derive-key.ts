import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose, from a secret that serves several (HKDF with SHA-256, RFC 5869). */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `subnetd ${purpose}`, 32));
