import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs vitest with the words of the command line. With SUBNETD_TEST_RETRIES, as in CI, files that fail run once more after all
 * others, one at a time: on a machine that others use, a wait that has a bound may fail for want of a processor.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const RESULTS = `${root}node_modules/.cache/subnetd/tests.json`;
/** A slow machine makes fewer fail: with more, something else is wrong. */
const MOST = 20;

const run = (words: readonly string[]): number =>
  spawnSync('vitest', ['run', ...words], { cwd: root, stdio: 'inherit' }).status ?? 1;

/** The files of which the run before noted a failure, from the folder of the project. */
function readFailed(): readonly string[] {
  const { testResults } = JSON.parse(readFileSync(RESULTS, 'utf8')) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[];
  };
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
}

const words = process.argv.slice(2);
if (process.env.SUBNETD_TEST_RETRIES === undefined) process.exit(run(words));
rmSync(RESULTS, { force: true });
const code = run([...words, '--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`]);
const failed = code === 0 ? [] : readFailed();
if (failed.length === 0 || failed.length > MOST) process.exit(code);
console.log(`scripts/run-tests: once more, one at a time, what failed: ${failed.join(' ')}`);
process.exit(run([...failed, '--maxWorkers=1']));
