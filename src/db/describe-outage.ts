import { describeCause } from '../model/database-failure.ts';

const REMEDIES: readonly (readonly [code: string, sentence: string])[] = [
  ['SQLITE_FULL', 'the disk of the database is full: what is written is refused, reading goes on; free space on it'],
  [
    'SQLITE_BUSY',
    'another process keeps the database locked: what is written is refused; end that process, which fuser FILE names',
  ],
  [
    'DATABASE_FILE_LOST',
    'the database file was deleted or replaced while subnetd ran: what has its name is opened, or made empty; to get the records back, run subnetd restore',
  ],
  [
    'DATABASE_STUCK',
    'the database has not answered for 10s: checks and reading go on, what is written waits; see whether its disk hangs, and what else uses it',
  ],
  [
    'DATABASE_TABLE_LOST',
    'a table of the database is gone: what needs it fails, the rest goes on; to get it back, stop subnetd and restore the last backup',
  ],
  [
    'SQLITE_IOERR',
    'the disk of the database fails or is full: the platform API answers 1106 until it works; free space on it, and check it',
  ],
  ['SQLITE_READONLY', 'the database may not be written; let the user of subnetd write to the file and its folder'],
  ['SQLITE_CANTOPEN', 'the database cannot be opened; let the user of subnetd write to the file and its folder'],
  [
    'EROFS',
    'the database cannot be opened, because its disk may not be written; mount the folder so that subnetd may write',
  ],
  [
    'DATABASE_THREAD_ENDED',
    'the thread that writes the database has ended, and is started again; look whether the machine is short of memory',
  ],
  ['EACCES', 'the database cannot be opened; let the user of subnetd write to its folder'],
  ['SQLITE_CORRUPT', 'the database is damaged; stop subnetd and run subnetd restore with the last backup'],
  ['SQLITE_NOTADB', 'the database file is no database; correct SUBNETD_DATABASE_URL, or run subnetd restore'],
];

/** What is wrong with the database, and what to do. */
export function describeOutage(error: unknown): string {
  const { code } = describeCause(error);
  const known = REMEDIES.find(([start]) => code?.startsWith(start));
  return (
    known?.[1] ?? 'the database is away: the platform API answers 1106 until it is back; check SUBNETD_DATABASE_URL'
  );
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
