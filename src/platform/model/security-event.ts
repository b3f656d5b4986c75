/** The actions of the security log: how grave each is, in the log of the daemon and in the portal, and what the log says of it. */
export const SECURITY_EVENTS = {
  'sign-in': ['info', 'an admin user signed in'],
  'sign-in refused': ['warn', 'a sign-in was refused'],
  'sign-out': ['info', 'an admin user signed out'],
  'sessions ended': ['info', 'an admin user ended portal sessions'],
  'code refused': ['warn', 'a one-time code was missing or wrong'],
  'recovery code used': ['warn', 'an admin user signed in with a recovery code'],
  locked: ['warn', 'sign-ins from an address are delayed after repeated failures'],
  unlocked: ['info', 'an admin lifted the sign-in delay of an admin user'],
  'reset asked': ['info', 'a password reset link was requested'],
  'password reset': ['info', 'an admin user set a new password with a link'],
  'password changed': ['info', 'an admin user changed their password'],
  'password refused': ['warn', 'an admin user confirmed an action with a wrong password'],
  'link refused': ['warn', 'a mailed link was refused'],
  'form refused': ['warn', 'a portal form was refused: another page sent it, or its session has ended'],
  invited: ['info', 'an admin user was sent an activation link'],
  activated: ['info', 'an admin user activated their account with a link'],
  token: ['info', 'a token was created'],
  'token revoked': ['info', 'an admin user ended a token'],
  'tokens revoked': ['info', 'an admin user ended all their tokens and portal sessions'],
  'token refused': ['warn', 'a token was refused'],
  'key refused': ['warn', 'an API key was refused'],
  'key ends soon': ['warn', 'an API key in use ends within a week; rotate it, or switch to the key that replaced it'],
  'basic auth refused': ['warn', 'a user name and password of basic authentication were refused'],
  'scope refused': ['warn', 'a credential was refused because it lacks a scope'],
  slowed: ['warn', 'requests were refused by a rate limit'],
} as const satisfies Readonly<Record<string, readonly [severity: 'info' | 'warn', text: string]>>;

/** An action of the security log. */
export type SecurityAction = keyof typeof SECURITY_EVENTS;

/** The actions that the security log records. */
export const SECURITY_ACTIONS = Object.keys(SECURITY_EVENTS) as readonly SecurityAction[];

/** The record of an event: an existing user or key. Unknown names that were typed are never stored. */
export interface Subject {
  readonly resource: 'AdminUser' | 'ApiKey';
  readonly id: number;
}

/** An event of the security log, or several similar ones. */
export interface SecurityEvent {
  /** ISO 8601; of the last one, when there are several. */
  readonly at: string;
  readonly action: SecurityAction;
  readonly subject: Subject | undefined;
  /** The admin user of a valid credential; null without one. */
  readonly owner: number | null;
  /** As in the audit trail; `none` without a valid credential, `several` for several events. */
  readonly credential: string;
  /** The address of the client, as the API sees it. */
  readonly ip: string | null;
  readonly requestId: string | null;
  /** The scope that was needed, or the limit that was reached. */
  readonly detail?: { readonly name: 'Scope' | 'Limit'; readonly value: string };
  readonly count: number;
}
