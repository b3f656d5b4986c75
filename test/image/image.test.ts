import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { listBuildArguments } from '../../scripts/image.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { uniqueName } from '../support/containers.ts';
import { createDockerCli, type Outcome } from '../support/docker-cli.ts';
import { type Engine, useEngine } from '../support/engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const image = uniqueName('subnetd-test');
/** Only a bound: others may use the machine, and each check of its health starts a process. */
const SOON = { timeout: 60_000, interval: 100 };

/** What is also said, and true, when others need the machine for seconds: all that waited is done later. */
const OF_A_STARVED_MACHINE =
  /^(the database has been busy with one statement for |a round is late$|planned work cannot be read from the database; the last known work stays in force$)/;

/** What the layers above the base may take: 300 MB with the 75 MB of Debian's smallest image. */
const OWN_BYTES = 220e6;

interface Inspection {
  readonly Size: number;
  readonly Config: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly User: string;
    readonly ExposedPorts: Readonly<Record<string, unknown>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly OOMKilled: boolean;
    readonly Health?: { readonly Status: string };
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the image that the Dockerfile makes', () => {
  let engine: Engine;
  let folder: string;
  let simulation: Simulation | undefined;
  let docker: (...words: readonly string[]) => Promise<Outcome>;
  const containers: string[] = [];

  const dockerOk = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await docker(...words);
    if (code !== 0) throw new Error(`docker ${words[0]} ended with ${code}:\n${stdout.slice(-4_000)}\n${stderr}`);
    return stdout;
  };
  const inspect = async (what: string): Promise<Inspection> => JSON.parse(await dockerOk('inspect', what))[0];

  /** What a careful operator writes; the network is the host's, as this engine has no other. */
  const confined = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'host'];
  const runOnce = (...words: readonly string[]) => docker('run', '--rm', ...confined, ...words);
  const runShell = async (script: string): Promise<readonly string[]> => {
    const { stdout } = await runOnce('--entrypoint', 'sh', image, '-c', script);
    return stdout.split('\n').filter((line) => line !== '');
  };

  beforeAll(async () => {
    engine = await useEngine();
    folder = await mkdtemp(join(tmpdir(), 'image-'));
    // The user of the image reads the inventory in it.
    await chmod(folder, 0o755);
    const cli = createDockerCli(engine, folder);
    docker = cli.docker;
    await cli.importBases();
    await cli.build('--tag', image);
  }, 600_000);

  afterEach(async () => {
    await Promise.all(containers.splice(0).map((name) => docker('rm', '--force', name)));
    await simulation?.stop();
    simulation = undefined;
  });

  afterAll(async () => {
    await docker?.('image', 'rm', '--force', image);
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('holds what runs and nothing else, none of it the user’s own to change', async () => {
    const { User, ExposedPorts } = (await inspect(image)).Config;
    expect({ User, ExposedPorts }).toEqual({ User: '1000:1000', ExposedPorts: { '10545/tcp': {} } });
    expect(await runShell('ls -A /opt/subnetd')).toEqual(
      [
        '.cache',
        'CHANGELOG.md',
        'COMMIT',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'bin',
        'deploy',
        'docs',
        'grafana',
        'node_modules',
        'npm-shrinkwrap.json',
        'package.json',
        'src',
      ].toSorted(),
    );
    expect(await runShell('ls /opt/subnetd/node_modules')).toEqual(expect.arrayContaining(['hono', 'prom-client']));
    const tools = ['node', 'typescript', 'vitest', 'viem', '.bin/node'].map(
      (tool) => `/opt/subnetd/node_modules/${tool}`,
    );
    expect(await runShell(`ls -d ${tools.join(' ')} /usr/local/lib/node_modules /usr/local/bin/npm`)).toEqual([]);
    const sources = ['ts', 'map', 'c', 'cc', 'h', 'gyp'].map((ending) => `-name '*.${ending}'`).join(' -o ');
    expect(await runShell(`find /opt /usr/local -type f '(' ${sources} ')'`)).toEqual([]);
    expect(await runShell('find / -xdev -user 1000')).toEqual(['/var/lib/subnetd']);
    expect(await runShell('find /opt /etc/subnetd /usr/local -user 1000 -o ! -type l -perm -002')).toEqual([]);
    expect(await runShell('id -u')).toEqual(['1000']);
    expect(await runShell('stat -c %a /var/lib/subnetd')).toEqual(['700']);
  });

  test('takes less than 300 MB, and says what it is', async () => {
    const [own, base] = [await inspect(image), await inspect('debian:bookworm-slim')];
    const megabytes = (own.Size - base.Size) / 1e6;
    console.log(`the image takes ${megabytes.toFixed(0)} MB above its base`);
    expect(megabytes * 1e6).toBeLessThan(OWN_BYTES);
    const { name, version, description, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { COMMIT, CREATED, SOURCE } = listBuildArguments(root);
    const labels = { title: name, description, version, licenses: license, revision: COMMIT, created: CREATED };
    for (const [key, value] of Object.entries({ ...labels, source: SOURCE }))
      expect(own.Config.Labels[`org.opencontainers.image.${key}`], key).toBe(value);
  });

  test('gives its heap half of what its container may take, and no more than it needs', async () => {
    const showFlags = 'NODE_OPTIONS=--import=data:text/javascript,console.error(process.execArgv.join())';
    const heapOf = async (...limits: readonly string[]) => {
      const { stderr } = await runOnce('--env', showFlags, ...limits, image, 'version');
      return Number(/--max-old-space-size=(\d+)$/m.exec(stderr)?.[1]);
    };
    expect([await heapOf(), await heapOf('--memory', '8g'), await heapOf('--memory', '256m')]).toEqual([
      1536, 1536, 128,
    ]);
  });

  test('watches a subnet on a read-only file system, is healthy, prints its version, and ends on SIGTERM', async () => {
    simulation = await startSimulation({ nodes: 4, faults: [] });
    await writeFile(join(folder, 'subnetd.yaml'), simulation.inventory());
    const port = await findFreePort();
    const name = uniqueName('subnetd');
    containers.push(name);
    await dockerOk(
      ...[
        'run',
        '--detach',
        '--name',
        name,
        ...confined,
        '--volume',
        `${name}:/var/lib/subnetd`,
        '--memory',
        '256m',
        '--health-interval',
        '500ms',
      ],
      ...['--env', `SUBNETD_LISTEN=127.0.0.1:${port}`, '--volume', `${folder}:/etc/subnetd:ro`, image],
    );
    await vi.waitFor(async () => expect((await inspect(name)).State.Health?.Status).toBe('healthy'), SOON);
    // All but those of the browser, which the image does not hold, and of the stats server's files, which it does not see.
    const page = await vi.waitFor(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text.match(/^subnet_check_success\{.*\} 1$/gm)).toHaveLength(26);
      return text;
    }, SOON);
    expect(page).not.toMatch(/^subnet_check_success\{.*\} 0$/m);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    expect(/^subnetd_build_info\{(.*)\} 1$/m.exec(page)?.[1]?.split(',').toSorted()).toEqual([
      `commit="${listBuildArguments(root).COMMIT?.slice(0, 12)}"`,
      expect.stringMatching(/^runtime="v?26\.10\.0"$/),
      `version="${version}"`,
    ]);
    const first = (await dockerOk('exec', name, 'cat', '/proc/1/cmdline')).split('\0');
    expect(first[0]).toMatch(/\/node$/);

    const modes = await dockerOk('exec', name, 'sh', '-c', 'cd data && stat -c "%a %n" . *');
    expect(modes.trim().split('\n')).toEqual(['700 .', '600 subnetd.db', '600 subnetd.db-shm', '600 subnetd.db-wal']);

    // Docker kills what has not ended by then, and the code is another one.
    await dockerOk('stop', '--time', '20', name);
    expect((await inspect(name)).State).toMatchObject({ Status: 'exited', ExitCode: 0, OOMKilled: false });
    const log = (await dockerOk('logs', name)).trim().split('\n');
    const messages = log.map((line): string => JSON.parse(line).msg);
    expect(messages.filter((message) => !OF_A_STARVED_MACHINE.test(message))).toEqual([
      'listening',
      'the database answers',
      'stopping',
      'stopped',
    ]);
  }, 180_000);

  test('prints what Prometheus and Grafana need', async () => {
    const links = ['--public-url', 'https://s.example'];
    const rules = await runOnce(image, 'rules', ...links);
    expect(rules).toMatchObject({ code: 0, stdout: expect.stringContaining('https://s.example/alerts/SubnetHalted') });
    const { stdout } = await runOnce(image, 'dashboards', 'fleet', ...links);
    expect(JSON.parse(stdout)).toMatchObject({ uid: 'subnetd-fleet' });
    expect(stdout).toContain('https://s.example/');
  });

  test('says what is missing when no inventory is mounted', async () => {
    const { code, stderr } = await runOnce(image);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('/etc/subnetd/subnetd.yaml') });
  });

  test('starts from the compiled code that it holds', async () => {
    const { stderr } = await runOnce('--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE', image);
    const said = stderr.split('\n').filter((line) => line.includes('V8 code cache') && line.includes('/.cache/'));
    expect(said).toContainEqual(expect.stringMatching(/\/\.cache\/program\/app-\S+ was accepted/));
    expect(said.filter((line) => !line.includes('was accepted'))).toEqual([]);
  });

  test('is unhealthy when nothing answers', async () => {
    const [kind, program, ...words] = (await inspect(image)).Config.Healthcheck.Test;
    expect(kind).toBe('CMD');
    const listen = ['--env', `SUBNETD_LISTEN=127.0.0.1:${await findFreePort()}`];
    const { code, stderr } = await runOnce(...listen, '--entrypoint', String(program), image, ...words);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
  });
});
