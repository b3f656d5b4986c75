/** Which events of the audit trail and the security log to list, and in which order. Times are ISO 8601. */
export interface AuditQuery {
  /** Only changes, or only events of the security log; both when absent. */
  readonly isSecurity?: boolean | undefined;
  readonly since?: string | undefined;
  /** Only events before this time. */
  readonly until?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly recordId?: number | undefined;
  /** The admin user whose credential it was. */
  readonly owner?: number | undefined;
  readonly ip?: string | undefined;
  readonly requestId?: string | undefined;
  /** Whether the newest come first. */
  readonly isDescending?: boolean;
  /** Only events that follow the one with this id in that order. */
  readonly after?: number | undefined;
  readonly limit: number;
}
