import type { Logger } from 'pino';
import type { WallMs } from '../lib/clock.ts';
import { describeCause, isAway } from '../lib/database-failure.ts';
import { createInternalErrors, type InternalErrors } from '../lib/internal-errors.ts';
import { type Mailer, startMailer } from '../platform/mail/start-mailer.ts';
import { type Database, startDatabase } from '../store/start-database.ts';
import type { AppOptions } from './app-options.ts';

/** What everything else stands on: the log, the clock, the database, which may be down, and the mailer. */
export interface Store {
  readonly log: Logger;
  readonly bugs: InternalErrors;
  readonly wall: () => WallMs;
  readonly database: Database;
  /** Absent without a mail server. */
  readonly mailer: Mailer | undefined;
  /** Logs that something could not be stored, unless the outage of the database says so already. */
  readonly notStored: (what: string) => (error: unknown) => void;
}

/** Opens the database in the background. */
export function openStore({ log, platform, clock }: AppOptions): Store {
  const bugs = createInternalErrors(log);
  const wall = () => clock.toWall(clock.now());
  const database = startDatabase(platform.database, log, platform.secretKeys);
  const { mail } = platform;
  return {
    log,
    bugs,
    wall,
    database,
    mailer: mail && startMailer({ settings: mail, store: database.mails, log, now: wall, onBug: bugs.of('mail') }),
    notStored: (what) => (error) => {
      const cause = describeCause(error);
      if (!isAway(cause)) log.warn({ cause }, `${what} cannot be stored now; subnetd will retry`);
    },
  };
}
