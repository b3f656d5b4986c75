/** The version of the API, which is that of its specification and of no release. `docs/api-changes.md` says what it promises. */
export const API_VERSION = '1.0';

/**
 * The codes of the specification's table, section 7, with their HTTP statuses and meanings. Code 1114 does not exist.
 */
export const ERROR_CODES = {
  1001: [400, 'Request unacceptable, often a missing required parameter'],
  1002: [400, 'No value given for a mandatory resource'],
  1003: [400, 'Resource type does not match the required type'],
  1004: [403, 'Specified resource does not exist'],
  1005: [400, 'Resource exceeds maximum allowed value {{MAX}}'],
  1006: [400, 'Resource below minimum required value {{MIN}}'],
  1007: [400, 'Resource does not match required size {{SIZE}}'],
  1008: [409, 'Invalid email'],
  1009: [400, 'Invalid date format'],
  1010: [400, 'Invalid address for the blockchain network'],
  1011: [400, 'Resource out of range'],
  1012: [409, 'Invalid value'],
  1101: [401, 'No valid API key provided'],
  1102: [400, 'Too many requests hit the API too quickly'],
  1103: [409, 'Account already exists'],
  1104: [403, 'Server failed to authenticate the request'],
  1105: [500, 'Internal error'],
  1106: [500, 'Database error'],
  1107: [500, 'Cannot send activation email'],
  1108: [500, 'Cannot unlock account'],
  1109: [500, 'Cannot create new account'],
  1110: [500, 'Cannot send forgot-password or reset email'],
  1111: [404, 'Given email id does not exist'],
  1112: [404, 'Reset link expired'],
  1113: [400, 'Cannot change password, enter correct detail'],
  1115: [500, 'Something went wrong, cannot process the request'],
  1116: [400, 'Not enough balance'],
  1117: [400, 'Account is invalid'],
  1118: [400, 'Incorrect password'],
  1119: [400, 'Invalid OTP (2FA)'],
  1120: [400, 'Cannot set up new account'],
  1121: [404, 'Account does not exist'],
  1122: [400, 'OTP error'],
  1123: [400, 'API key is invalid'],
  1124: [400, 'OTP expired'],
} as const satisfies Readonly<Record<number, readonly [status: number, meaning: string]>>;

/** One of the codes. */
export type ErrorCode = keyof typeof ERROR_CODES;
