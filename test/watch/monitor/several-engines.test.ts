import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { composeLabels, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { startEngine } from '../../support/engine.ts';
import { startTcp } from '../../support/fake-node.ts';
import { readStatus } from '../../support/read-status.ts';
import { startSshd } from '../../support/sshd.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

it('a real engine is judged beside those that hang, by TCP or ssh, and a container counts on its own engine only', async () => {
  const folder = temporaryFolder();
  cleanups.push(() => folder.remove());
  const engine = await startEngine();
  cleanups.push(engine.stop);
  await importBusybox(engine.docker);
  const hanging = await startTcp(() => {});
  cleanups.push(hanging.stop);
  const project = uniqueName('project');
  const config = folder.path('subnetd.yaml');
  const sshd = await startSshd(`DOCKER_HOST=unix://${engine.socketPath} docker system dial-stdio`);
  let isStopped = false;
  const stopSshd = async () => {
    if (!isStopped) await sshd.stop();
    isStopped = true;
  };
  cleanups.push(stopSshd);
  const proxy = await startTcpProxy(sshd.port);
  cleanups.push(proxy.stop);
  const nodes = [1, 2, 3, 4].map(
    (machine) =>
      `      - { name: n${machine}, container: { engine: machine${machine}, project: ${project}, service: s } }\n`,
  );
  const { hostname, port } = new URL(hanging.url);
  await writeFile(
    config,
    `subnets:
  - name: d
    nodes:
${nodes.join('')}    checks: { containers: { schedule: every 2s, timeout: 1s } }
docker:
  engines:
    machine1: { socketPath: ${engine.socketPath} }
    machine2: { host: ${hostname}, port: ${port} }
    machine3:
      ssh: ssh://${sshd.user}@127.0.0.1:${proxy.port}
      identityFile: ${sshd.keys.good}
      knownHosts: ${await sshd.knownHosts(proxy.port)}
    machine4: { ssh: 'x@127.0.0.1:${port}', identityFile: ${sshd.keys.good}, knownHosts: ${await sshd.knownHosts(Number(port))} }
`,
  );
  const daemon = await startDaemon(config);
  cleanups.push(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const checkOf = async (target: string) => {
    const status = await readStatus(daemon.url);
    const found = status.subnets[0]?.targets.find(({ name }) => name === target);
    return found?.checks.find(({ check }) => check === 'container');
  };
  await eventually(async () => expect(await checkOf('n1')).toMatchObject({ verdict: 'fail' }));
  const container = await runContainer(engine.docker, {
    name: uniqueName('s'),
    command: ['sleep', '600'],
    labels: composeLabels(project, 's'),
  });
  for (const name of ['n1', 'n3'])
    await eventually(async () => expect(await checkOf(name)).toMatchObject({ verdict: 'pass' }));
  await eventually(async () =>
    expect(await checkOf('n2')).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining(`tcp://${hostname}:${port}`),
    }),
  );
  await eventually(async () =>
    expect(await checkOf('n4')).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining(`ssh://127.0.0.1:${port}, it does not answer in time`),
    }),
  );
  await eventually(async () => {
    const page = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(page.match(/^subnetd_docker_up.*$/gm)).toEqual([
      'subnetd_docker_up{engine="machine1"} 1',
      'subnetd_docker_up{engine="machine2"} 0',
      'subnetd_docker_up{engine="machine3"} 1',
      'subnetd_docker_up{engine="machine4"} 0',
    ]);
    expect(page).toMatch(/^subnet_container_running\{[^}]*name="n1"[^}]*\} 1$/m);
    expect(page).not.toMatch(/^subnet_container_running\{[^}]*name="n2"/m);
  });

  await container.kill();
  await eventually(async () => {
    const page = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(page.match(/^subnet_container_last_exit_code.*$/gm)).toEqual([
      expect.stringMatching(/name="n1".* 137$/),
      expect.stringMatching(/name="n3".* 137$/),
    ]);
  });

  await stopSshd();
  proxy.cut();
  await eventually(async () => expect(await checkOf('n3')).toMatchObject({ verdict: 'unknown' }));
  await container.start();
  await eventually(async () =>
    expect(await checkOf('n1')).toMatchObject({ reason: expect.stringMatching(/restarted/) }),
  );
}, 60_000);
