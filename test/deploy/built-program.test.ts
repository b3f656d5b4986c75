import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A clone of its own, with the libraries of this one. */
beforeEach(() => {
  for (const name of [
    'bin',
    'src',
    'scripts',
    'docs/alerts',
    'grafana/dashboards',
    'package.json',
    'package-lock.json',
  ])
    cpSync(root + name, pathOf(name), { recursive: true });
  symlinkSync(`${root}node_modules`, pathOf('node_modules'));
  writeFileSync(pathOf('subnetd.yaml'), "subnets: [{ name: d, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n");
});

/** Changes a source: `version` prints another word. */
function setWord(word: string): void {
  const file = 'src/cli/version.ts';
  writeFileSync(pathOf(file), readFileSync(`${root}${file}`, 'utf8').replace('`subnetd $', `\`${word} $`));
}

const start = (...words: readonly string[]) => {
  const env = {
    NODE_OPTIONS: '--import=data:text/javascript,console.error(process.argv[1])',
    SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}`,
  };
  const running = startCli(words, env, [], pathOf('bin/subnetd'));
  cleanups.push(() => running.child.kill('SIGKILL'));
  return running;
};

/** The file of the clone that Node.js was started with, as it is printed. */
const toStarted = (output: string): string | undefined => {
  const line = output.split('\n').find((one) => one.startsWith(pathOf('/')));
  return line?.slice(pathOf('/').length);
};

const startedBy = async (...words: readonly string[]) => toStarted((await start(...words).finished).stderr);

async function runDaemon() {
  const daemon = start('run', '--config', pathOf('subnetd.yaml'), '--listen', '127.0.0.1:0');
  const [, url = ''] = await daemon.waitFor(/"url":"([^"]+)"/);
  await daemon.waitFor(/the database answers/);
  const get = async (path: string) => (await fetch(`${url}${path}`)).text();
  const stop = async () => {
    daemon.child.kill('SIGTERM');
    return (await daemon.finished).code;
  };
  return { get, stop, started: toStarted(daemon.output()) };
}

const SOURCE = 'src/main.ts';
const BUILT = '.cache/program/main.js';

test('a daemon builds its program, and what is started then is that until a source is another', async () => {
  expect(await startedBy('version')).toBe(SOURCE);
  const daemon = await runDaemon();
  expect(daemon.started).toBe(BUILT);
  expect(await startedBy('version')).toBe(BUILT);

  setWord('another');
  expect((await start('version').finished).stdout).toMatch(/^another 0/);
  expect(await startedBy('version')).toBe(SOURCE);
  const next = await runDaemon();
  expect(next.started).toBe(BUILT);
  expect((await start('version').finished).stdout).toMatch(/^another 0/);
  expect(await startedBy('version')).toBe(BUILT);

  // As when a release is unpacked, whose files are older than the build.
  setWord('older');
  utimesSync(pathOf('src/cli/version.ts'), 1_000_000_000, 1_000_000_000);
  expect((await start('version').finished).stdout).toMatch(/^older 0/);

  // The first one loads its pages now, from its own files.
  expect(await daemon.get('/')).toMatch(/<title>[^<]*d has not been reached yet/);
  expect(await next.get('/')).toMatch(/<title>[^<]*d has not been reached yet/);
  expect([await daemon.stop(), await next.stop()]).toEqual([0, 0]);
});

test('a built program finds all that lies beside its sources', async () => {
  const daemon = await runDaemon();
  expect(daemon.started).toBe(BUILT);
  expect(await daemon.get('/assets/style.css')).toContain('color-scheme');
  expect(await daemon.get('/assets/kiosk.css')).toContain('.kiosk');
  expect(await daemon.get('/docs')).toContain('Platform API');
  expect(await daemon.get('/alerts/SubnetHalted')).toContain('SubnetHalted');
  expect(await daemon.get('/metrics')).toContain(
    `version="${JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version}"`,
  );
  expect(await daemon.stop()).toBe(0);
  const { stdout } = await start('dashboards', 'fleet').finished;
  expect(JSON.parse(stdout)).toMatchObject({ uid: 'subnetd-fleet' });
});

test('the files of older builds are removed, and those of the last one stay', async () => {
  for (const word of ['one', 'two', 'three']) {
    setWord(word);
    const daemon = await runDaemon();
    expect(await daemon.stop()).toBe(0);
  }
  const texts = readdirSync(pathOf('.cache/program')).map((name) =>
    readFileSync(pathOf(`.cache/program/${name}`), 'utf8'),
  );
  const kept = ['one', 'two', 'three'].filter((word) => texts.some((text) => text.includes(`\`${word} $`)));
  expect(kept).toEqual(['two', 'three']);
  expect(readdirSync(pathOf('.cache'))).toEqual(['program']);
});

test('where nothing builds it, the sources run', async () => {
  rmSync(pathOf('scripts/build.ts'));
  const daemon = await runDaemon();
  expect(daemon.started).toBe(SOURCE);
  expect(await daemon.get('/')).toMatch(/<title>[^<]*d has not been reached yet/);
  expect(await daemon.stop()).toBe(0);
});
