import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { deriveKey } from '../../../lib/derive-key.ts';

/** Keeps small secrets unreadable in the database and its backups, as far as its own secret is elsewhere. */
export interface Sealer {
  /** Encrypts a text. */
  seal(text: string): string;
  /** Undefined if the text was sealed with a secret that is not known, or changed. */
  unseal(sealed: string): string | undefined;
  /** Encrypts with the newest secret what an older one has sealed; undefined for anything else. */
  reseal(sealed: string): string | undefined;
  /** A digest that nobody can compute without the secret. */
  digest(text: string): string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function unsealWith(key: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** A sealer with a newest secret, and older ones that only unseal. */
export function createSealer(secret: string, ...older: readonly string[]): Sealer {
  const [sealKey, digestKey] = [deriveKey(secret, 'seal'), deriveKey(secret, 'digest')];
  const olderKeys = older.map((one) => deriveKey(one, 'seal'));
  const unsealOlder = (sealed: string) =>
    olderKeys.map((key) => unsealWith(key, sealed)).find((text) => text !== undefined);
  const seal = (text: string) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, sealKey, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  };
  return {
    seal,
    unseal: (sealed) => unsealWith(sealKey, sealed) ?? unsealOlder(sealed),
    reseal: (sealed) => {
      const text = unsealWith(sealKey, sealed) === undefined ? unsealOlder(sealed) : undefined;
      return text === undefined ? undefined : seal(text);
    },
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64url'),
  };
}
