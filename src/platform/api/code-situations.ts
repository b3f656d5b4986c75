import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** What a request is sent with: a key by its scope, a token of the user `ada`, or nothing. */
export type SentWith = 'write key' | 'admin key' | 'token' | 'nothing';

/**
 * A request that gets a code. In its texts, angle brackets stand for a value that depends on the moment, as in
 * `<code of two minutes ago>`.
 */
export interface Situation {
  /** What is wrong, as the end of a sentence that begins with "Answered if". */
  readonly when: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly with: SentWith;
}

const industry = { IndustryName: 'Rails', ImagePath: 'images/rails.png', IsDeleted: false, CreateBy: 1 };
const projectType = { ContractName: 'Loan', IsDeleted: false, CreateBy: 1 };
const user = {
  FirstName: 'Ada',
  LastName: 'King',
  UserName: 'king',
  Password: 'analytical engine',
  EmailID: 'king@example.com',
  IsActive: true,
  CreateBy: 1,
};
const invited = {
  FirstName: 'Mary',
  LastName: 'King',
  UserName: 'mary',
  EmailID: 'mary@example.com',
  CreateBy: 1,
};
const signIn = { UserName: 'ada', Password: 'analytical engine' };
const WALLET = '/api/Wallet/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const get = (path: string, when: string, sentWith: SentWith = 'write key'): Situation => ({
  when,
  method: 'GET',
  path,
  with: sentWith,
});
const post = (path: string, body: Situation['body'], when: string, sentWith: SentWith = 'write key'): Situation => ({
  when,
  method: 'POST',
  path,
  body,
  with: sentWith,
});

/** One request for each code. The reference and `docs/platform-api.md` show them, and a test sends them. */
export const codeSituations: Readonly<Record<ErrorCode, Situation>> = {
  1001: post('/api/ProjectType/Add', { IsDeleted: false, CreateBy: 1 }, 'a required member is missing'),
  1002: post('/api/ProjectType/Add', { ...projectType, ContractName: ' ' }, 'a member has no value'),
  1003: post('/api/ProjectType/Add', { ...projectType, ContractName: 7 }, 'a member has the wrong type'),
  1004: get('/api/Industry/ListAll/4711', 'a record or a path does not exist'),
  1005: post('/api/ProjectType/Add', { ...projectType, ContractName: '<201 letters>' }, 'a text or a body is too long'),
  1006: post('/api/AdminUser/Add', { ...user, Password: 'short' }, 'a password is too short'),
  1007: post(
    '/api/Account/ResetPassword',
    { ResetToken: '<the first 30 characters of a token>', Password: 'difference engine' },
    'the token of a link was cut off',
    'nothing',
  ),
  1008: post('/api/AdminUser/Add', { ...user, EmailID: 'nobody' }, 'a text is not an e-mail address'),
  1009: post(
    '/api/ApiKey/Add',
    { Name: 'ci', Scopes: ['read'], ExpiryDate: '31.01.2027' },
    'a text is not a date',
    'admin key',
  ),
  1010: get('/api/Wallet/0x5aAeb6', 'a text is not an address, or has a wrong checksum'),
  1011: get('/api/Industry/ListAll/0?limit=0', 'a number is out of its range'),
  1012: post('/api/Industry/Add', { ...industry, ImagePath: '../rails.png' }, 'a value is not allowed'),
  1101: get('/api/Industry/ListAll/0', 'no credential is sent', 'nothing'),
  1102: get('/api/Industry/ListAll/0', 'requests come faster than the limit'),
  1103: post('/api/AdminUser/Add', { ...user, UserName: 'ada' }, 'another user has that name or address'),
  1104: post('/api/Auth/Token', { ...signIn, Password: 'wrong' }, 'a password or a token is wrong', 'nothing'),
  1105: post(
    '/api/Auth/Token',
    signIn,
    'subnetd itself fails, such as when the database returns garbled data',
    'nothing',
  ),
  1106: get('/api/Industry/ListAll/0', 'the database does not answer'),
  1107: post('/api/Account/Invite', invited, 'subnetd has no mail server for the link to a new account'),
  1108: post('/api/Account/Unlock', { UserID: '<id of an inactive user>' }, 'the user is not active', 'admin key'),
  1109: post('/api/Account/Invite', invited, 'the database rejects the account'),
  1110: post(
    '/api/Account/ForgotPassword',
    { EmailID: 'ada@example.com' },
    'subnetd has no mail server, or too many mails are waiting',
    'nothing',
  ),
  1111: post(
    '/api/Account/ForgotPassword',
    { EmailID: 'nobody@example.com' },
    'no user has that address, and the caller has the scope `admin`',
    'admin key',
  ),
  1112: post(
    '/api/Account/ResetPassword',
    { ResetToken: '<token of a used link>', Password: 'difference engine' },
    'a link has expired or was used',
    'nothing',
  ),
  1113: post(
    '/api/Account/ChangePassword',
    { Password: 'analytical engine', NewPassword: 'analytical engine' },
    'the new password is the old one',
    'token',
  ),
  1115: get(WALLET, 'the parent chain does not answer'),
  1116: get(`${WALLET}?atLeast=1000000`, 'the balance is below `atLeast`'),
  1117: post(
    '/api/Account/ForgotPassword',
    { EmailID: 'gone@example.com' },
    'that user is not active, and the caller has the scope `admin`',
    'admin key',
  ),
  1118: post(
    '/api/Account/ChangePassword',
    { Password: 'wrong', NewPassword: 'difference engine' },
    'your own password is wrong',
    'token',
  ),
  1119: post('/api/Auth/Token', { ...signIn, Otp: '<code of another app>' }, 'a one-time code is wrong', 'nothing'),
  1120: post(
    '/api/Account/Activate',
    { ActivationToken: 'nonsense', Password: 'difference engine' },
    'the link of an invitation is wrong, has expired or was used',
    'nothing',
  ),
  1121: get('/api/AdminUser/ListAll/4711', 'an admin user does not exist'),
  1122: post('/api/Auth/Token', { ...signIn, Otp: '12345' }, 'a one-time code is missing or malformed', 'nothing'),
  1123: post('/api/Auth/Token', { apiKey: 'subnetd_wrong' }, 'an API key is wrong, revoked or expired', 'nothing'),
  1124: post(
    '/api/Auth/Token',
    { ...signIn, Otp: '<code of two minutes ago>' },
    'a one-time code is from a past time window',
    'nothing',
  ),
};

/** The request as one line. */
export const formatRequest = ({ method, path, body }: Situation): string =>
  `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;

/** The codes with their situations, in order. */
export const listSituations = (): readonly (Situation & { readonly code: ErrorCode })[] =>
  Object.entries(codeSituations).map(([code, situation]) => ({ ...situation, code: Number(code) as ErrorCode }));

/** The table for `docs/platform-api.md`, in Markdown. */
export const situationTable = (): string =>
  [
    '| code | HTTP | if | request | sent with |',
    '| --- | --- | --- | --- | --- |',
    ...listSituations().map((situation) => {
      const { code, when } = situation;
      return `| ${code} | ${ERROR_CODES[code][0]} | ${when} | \`${formatRequest(situation)}\` | ${situation.with} |`;
    }),
  ].join('\n');
