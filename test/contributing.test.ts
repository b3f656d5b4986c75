import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useCleanups } from './support/use-cleanups.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
const { pathOf } = useCleanups();

/** A step of the example: its file, and the block of code under it. */
interface Step {
  readonly file: string;
  readonly language?: string;
  readonly code?: string;
}

/** The numbered steps under a heading of CONTRIBUTING, as they stand there. */
function readSteps(heading: string): readonly Step[] {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return section.split(/^\d+\. /m).flatMap((text, index) => {
    const [, language, title, block] = /```(\w+)(?: title="(.*)")?\n([\s\S]*?)```/.exec(text) ?? [];
    const file = title ?? /`([\w./-]+\/[\w-]+\.\w+)`/.exec(text)?.[1];
    if (index === 0 || file === undefined) return [];
    return [{ file, ...(language && block && { language, code: block.replace(/^ {3}/gm, '').trimEnd() }) }];
  });
}

/** Writes a file, or changes it as a diff without line numbers says: its context must stand in the file exactly once. */
function apply(folder: string, { file, language, code }: Step): void {
  if (code === undefined) return;
  const path = join(folder, file);
  if (language !== 'diff') {
    writeFileSync(path, `${code}\n`, { flag: 'wx' });
    return;
  }
  for (const hunk of code.split('\n@@\n')) {
    const lines = hunk.split('\n');
    const context = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const changed = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const text = readFileSync(path, 'utf8');
    const parts = text.split(context.join('\n'));
    expect(parts.length, `${file} holds ${context.join('\n')}`).toBe(2);
    writeFileSync(path, parts.join(changed.join('\n')));
  }
}

/** A copy of what the example needs, with the same packages. */
function copyRepository(folder: string): void {
  mkdirSync(folder);
  for (const name of ['bin', 'src', 'test', 'scripts', 'bench', 'config', 'docs', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const include = ['src/watch/rules/checks.ts', 'src/watch/diagnosis/*.ts', 'test/watch/rules/checks.test.ts'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
}

/** Runs a program in the copy: its exit code, and what it printed. */
function run(folder: string, command: string, words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, stdout, output: stdout + stderr };
}
const tsc = (folder: string) => run(folder, join(root, 'node_modules/.bin/tsc'), ['--noEmit']).output;

/** The files of the copy that are new or not as they were. */
const listChanges = (folder: string): readonly string[] =>
  ['src', 'test', 'scripts', 'config', 'docs'].flatMap((name) =>
    run(folder, 'diff', ['-rq', join(root, name), name])
      .output.split('\n')
      .flatMap((line) => {
        const [, at, added] = /^Only in (.*): (.*)$/.exec(line) ?? [];
        return (at === undefined ? / and (\S+) differ$/.exec(line)?.[1] : `${at}/${added}`) ?? [];
      }),
  );

test('the example of a new check works as it is written: in seven files, most of which tsc names, and the check runs', () => {
  const steps = readSteps('Adding a check');
  expect(steps).toHaveLength(7);
  const [name, rule, ...others] = steps;
  if (name === undefined || rule === undefined) throw new Error('there are no steps');
  const tables = others.filter(({ code, file }) => code !== undefined && file.endsWith('.ts')).map(({ file }) => file);
  expect(tables).toHaveLength(3);
  const folder = pathOf('copy');
  copyRepository(folder);

  apply(folder, name);
  const withName = tsc(folder);
  for (const file of tables) expect(withName).toMatch(new RegExp(`^${file}.*Property 'clock' is missing`, 'm'));
  for (const step of others) apply(folder, step);
  expect(tsc(folder)).toMatch(/^src\/watch\/rules\/checks\.ts.*Cannot find module '\.\/judge-clock\.ts'/m);
  apply(folder, rule);
  cpSync(join(root, name.file), join(folder, name.file));
  const withoutName = tsc(folder);
  for (const file of tables) expect(withoutName).toMatch(new RegExp(`^${file}.*'clock' does not exist`, 'm'));
  apply(folder, name);
  expect(tsc(folder)).toBe('');

  expect(run(folder, 'node', ['scripts/generate.ts'])).toMatchObject({ status: 0, output: '' });
  expect(listChanges(folder).toSorted()).toEqual(steps.map(({ file }) => file).toSorted());
  expect(readFileSync(join(folder, 'docs/problems.md'), 'utf8')).toContain('| log_block, clock |');
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { include: ['test/watch/rules/*.test.ts'] } };`,
  );
  // Read as it is: else a bundle of it is written into the packages that other tests use too.
  const words = ['run', '--configLoader=native', 'test/watch/rules/checks.test.ts', '-t', 'the check clock'];
  const cases = run(folder, 'node', [VITEST, ...words]);
  expect(cases.status, cases.output).toBe(0);
  expect(cases.output).toMatch(/Tests +4 passed/);

  writeFileSync(join(folder, 'xdc.log'), '');
  const node = { name: 'n', rpc: 'http://127.0.0.1:1', logFiles: [join(folder, 'xdc.log')] };
  const subnet = { name: 'd', nodes: [node], checks: { rpc: { enabled: false, stallAfter: '1s' } } };
  writeFileSync(join(folder, 'subnetd.yaml'), JSON.stringify({ subnets: [subnet] }));
  const once = run(folder, 'bin/subnetd', ['once', '--json', '--config', 'subnetd.yaml']);
  expect(JSON.parse(once.stdout).subnets[0].targets[0].checks).toContainEqual(
    expect.objectContaining({ check: 'clock', verdict: 'pass', reason: 'the log of n shows no wrong clock' }),
  );
}, 180_000);
