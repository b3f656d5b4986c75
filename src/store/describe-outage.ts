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

const AS_SUBNETD = 'run this command as the user of subnetd, who may write the file and its folder';

const OUTAGES: readonly Outage[] = [
  {
    code: 'SQLITE_FULL',
    what: 'the disk of the database is full: what is written is refused, reading goes on',
    remedy: 'free space on that disk',
  },
  { code: 'ENOSPC', what: 'the disk of the database is full', remedy: 'free space on that disk' },
  {
    code: 'SQLITE_BUSY',
    what: 'another process keeps the database locked: what is written is refused',
    remedy: 'end that process, which fuser FILE names',
  },
  {
    code: 'DATABASE_FILE_LOST',
    what: 'the database file was deleted or replaced while subnetd ran: what has its name is opened, or made empty',
    remedy: 'to get the records back, run subnetd restore',
  },
  {
    code: 'DATABASE_NO_FILE',
    what: 'the database is a folder or a device',
    remedy: 'name a file in SUBNETD_DATABASE_URL',
  },
  {
    code: 'DATABASE_STUCK',
    what: 'the database has not answered for 10s: checks and reading go on, what is written waits',
    remedy: 'see whether its disk hangs, and what else uses it',
  },
  {
    code: 'DATABASE_TABLE_LOST',
    what: 'a table of the database is gone: what needs it fails, the rest goes on',
    remedy: 'to get it back, stop subnetd and restore the last backup',
  },
  {
    code: 'SQLITE_IOERR',
    what: 'the disk of the database fails or is full: the platform API answers 1106 until it works',
    remedy: 'free space on that disk, and check it',
  },
  {
    code: 'SQLITE_READONLY',
    what: 'the database may not be written',
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
    what: 'the database cannot be opened, because its disk may not be written',
    remedy: 'mount the folder so that subnetd may write',
  },
  {
    code: 'DATABASE_THREAD_ENDED',
    what: 'the thread that writes the database has ended, and is started again',
    remedy: 'look whether the machine is short of memory',
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
  what: 'the database is away: the platform API answers 1106 until it is back',
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
