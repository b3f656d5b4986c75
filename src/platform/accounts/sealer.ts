import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps small secrets unreadable in the database and its backups, as far as its own secret is elsewhere. */
export interface Sealer {
  /** Encrypts a text. */
  seal(text: string): string;
  /** Undefined if the text was sealed with another secret, or changed. */
  unseal(sealed: string): string | undefined;
  /** A digest that nobody can compute without the secret. */
  digest(text: string): string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealer whose keys come from the secret of the tokens (HKDF, RFC 5869). */
export function createSealer(secret: string): Sealer {
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `subnetd ${purpose}`, 32));
  const [sealKey, digestKey] = [keyFor('seal'), keyFor('digest')];
  return {
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealKey, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    unseal: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv(CIPHER, sealKey, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64url'),
  };
}
