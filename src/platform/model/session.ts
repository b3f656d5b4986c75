/** A session of the portal: one browser in which an admin user is signed in. Times are ISO 8601. */
export interface Session {
  readonly id: number;
  readonly userId: number;
  readonly userName: string;
  /** When the user signed in. Each sign-in is a new session. */
  readonly signedInAt: string;
  /** When its last request came, to the minute. */
  readonly seenAt: string;
  /** The address at the sign-in; null if unknown. */
  readonly address: string | null;
  /** The browser in words. */
  readonly browser: string;
  /** When it showed a one-time code: at the sign-in, or when codes were set up in it; null if never. */
  readonly codeAt: string | null;
}

/** A session to add. Only the `hash` of its token is stored. */
export interface NewSession extends Omit<Session, 'id' | 'userName' | 'seenAt'> {
  readonly hash: string;
  /** The session ends when the version of the user's password rises: with a new password, and with deactivation. */
  readonly passwordVersion: number;
}

/** What decides whether a session goes on, as ISO 8601: it was seen after `seen`, and begun after `signedIn`. */
export interface SessionLimits {
  readonly seen: string;
  readonly signedIn: string;
}

/** The sessions of the portal, and the end of tokens. A session is found only while its user is active and keeps the same password. */
export interface SessionStore {
  addSession(session: NewSession): Promise<number>;
  findSession(hash: string, limits: SessionLimits): Promise<Session | undefined>;
  /** The sessions of a user that go on, the newest first. */
  listSessions(userId: number, limits: SessionLimits): Promise<readonly Session[]>;
  touchSession(id: number, at: string): Promise<void>;
  /** Records that a session has shown a one-time code. */
  proveSession(id: number, at: string): Promise<void>;
  /** Ends a session of the user; false when the user has no such session. */
  endSession(userId: number, id: number): Promise<boolean>;
  /** Ends all sessions, tokens and links of the user. */
  signOut(userId: number): Promise<void>;
  /** Ends a token by its id. `expiresAt` (ISO 8601) is when it would have ended. */
  revokeToken(id: string, expiresAt: string): Promise<void>;
  /** Forgets the revoked tokens that have expired at `at` (ISO 8601). */
  trimRevokedTokens(at: string): Promise<void>;
  /** Deletes the sessions that have ended by time. */
  trimSessions(limits: SessionLimits): Promise<void>;
}

/** A session ends after this long without a request, and after this long in any case. */
const SESSION_LIFE = { idleMs: 30 * 60_000, wholeMs: 12 * 60 * 60_000 } as const;

/** The limits of sessions at a time in Unix milliseconds. */
export const sessionLimits = (now: number): SessionLimits => ({
  seen: new Date(now - SESSION_LIFE.idleMs).toISOString(),
  signedIn: new Date(now - SESSION_LIFE.wholeMs).toISOString(),
});
