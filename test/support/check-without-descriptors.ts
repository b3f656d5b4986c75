import { closeSync, openSync } from 'node:fs';
import { verifyPassword } from '../../src/platform/api/passwords.ts';
import { readWebConfig } from '../../src/web/web-config.ts';

/** Checks passwords while no file descriptor is left, and again; prints what came of each: of a user of the web config, and of none. */
const [path = '', name = '', password = ''] = process.argv.slice(2);
const web = readWebConfig(path);
if (!web.ok) throw new Error(web.errors.join());
const toWord = (check: Promise<boolean>) => check.then(String, () => 'failed');
const checkUser = async () => (await web.config.checkUser?.(name, password, '127.0.0.1'))?.ok === true;
/** More often than may wait at once. */
const TIMES = 40;
const checkAll = async () => {
  const words = new Set<string | undefined>();
  for (let times = 0; times < TIMES; times += 1) words.add(await toWord(checkUser()));
  words.add(await toWord(verifyPassword(undefined, password)));
  process.stdout.write(`${[...words].join(' ')}\n`);
};
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  await checkAll();
}
for (const descriptor of taken) closeSync(descriptor);
await checkAll();
