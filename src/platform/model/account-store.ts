import type { LinkStore } from './account-link.ts';
import type { Note } from './mail.ts';
import type { Author } from './records.ts';

/** A change of a password outside the records. It ends the tokens, sessions and links of the user. */
export interface PasswordChange {
  readonly userId: number;
  /** The version that the caller has checked. Nothing changes if it is not the current one. */
  readonly passwordVersion: number;
  readonly passwordHash: string;
  /** Whether it activates an inactive user. Otherwise the user must be active. */
  readonly activates?: boolean;
  readonly author: Author;
  /** Is queued with the change, or not at all. */
  readonly mail?: Note | undefined;
}

/** What accounts store besides the users. */
export interface AccountStore extends LinkStore {
  /** Changes a password, all or nothing; false if the version or the activity is not as stated. */
  changePassword(change: PasswordChange): Promise<boolean>;
}
