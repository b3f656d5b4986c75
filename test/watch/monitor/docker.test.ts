import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { composeLabels, eatMemory, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { type OwnEngine, startEngine } from '../../support/engine.ts';
import { readStatus } from '../../support/read-status.ts';

const folder = temporaryFolder();
const project = uniqueName('project');
let engine: OwnEngine;
let daemon: Awaited<ReturnType<typeof startDaemon>>;

const metrics = async () => (await fetch(`${daemon.url}/metrics`)).text();
const value = async (name: string, target: string) =>
  Number(new RegExp(`^${name}\\{[^}]*name="${target}"[^}]*\\} (\\S+)$`, 'm').exec(await metrics())?.[1] ?? Number.NaN);
const check = async (target: string) => {
  const status = await readStatus(daemon.url);
  return status.subnets[0]?.targets
    .find(({ name }) => name === target)
    ?.checks.find((one) => one.check === 'container');
};

// An engine of its own: it is stopped and started on the way.
beforeAll(async () => {
  engine = await startEngine();
  await importBusybox(engine.docker);
  const config = folder.path('subnetd.yaml');
  const nodes = ['a', 'b'].map(
    (name) => `      - { name: ${name}, container: { project: ${project}, service: ${name} } }\n`,
  );
  await writeFile(
    config,
    `subnets:\n  - name: d\n    nodes:\n${nodes.join('')}    checks:\n      containers: { schedule: every 1h }\ndocker: { socketPath: ${engine.socketPath} }\n`,
  );
  daemon = await startDaemon(config);
});
afterAll(async () => {
  daemon?.child.kill('SIGTERM');
  await daemon?.finished;
  await engine?.stop();
  folder.remove();
});

const run = (service: string, command: readonly string[], memoryBytes?: number) =>
  runContainer(engine.docker, {
    name: uniqueName(service),
    command,
    labels: composeLabels(project, service),
    ...(memoryBytes !== undefined && { memoryBytes }),
  });

describe('the daemon on a real Docker Engine, with an hour between its inspections', () => {
  it('is ready without any node to ask, and says that the containers are missing', async () => {
    await eventually(async () => expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200));
    await eventually(async () =>
      expect(await check('a')).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('a') }),
    );
    expect(await metrics()).toContain('subnetd_docker_up{engine="default"} 1');
  });

  it('sees by the event that a container started', async () => {
    await run('a', ['sleep', '600']);
    await eventually(async () => expect(await check('a')).toMatchObject({ verdict: 'pass' }));
    expect(await value('subnet_container_running', 'a')).toBe(1);
    expect(await value('subnet_container_restarts_total', 'a')).toBe(0);
  });

  it('has an OOM kill in its metrics by the event', async () => {
    const container = await run('b', eatMemory, 16 * 1024 * 1024);
    await container.wait();
    await eventually(async () => expect(await value('subnet_container_oom_kills_total', 'b')).toBe(1));
    await eventually(async () =>
      expect(await check('b')).toMatchObject({ verdict: 'fail', reason: expect.stringMatching(/memory/) }),
    );
    expect(await value('subnet_container_last_exit_code', 'b')).toBe(137);
    expect(await metrics()).toMatch(/^subnet_known_failure\{[^}]*name="b",failure="out_of_memory"\} 1$/m);
    expect((await check('b'))?.reason).toContain('give the container or Docker more memory');
    await container.remove({ force: true });
  });

  it('counts a container that is recreated under a new id as one restart', async () => {
    const before = await engine.docker.listContainers({ filters: { label: ['com.docker.compose.service=a'] } });
    for (const { Id } of before) await engine.docker.getContainer(Id).remove({ force: true });
    await eventually(async () => expect(await check('a')).toMatchObject({ verdict: 'fail' }));
    await run('a', ['sleep', '600']);
    await eventually(async () => expect(await value('subnet_container_restarts_total', 'a')).toBe(1));
    expect(await check('a')).toMatchObject({ verdict: 'fail', reason: expect.stringMatching(/ was recreated /) });
  });

  it('cannot judge while Docker is away, keeps what it counted, and recovers without a restart', async () => {
    await engine.halt();
    await eventually(async () => expect(await metrics()).toContain('subnetd_docker_up{engine="default"} 0'));
    await eventually(async () =>
      expect(await check('a')).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('Docker') }),
    );
    expect(await value('subnet_container_restarts_total', 'a')).toBe(1);
    expect(await value('subnet_container_oom_kills_total', 'b')).toBe(1);
    await engine.resume();
    await eventually(async () => expect(await metrics()).toContain('subnetd_docker_up{engine="default"} 1'));
    await eventually(async () =>
      expect((await check('a'))?.reason).toMatch(/ was stopped at \S+ as Docker itself was; start it with /),
    );
    await run('b', ['sleep', '600']);
    await eventually(async () => expect(await value('subnet_container_running', 'b')).toBe(1));
  });
});
