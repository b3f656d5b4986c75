/** The actions that the security log records. */
export const SECURITY_ACTIONS = [
  'sign-in',
  'sign-in refused',
  'sign-out',
  'sessions ended',
  'code refused',
  'recovery code used',
  'locked',
  'unlocked',
  'reset asked',
  'password reset',
  'password changed',
  'password refused',
  'link refused',
  'form refused',
  'invited',
  'activated',
  'token',
  'token revoked',
  'tokens revoked',
  'token refused',
  'key refused',
  'key ends soon',
  'basic auth refused',
  'scope refused',
  'slowed',
] as const;

/** An action of the security log. `slowed`: a request beyond a limit. */
export type SecurityAction = (typeof SECURITY_ACTIONS)[number];

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
