import { writeSync } from 'node:fs';
import { loadOnce } from '../../src/lib/promises.ts';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { followFiles } from '../../src/watch/logs/file/follow-files.ts';
import { createKeptValues } from '../../src/watch/monitor/create-kept-values.ts';

/**
 * Follows a file with its position in a database, and prints each line before a position after it can be saved: a process
 * that tests may kill.
 */
const [address = '', path = ''] = process.argv.slice(2);
const link = createDatabaseLink({
  address: JSON.parse(address) as DatabaseAddress,
  onUp: () => {},
  onDown: () => {},
});
const table = loadOnce(async () => (await link.open()).logPositions('test'));
const positions = createKeptValues(table.get);
let isFirst = true;
let pending = '';
const CELL = new Int32Array(new SharedArrayBuffer(4));
/** Writes as much as the pipe takes. A full one refuses, because the thread of the database has made it non-blocking. */
const writeSome = (bytes: Uint8Array): number => {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(CELL, 0, 0, 1);
    return 0;
  }
};
const print = (line: string): void => {
  if (pending === '')
    queueMicrotask(() => {
      for (let bytes = Buffer.from(pending); bytes.length > 0; ) bytes = bytes.subarray(writeSome(bytes));
      pending = '';
    });
  pending += `${line}\n`;
};
const stop = followFiles({
  path,
  source: 'test',
  positions,
  lookBackBytes: 0,
  onLine: (text, start, end) => print(text.slice(start, end)),
  onState: () => {
    if (isFirst) print('begun');
    isFirst = false;
  },
});
process.once('SIGTERM', async () => {
  await stop();
  await positions.stop();
  await link.stop();
});
