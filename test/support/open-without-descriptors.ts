import { closeSync, openSync } from 'node:fs';
import { createDatabaseLink } from '../../src/store/create-database-link.ts';

/** Opens the stores of the platform API while no file descriptor is left, and again; prints what came of each. */
const [path = ''] = process.argv.slice(2);
const link = createDatabaseLink({ address: { kind: 'sqlite', path }, onUp: () => {}, onDown: () => {} });
await link.openStores();
const open = async () => {
  const result = await link.open().then(
    () => 'opened',
    (error: NodeJS.ErrnoException) => error.code,
  );
  process.stdout.write(`${result}\n`);
};
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  await open();
}
for (const descriptor of taken) closeSync(descriptor);
await open();
await link.stop();
