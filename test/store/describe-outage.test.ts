import { expect, it } from 'vitest';
import { canStillRead, describeFailedCall, describeOutage } from '../../src/store/describe-outage.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

it.each([
  ['EROFS', 'the database cannot be opened, because its disk is mounted read-only; mount the folder read-write'],
  [
    'DATABASE_THREAD_ENDED',
    'the thread that writes the database has ended and is being restarted; check whether the machine is short of memory',
  ],
  [
    'SQLITE_IOERR_SHMSIZE',
    'the disk of the database fails or is full: the platform API answers 1106 until it works; free space on that disk, and check it',
  ],
  [
    'DATABASE_IS_NEWER',
    'the database was made by a newer subnetd: the platform API answers 1106; install that version again, or run subnetd restore with a backup from before the upgrade',
  ],
  [
    'ECONNREFUSED',
    'the database is unreachable: the platform API answers 1106 until it is back; check SUBNETD_DATABASE_URL',
  ],
])('an outage by %s is told with what to do, and the database is opened again', (code, sentence) => {
  expect(describeOutage(failure(code))).toBe(sentence);
  expect(canStillRead(failure(code))).toBe(false);
});

it.each([
  ['SQLITE_FULL', 'free space on that disk'],
  ['SQLITE_IOERR_SHMSIZE', 'free space on that disk, and check it'],
  ['ENOSPC', 'free space on that disk'],
  ['SQLITE_CANTOPEN', 'run this command as the user of subnetd, who can write to the file and its folder'],
  ['SQLITE_READONLY_DIRECTORY', 'run this command as the user of subnetd, who can write to the file and its folder'],
  ['EACCES', 'run this command as the user of subnetd, who can write to the file and its folder'],
  ['DATABASE_NO_FILE', 'name a file in SUBNETD_DATABASE_URL'],
  ['ECONNREFUSED', 'check SUBNETD_DATABASE_URL'],
])('a command that fails by %s says what to do', (code, remedy) => {
  expect(describeFailedCall('sqlite:a.db', failure(code))).toBe(`the database sqlite:a.db failed: ${code}; ${remedy}`);
});
