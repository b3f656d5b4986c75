import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/cli.ts';
import { copyClone } from '../support/copy-clone.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The commands of the README's first section that has any, each a block of code with one line. */
function readCommands(): readonly string[] {
  const section = /^## Two commands\n([\s\S]*?)^## /m.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, code = '']) => code);
}

/** The programs of the machine, without those that this clone has installed, and none that npm has set. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** A command in a shell, with what it has printed so far. */
function start(command: string, cwd: string, path = PATH) {
  const env = { HOME: process.env.HOME, PATH: path, npm_config_prefer_offline: 'true' };
  const child: ChildProcess = spawn('sh', ['-c', `exec ${command}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
    });
  const closed = once(child, 'close') as Promise<[number | null]>;
  cleanups.push(() => child.kill('SIGKILL'));
  return { child, printed, closed };
}

describe('the two commands of the README', () => {
  const [demo = '', tests = '', ...more] = readCommands();

  it('are one line each; the second is a program, which CONTRIBUTING names first', () => {
    expect([demo, tests].filter((command) => command === '' || command.includes('\n'))).toEqual([]);
    expect(more).toEqual([]);
    accessSync(join(root, tests), constants.X_OK);
    const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    expect(/^```sh\n(\S+)/m.exec(contributing)?.[1]).toBe(tests);
  });

  it('the first installs what is missing, and runs the demo', async () => {
    const clone = pathOf('clone');
    copyClone(clone);
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
    // What npm installs here is already in this clone, by the same script: it is linked, as two more installations at once hold up all tests.
    mkdirSync(pathOf('bin'));
    const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8', env: { PATH } }).trim();
    const installed = join(root, 'node_modules');
    const ci = `cp -al '${installed}' . 2>/dev/null || exec cp -a '${installed}' .`;
    writeFileSync(pathOf('bin/npm'), `#!/bin/sh\n[ "$1" = ci ] || exec '${npm}' "$@"\n${ci}\n`, { mode: 0o755 });
    const command = `${demo} -- --listen 127.0.0.1:0`;
    const { child, closed, printed } = start(command, clone, `${pathOf('bin')}${delimiter}${PATH}`);
    const url = await eventually(() => {
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed.stdout)?.[0];
      if (found === undefined && child.exitCode === null) throw new Error(`no address yet: ${JSON.stringify(printed)}`);
      return found ?? '';
    });
    expect(url, JSON.stringify(printed)).not.toBe('');
    expect(printed.stderr.match(/^scripts\/install: .*npm ci installs them/gm)).toHaveLength(1);
    await eventually(async () => expect((await fetch(`${url}readyz`)).status).toBe(200));
    expect(await (await fetch(url)).text()).toContain('<title>');
    child.kill('SIGTERM');
    await closed;
  });
});

describe('scripts/install', () => {
  /** A clone with this npm, which writes down each of its calls. */
  function prepare(npm: string) {
    for (const folder of ['scripts', 'bin', 'node_modules']) mkdirSync(pathOf(folder));
    cpSync(join(root, 'scripts/install'), pathOf('scripts/install'));
    writeFileSync(pathOf('package-lock.json'), '{}');
    writeFileSync(pathOf('bin/npm'), `#!/bin/sh\necho "$*" >>'${pathOf('calls')}'\n${npm}\n`, { mode: 0o755 });
    return {
      run: (command: string) => start(`scripts/install ${command}`, pathOf('.'), `${pathOf('bin')}${delimiter}${PATH}`),
      calls: () => (existsSync(pathOf('calls')) ? readFileSync(pathOf('calls'), 'utf8').match(/^ci /gm)?.length : 0),
    };
  }
  const INSTALL = 'sleep 0.2; echo much; echo {} >node_modules/.package-lock.json';

  it('installs what is missing or older than the lockfile, once, and prints nothing into the output of the command', async () => {
    const { run, calls } = prepare(INSTALL);
    for (const expected of [1, 1, 2]) {
      if (expected === 2) utimesSync(pathOf('node_modules/.package-lock.json'), 1, 1);
      const { printed, closed } = run("printf '%s|' 'a b' c");
      expect(await closed).toEqual([0, null]);
      expect([printed.stdout, calls()]).toEqual(['a b|c|', expected]);
    }
    utimesSync(pathOf('node_modules/.package-lock.json'), 1, 1);
    for (const { closed } of [run(''), run(''), run('')]) expect(await closed).toEqual([0, null]);
    expect(calls()).toBe(3);
  });

  it('says that npm failed, tries no second time, and runs no command', async () => {
    const { run, calls } = prepare('echo no network >&2; exit 7');
    const { printed, closed } = run('echo on');
    expect(await closed).toEqual([1, null]);
    expect(printed.stdout).toBe('');
    expect(printed.stderr.split('\n').slice(1)).toEqual([
      'no network',
      'scripts/install: npm ci failed with exit code 7; correct what it says, and try again',
      '',
    ]);
    expect(calls()).toBe(1);
  });

  it('ends npm with itself', async () => {
    const { run, calls } = prepare('exec sleep 600');
    const { child, closed, printed } = run('echo on');
    await eventually(() => expect(calls()).toBe(1));
    child.kill('SIGTERM');
    // Its output closes only when npm has ended too.
    expect(await closed).toEqual([143, null]);
    expect(printed.stdout).toBe('');
  });
});
