/** Where people and programs of the life of an account are. */
export const OFFICE = '192.0.2.10';
export const PHONE = '198.51.100.20';
export const LAPTOP = '203.0.113.30';
export const PROGRAM = '2001:db8::40';
export const TERMINAL = '203.0.113.50';

/** The mails to the user, with times taken out. `link` is that of the mail, if it has one. */
export function mailTexts(url: string, link = '') {
  const alarm = `If it was not you, choose a new password at once: ${url}/portal/forgotten

Then ask an admin to look at the security log.
`;
  return {
    activation: `Hello Grace,

You have an account at ${url}. Your user name is grace. Choose a password with this link:

${link}

The link works once, for 24 hours.

If you do not expect this account, ignore this mail: without a password nobody can use it.
`,
    codesOn: `Hello Grace,

One-time codes were turned on at TIME for your account grace at ${url}. From now on, signing in also requires a code.

${alarm}`,
    reset: `Hello Grace,

A new password was requested for your account grace at ${url}. This link sets it:

${link}

The link works once, for 10 minutes.

If you did not request it, ignore this mail: your password stays unchanged.
`,
    passwordChanged: `Hello Grace,

The password of your account grace at ${url} was changed at TIME. All its sessions and tokens have ended.

${alarm}`,
  };
}

/** The rows on the page of the user. */
export const TRAIL = [
  `TIME update grace, reset link ${LAPTOP} Password: changed`,
  `TIME update grace, activation link ${PHONE} Password: changed Active: no → yes`,
  `TIME add root, session ${OFFICE} First name: Grace Last name: Hopper User name: grace Password: set E-mail: grace@example.com Active: no`,
];

/** The rows of the audit log. */
export const AUDIT_LOG = [
  `TIME update admin user grace grace, reset link ${LAPTOP} Password: changed`,
  `TIME revoke API key nightly export (2) grace, session ${PHONE} Revoked at: TIME`,
  `TIME rotate API key nightly export (1) grace, session ${PHONE} Replaced by: 2 Expires at: TIME → TIME`,
  `TIME add API key nightly export (2) grace, session ${PHONE} Name: nightly export Scope: read Owner: grace Expires at: TIME`,
  `TIME add API key nightly export (1) grace, session ${PHONE} Name: nightly export Scope: read Owner: grace Expires at: TIME`,
  `TIME enrol one-time codes grace grace, session ${PHONE}`,
  `TIME update admin user grace grace, activation link ${PHONE} Password: changed Active: no → yes`,
  `TIME add admin user grace root, session ${OFFICE} First name: Grace Last name: Hopper User name: grace Password: set E-mail: grace@example.com Active: no`,
  'TIME add admin user root command line First name: R Last name: T User name: root Password: set E-mail: r@example.com Active: yes',
];

/** The rows of the security log, each once, in alphabetical order. */
export const SECURITY_LOG = [
  `TIME activated admin user grace nobody ${PHONE}`,
  `TIME code refused admin user grace nobody ${PHONE}`,
  `TIME invited admin user grace root, session ${OFFICE}`,
  `TIME key ends soon API key nightly export (1) grace, key 1 ${PROGRAM}`,
  `TIME key refused API key nightly export (2) nobody ${PROGRAM}`,
  `TIME link refused request nobody ${LAPTOP}`,
  `TIME password reset admin user grace nobody ${LAPTOP}`,
  `TIME recovery code used admin user grace grace, password ${LAPTOP}`,
  `TIME recovery code used admin user grace grace, password ${TERMINAL}`,
  `TIME reset asked request nobody ${LAPTOP}`,
  `TIME sign-in admin user grace grace, password ${PHONE}`,
  `TIME sign-in admin user grace grace, password ${LAPTOP}`,
  `TIME sign-in admin user grace grace, password ${TERMINAL}`,
  `TIME sign-in admin user root root, password ${OFFICE}`,
  `TIME sign-in refused admin user grace nobody ${PHONE}`,
  `TIME token admin user grace grace, key 2 ${TERMINAL}`,
  `TIME token admin user grace grace, password ${TERMINAL}`,
  `TIME token refused admin user grace nobody ${PROGRAM}`,
  `TIME tokens revoked admin user grace grace, session ${LAPTOP}`,
];
