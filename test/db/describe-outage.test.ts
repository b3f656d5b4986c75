import { expect, it } from 'vitest';
import { canStillRead, describeOutage } from '../../src/db/describe-outage.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

it.each([
  [
    'EROFS',
    'the database cannot be opened, because its disk may not be written; mount the folder so that subnetd may write',
  ],
  [
    'DATABASE_THREAD_ENDED',
    'the thread that writes the database has ended, and is started again; look whether the machine is short of memory',
  ],
  [
    'SQLITE_IOERR_SHMSIZE',
    'the disk of the database fails or is full: the platform API answers 1106 until it works; free space on it, and check it',
  ],
  ['ECONNREFUSED', 'the database is away: the platform API answers 1106 until it is back; check SUBNETD_DATABASE_URL'],
])('an outage by %s is told with what to do, and the database is opened again', (code, sentence) => {
  expect(describeOutage(failure(code))).toBe(sentence);
  expect(canStillRead(failure(code))).toBe(false);
});
