/**
 * How grave the actions of the security log are, in the log of the daemon and in the portal. `slowed`: a request beyond a limit.
 */
export const SECURITY_SEVERITIES = {
  'sign-in': 'info',
  'sign-in refused': 'warn',
  'sign-out': 'info',
  'sessions ended': 'info',
  'code refused': 'warn',
  'recovery code used': 'warn',
  locked: 'warn',
  unlocked: 'info',
  'reset asked': 'info',
  'password reset': 'info',
  'password changed': 'info',
  'password refused': 'warn',
  'link refused': 'warn',
  'form refused': 'warn',
  invited: 'info',
  activated: 'info',
  token: 'info',
  'token revoked': 'info',
  'tokens revoked': 'info',
  'token refused': 'warn',
  'key refused': 'warn',
  'key ends soon': 'warn',
  'basic auth refused': 'warn',
  'scope refused': 'warn',
  slowed: 'warn',
} as const satisfies Readonly<Record<string, 'info' | 'warn'>>;

/** An action of the security log. */
export type SecurityAction = keyof typeof SECURITY_SEVERITIES;

/** The actions that the security log records. */
export const SECURITY_ACTIONS = Object.keys(SECURITY_SEVERITIES) as readonly SecurityAction[];

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
