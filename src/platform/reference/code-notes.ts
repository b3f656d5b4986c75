import type { ErrorCode } from '../api/error-codes.ts';

/** What the reference says about a code besides its status and meaning. */
export interface CodeNote {
  /** When it comes. */
  readonly when: string;
  /** What to do then. */
  readonly fix: string;
  /** A message as the API writes it; `member` is one that the request sends. */
  readonly message: (member: string) => string;
}

const note = (when: string, fix: string, message: CodeNote['message']): CodeNote => ({ when, fix, message });

/** A note for each code of the specification. */
export const CODE_NOTES: Readonly<Record<ErrorCode, CodeNote>> = {
  1001: note(
    'A required member is missing, the body is not a JSON object, or the path does not accept the method.',
    'Send what the message names.',
    (member) => `${member} is missing; send it`,
  ),
  1002: note(
    'A required member is null, an empty text, or only blanks.',
    'Give it a value.',
    (member) => `${member} is empty; give it a value`,
  ),
  1003: note(
    'A member, or a part of the path or the query, has the wrong type.',
    'Send the type given in the table of the operation.',
    (member) => `${member} must be a string`,
  ),
  1004: note(
    'The project type, sector, industry or key does not exist, or the path does not.',
    'List the records to find the right id or name.',
    () => 'there is no industry with that id',
  ),
  1005: note(
    'A text is too long, or the body or the headers are too large.',
    'Shorten it to the maximum in the message.',
    (member) => `${member} exceeds the maximum of 200 characters`,
  ),
  1006: note(
    'A password is too short.',
    'Send at least as many characters as the message says.',
    () => 'Password is below the minimum of 8 characters',
  ),
  1007: note(
    'A value of a fixed size, such as the token of a link, is cut off or too long.',
    'Copy the whole value.',
    () => 'ResetToken must have 43 characters; send the whole value',
  ),
  1008: note(
    'The text is not an e-mail address.',
    'Send an address such as a@example.com.',
    () => 'EmailID must be an e-mail address such as a@example.com',
  ),
  1009: note(
    'A date is malformed, or the day does not exist.',
    'Send a day such as 2027-01-31, or a time in UTC.',
    (member) => `${member} must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z`,
  ),
  1010: note(
    'The text is not an address of the parent chain, or its checksum is wrong.',
    'Send 0x or xdc and 40 hexadecimal digits, as the wallet shows them.',
    () => 'the address must be 0x or xdc and 40 hexadecimal digits, all in one case or with a valid checksum (EIP-55)',
  ),
  1011: note(
    'A number is too small or too large, or a date is in the past.',
    'Stay within the bounds in the message.',
    (member) => `${member} must be from 1 to 2147483647`,
  ),
  1012: note(
    'A value is not allowed, or another record already has this name.',
    'Read the message: it says which value, and why.',
    (member) => `${member} contains an invisible or unsupported character (U+200B); remove it`,
  ),
  1101: note(
    'The request carries neither an API key nor a token.',
    'Send one of them.',
    () => 'send an API key or a token: apiKey or token in the body or the query, or an authorization header',
  ),
  1102: note(
    'Requests come faster than the limits of a credential, an address or a sign-in allow.',
    'Wait for as many seconds as the header Retry-After says.',
    () => 'too many requests from this address; retry after the time in Retry-After',
  ),
  1103: note(
    'An admin user with this UserName or EmailID exists.',
    'Choose another, or update that record.',
    () => 'UserName is taken; choose another, or update that record',
  ),
  1104: note(
    'A token is invalid or has ended, the password is wrong, or the scope is not enough.',
    'Get a new token, or use a credential with the scope that the message names.',
    () => 'wrong user name or password, or the user is inactive',
  ),
  1105: note(
    'subnetd has a defect. The log of the daemon has the details.',
    'Report it, with the x-request-id of the answer.',
    () => 'subnetd failed to handle this request; see its log',
  ),
  1106: note(
    'The database does not answer, or fails.',
    'Try again later.',
    () => 'the database failed; try again later',
  ),
  1107: note(
    'The activation mail cannot be sent.',
    'Correct the mail settings of the daemon, and invite the user again.',
    () => 'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or add the admin user with a password',
  ),
  1108: note(
    'The account cannot be unlocked, because it is inactive.',
    'Set IsActive to true first.',
    () => 'that admin user is inactive, so signing in would still fail; set IsActive to true first',
  ),
  1109: note(
    'The account of an invited user cannot be created.',
    'Try again, or create the user with a password.',
    () => 'the account was not created because the database rejected it; try again later',
  ),
  1110: note(
    'The mail with the reset link cannot be sent, or the daemon has no mail settings.',
    'Ask an administrator for a reset link.',
    () => 'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or to run subnetd admin reset-password',
  ),
  1111: note(
    'No admin user has this address. Only callers with the scope admin get this code.',
    'Correct the address.',
    () => 'EmailID: no admin user has that address',
  ),
  1112: note(
    'The link has expired, or was used before.',
    'Ask for a new link.',
    () => 'the link has expired, was used before, or is not complete; ask for a new one',
  ),
  1113: note(
    'The new password equals the current one.',
    'Choose another password.',
    () => 'NewPassword is already your password; choose another one',
  ),
  1115: note(
    'A part outside subnetd failed: the mail server, or the parent chain.',
    'Try again later.',
    () => 'the parent chain of devnet cannot be reached; try again later',
  ),
  1116: note(
    'The balance of the address is below atLeast.',
    'Send coins to the address, or ask for less.',
    () => 'the balance is 0.5, below 1',
  ),
  1117: note(
    'The account is inactive. Only callers with the scope admin get this code.',
    'Set IsActive to true first.',
    () => 'EmailID: that admin user is inactive; activate the user first',
  ),
  1118: note(
    'The current password is wrong.',
    'Send the current password of the account.',
    () => 'Password is wrong; send the current password of your account',
  ),
  1119: note(
    'The one-time code or the recovery code is wrong, or was used before.',
    'Wait for the next code in the app.',
    () => 'Otp is wrong; check the clock of your phone and send the code that the app shows now',
  ),
  1120: note(
    'The activation link has expired, was used before, or is cut off.',
    'Ask an admin user for a new link.',
    () => 'the link has expired, was used before, or is not complete; ask an admin user for a new one',
  ),
  1121: note(
    'The admin user does not exist, wherever the request names one.',
    'List the admin users to find the id.',
    () => 'there is no admin user with that id',
  ),
  1122: note(
    'The account has no one-time codes, needs one, or the code is malformed.',
    'Send Otp with the six digits from the app. Leave it out if the account has no codes.',
    () => 'Otp must be the six digits from your authenticator app, or a recovery code',
  ),
  1123: note(
    'The API key is unknown, malformed, expired or revoked, or its owner is inactive.',
    'Create a new key, or rotate keys before they end.',
    () => 'the API key is not valid; ask for a new one (subnetd apikey create)',
  ),
  1124: note(
    'The one-time code is from an earlier time window.',
    'Send the code that the app shows now.',
    () => 'Otp has expired; send the code that the app shows now',
  ),
};
