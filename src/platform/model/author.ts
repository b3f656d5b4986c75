/** Who makes a change, by which credential, when and from where. */
export interface Author {
  /** The admin user that the request states; null on the command line. */
  readonly statedBy: number | null;
  /** The admin user that the credential belongs to; null on the command line. */
  readonly owner: number | null;
  /** `key 3`, `token of key 3`, `token`, `session` or `command line`. */
  readonly credential: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ip: string | null;
  /** Of the request that changes it; absent on the command line. */
  readonly requestId?: string;
}
