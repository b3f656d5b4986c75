import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { isBuiltIn } from './built-in.ts';

/**
 * Builds the sources into a few files of JavaScript in `.cache/program/`, which bin/subnetd starts while the sources are those it was
 * built of. They take less memory than 500 modules (docs/decisions/0043-idle-memory.md). Most libraries stay in node_modules/.
 *
 * The sources count on two things: `../../` is the root, and the program of a thread lies beside the file that starts it.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const program = `${root}.cache/program`;
const made = `${program}-${process.pid}`;

const MAIN = 'main.js';
const ENTRIES = ['src/main.ts', 'src/store/sqlite-worker.ts', 'src/watch/inventory/inventory-worker.ts'];

/** The list of the sources that a program was built of, which bin/subnetd compares with those that are there. */
const LIST = 'sources';

/** Their sizes, times in Unix seconds, and names, as `stat` and `sort` write them. */
function listSources(): string {
  const lines = globSync('src/**', { cwd: root, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = `${entry.parentPath}/${entry.name}`;
    const { size, mtimeMs } = statSync(path);
    return `${size} ${Math.floor(mtimeMs / 1_000)} ${path.slice(root.length)}\n`;
  });
  return lines.toSorted().join('');
}

const isOfLibrary = (id: string): boolean => /^@?[a-z]/.test(id) && !isBuiltIn(id);

/** Puts the new files in the place of the former. */
function replaceProgram(files: readonly string[]): void {
  const formerAt = statSync(`${program}/${MAIN}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  mkdirSync(program, { recursive: true });
  // Whoever starts meanwhile starts the sources, or finds all of this program.
  for (const file of files.toSorted((one, other) => Number(one === LIST) - Number(other === LIST)))
    renameSync(`${made}/${file}`, `${program}/${file}`);
  // A daemon of the former program loads the rest of that when somebody asks for it. What is older goes.
  for (const file of readdirSync(program))
    if (!files.includes(file) && statSync(`${program}/${file}`).mtimeMs < formerAt) rmSync(`${program}/${file}`);
}

const startedAt = new Date();
// What is changed while this runs makes the list another one.
const sources = listSources();
const bundle = await rolldown({
  cwd: root,
  input: ENTRIES,
  platform: 'node',
  external: isOfLibrary,
  transform: { target: `node${process.versions.node}` },
});
try {
  await bundle.write({
    dir: made,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // V8 keeps the sources. With one character beyond Latin-1, a file takes two bytes for each.
    charset: 'ascii',
    comments: { jsdoc: false },
  });
  writeFileSync(`${made}/${LIST}`, sources);
  // The files of a build are no older than this one.
  utimesSync(`${made}/${MAIN}`, startedAt, startedAt);
  replaceProgram(readdirSync(made));
} finally {
  rmSync(made, { recursive: true, force: true });
}
