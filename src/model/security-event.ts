/** What the security log records. */
export const SECURITY_ACTIONS = [
  'sign-in',
  'sign-in refused',
  'token',
  'token refused',
  'key refused',
  'scope refused',
  'slowed',
] as const;

/** One of them. `slowed` is a request beyond a limit. */
export type SecurityAction = (typeof SECURITY_ACTIONS)[number];

/** The record that an event is about: a user or a key that exists. What was typed instead of one is never kept. */
export interface Subject {
  readonly resource: 'AdminUser' | 'ApiKey';
  readonly id: number;
}

/** One event of the security log, or several that are alike. */
export interface SecurityEvent {
  /** ISO 8601; of the last one, when there are several. */
  readonly at: string;
  readonly action: SecurityAction;
  readonly subject: Subject | undefined;
  /** The admin user whose credential was good; null when none was. */
  readonly owner: number | null;
  /** As in the audit trail; `none` when none was good, `several` when it stands for many events. */
  readonly credential: string;
  /** The address of the client, as the API sees it. */
  readonly ip: string | null;
  readonly requestId: string | null;
  /** The scope that was needed, or the limit that was reached. */
  readonly detail?: { readonly name: 'Scope' | 'Limit'; readonly value: string };
  readonly count: number;
}
