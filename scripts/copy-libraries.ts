import { cpSync, existsSync, readFileSync } from 'node:fs';

/**
 * `node scripts/copy-libraries.ts FROM TO` copies the libraries that the npm-shrinkwrap.json in a folder lists to there, without what this
 * machine never runs: types, source maps, the sources of native libraries, and those libraries built for other systems.
 */
const [, , from, to] = process.argv;
if (from === undefined || to === undefined) throw new Error('name two folders');

const UNUSED = /\.(?:[cm]?ts|map|c|cc|cpp|h|hpp|gypi?)$/;
const OWN = `${process.platform}-${process.arch}`;

const isUsed = (path: string): boolean => {
  const [, build = OWN] = /\/prebuilds\/(.+)$/.exec(path) ?? [];
  return !UNUSED.test(path) && build.startsWith(OWN) && !build.includes('.musl.');
};

const { packages } = JSON.parse(readFileSync(`${to}/npm-shrinkwrap.json`, 'utf8'));
// Those for other systems are not there.
for (const folder of Object.keys(packages).filter((one) => one !== '' && existsSync(`${from}/${one}`)))
  cpSync(`${from}/${folder}`, `${to}/${folder}`, { recursive: true, filter: isUsed });
