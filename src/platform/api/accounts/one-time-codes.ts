import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

/** Whether a one-time code is right; `past`: it was, in a window that has ended. */
export type CodeCheck = 'right' | 'past' | 'wrong';

/** Seconds for which a code is valid. Source: RFC 6238, which every authenticator app follows. */
const PERIOD = 30;
/** A clock may differ by one window. Older codes are recognised for ten windows, to say that they are past. */
const NEAR = 1;
const FAR = 10;

const totpOf = (secret: string, userName: string): TOTP =>
  new TOTP({ issuer: 'subnetd', label: userName, secret: Secret.fromBase32(secret), period: PERIOD });

/** A new secret of 160 bits, in base32. */
export const makeCodeSecret = (): string => new Secret({ size: 20 }).base32;

/** The address that an authenticator app reads. */
export const codeAddress = (secret: string, userName: string): string => totpOf(secret, userName).toString();

/** The same as a QR code, an SVG. */
export const codePicture = (address: string): string => renderSVG(address);

/**
 * Checks a code of six digits at a time in Unix milliseconds. `step` is the window that it belongs to, so that nobody uses a
 * code twice.
 */
export function checkCode(
  secret: string,
  code: string,
  now: number,
): { readonly check: CodeCheck; readonly step?: number } {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: FAR });
  if (delta === null || delta > NEAR) return { check: 'wrong' };
  const step = Math.floor(now / 1000 / PERIOD) + delta;
  return { check: delta < -NEAR ? 'past' : 'right', step };
}
