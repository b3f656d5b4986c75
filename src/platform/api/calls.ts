import type { Call } from './call.ts';
import { activationCalls } from './calls/activation.ts';
import { apiKeyCalls } from './calls/api-keys.ts';
import { getToken } from './calls/get-token.ts';
import { listAudit } from './calls/list-audit.ts';
import { oneTimeCodeCalls } from './calls/one-time-codes.ts';
import { ownCredentialCalls } from './calls/own-credential.ts';
import { passwordCalls } from './calls/passwords.ts';
import { testMail } from './calls/test-mail.ts';
import { unlock } from './calls/unlock.ts';
import { wallet } from './calls/wallet.ts';

/** Every call besides the operations of the resources, in the order of the reference. */
export const calls: readonly Call[] = [
  ...[getToken, ...ownCredentialCalls, ...oneTimeCodeCalls, ...passwordCalls, ...activationCalls, testMail, unlock],
  ...apiKeyCalls,
  listAudit,
  wallet,
];
