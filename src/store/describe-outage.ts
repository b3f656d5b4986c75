import { describeCause } from '../lib/database-failure.ts';

interface Outage {
  /** How the code of SQLite, Node.js or subnetd begins. */
  readonly code: string;
  /** What is wrong, and what goes on. */
  readonly what: string;
  readonly remedy: string;
  /** The same for who runs a command; absent when it is `remedy`. */
  readonly inCommand?: string;
}

const AS_SUBNETD = 'run this command as the user of subnetd, who can write to the file and its folder';

const OUTAGES: readonly Outage[] = [
  {
    code: 'SQLITE_FULL',
    what: 'the disk of the database is full: writes are refused, reads continue',
    remedy: 'free space on that disk',
  },
  { code: 'ENOSPC', what: 'the disk of the database is full', remedy: 'free space on that disk' },
  {
    code: 'SQLITE_BUSY',
    what: 'another process keeps the database locked: writes are refused',
    remedy: 'end that process; fuser FILE names it',
  },
  {
    code: 'DATABASE_IS_NEWER',
    what: 'the database was made by a newer subnetd: the platform API answers 1106',
    remedy: 'install that version again, or run subnetd restore with a backup from before the upgrade',
  },
  {
    code: 'DATABASE_FILE_LOST',
    what: 'the database file was deleted or replaced while subnetd was running: the file now at its path is opened, or an empty one created',
    remedy: 'to get the records back, run subnetd restore',
  },
  {
    code: 'DATABASE_NO_FILE',
    what: 'the database is a folder or a device',
    remedy: 'name a file in SUBNETD_DATABASE_URL',
  },
  {
    code: 'DATABASE_STUCK',
    what: 'the database has not answered for 10s: checks and reads continue, writes wait',
    remedy: 'check whether its disk hangs and what else uses it',
  },
  {
    code: 'DATABASE_TABLE_LOST',
    what: 'a table of the database is missing: what needs it fails, the rest works',
    remedy: 'to get it back, stop subnetd and restore the last backup',
  },
  {
    code: 'SQLITE_IOERR',
    what: 'the disk of the database fails or is full: the platform API answers 1106 until it works',
    remedy: 'free space on that disk, and check it',
  },
  {
    code: 'SQLITE_READONLY',
    what: 'the database cannot be written',
    remedy: 'let the user of subnetd write to the file and its folder',
    inCommand: AS_SUBNETD,
  },
  {
    code: 'SQLITE_CANTOPEN',
    what: 'the database cannot be opened',
    remedy: 'let the user of subnetd write to the file and its folder',
    inCommand: AS_SUBNETD,
  },
  {
    code: 'EROFS',
    what: 'the database cannot be opened, because its disk is mounted read-only',
    remedy: 'mount the folder read-write',
  },
  {
    code: 'DATABASE_THREAD_ENDED',
    what: 'the thread that writes the database has ended and is being restarted',
    remedy: 'check whether the machine is short of memory',
  },
  {
    code: 'EACCES',
    what: 'the database cannot be opened',
    remedy: 'let the user of subnetd write to its folder',
    inCommand: AS_SUBNETD,
  },
  {
    code: 'SQLITE_CORRUPT',
    what: 'the database is damaged',
    remedy: 'stop subnetd and run subnetd restore with the last backup',
  },
  {
    code: 'SQLITE_NOTADB',
    what: 'the file is not a SQLite database',
    remedy: 'correct SUBNETD_DATABASE_URL, or run subnetd restore',
  },
];

const AWAY: Omit<Outage, 'code'> = {
  what: 'the database is unreachable: the platform API answers 1106 until it is back',
  remedy: 'check SUBNETD_DATABASE_URL',
};

function findOutage(error: unknown): Omit<Outage, 'code'> {
  const { code } = describeCause(error);
  return OUTAGES.find((one) => code?.startsWith(one.code)) ?? AWAY;
}

/** What is wrong with the database of the daemon, and what to do. */
export function describeOutage(error: unknown): string {
  const { what, remedy } = findOutage(error);
  return `${what}; ${remedy}`;
}

/** Why the call of a command on the database `name` failed, in the words of its driver, and what to do. */
export function describeFailedCall(name: string, error: unknown): string {
  const { remedy, inCommand = remedy } = findOutage(error);
  return `the database ${name} failed: ${describeCause(error).message}; ${inCommand}`;
}

/** Does the database still answer reads, so that it should stay open? */
export function canStillRead(error: unknown): boolean {
  const { code } = describeCause(error);
  return (
    code === 'SQLITE_FULL' ||
    code === 'DATABASE_STUCK' ||
    code === 'DATABASE_TABLE_LOST' ||
    code?.startsWith('SQLITE_BUSY') === true
  );
}
