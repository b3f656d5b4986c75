import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { DoctorReport } from '../../src/cli/list-findings.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { freePort } from '../support/alertmanager.ts';
import { temporaryFolder } from '../support/cli.ts';
import { busybox, composeLabels, importBusybox, uniqueName } from '../support/containers.ts';
import { useEngine } from '../support/engine.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';
import { fixture } from '../watch/import/deployments.ts';

const { cleanups } = useCleanups();

/** No daemon listens there, whatever runs on this machine. */
const nowhere = async () => ({ SUBNETD_LISTEN: `127.0.0.1:${await freePort()}` });

const API = 'db,eth,debug,miner,net,shh,txpool,personal,web3,XDPoS';

const publish = (port: number, HostIp: string) => ({ [`${port}/tcp`]: [{ HostIp, HostPort: `${port}` }] });

test('the doctor names several faults of a real Docker Engine at once, each with its fix', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const engine = await useEngine();
  cleanups.push(engine.stop);
  const { docker } = engine;
  await importBusybox(docker);
  const project = uniqueName('project');
  const run = async (service: string, over: Parameters<typeof docker.createContainer>[0] = {}) => {
    const container = await docker.createContainer({
      name: `${project}-${service}-1`,
      Image: busybox,
      Cmd: ['sleep', '600'],
      Labels: composeLabels(project, service),
      StopTimeout: 0,
      ...over,
      HostConfig: { NetworkMode: 'none', ...over.HostConfig },
    });
    cleanups.push(() => container.remove({ force: true, v: true }));
    await container.start();
    return container;
  };
  const json = (Config: Readonly<Record<string, string>>) => ({ LogConfig: { Type: 'json-file', Config } });
  const first = await run('n1', {
    Env: ['LOG_LEVEL=2', 'RPCPORT=8545', 'WSPORT=9555', 'PORT=20303', 'PRIVATE_KEY=0xsecret'],
    HostConfig: {
      ...json({ 'max-size': '50k' }),
      PortBindings: { ...publish(8545, '0.0.0.0'), ...publish(9555, '127.0.0.1'), ...publish(20303, '') },
    },
  });
  const copy = `${uniqueName('subnetd-test')}:latest`;
  const [repo, tag] = copy.split(':');
  await first.commit({ repo, tag });
  cleanups.push(() => docker.getImage(copy).remove({ force: true }));
  await run('n2', { Image: copy, Env: ['LOG_LEVEL=2'], HostConfig: json({}) });
  await run('n3', { Env: ['LOG_LEVEL=4'], HostConfig: { LogConfig: { Type: 'none', Config: {} } } });
  await run('bootnode', {
    Cmd: ['sh', '-c', 'sleep 600', '-verbosity', '3'],
    HostConfig: json({ 'max-size': '20m', 'max-file': '5' }),
  });
  await run('faucet');
  await run('monitor', { Labels: { ...composeLabels(project, 'monitor'), 'subnetd.ignore': 'true' } });
  const over = await run('csc', { Cmd: ['true'] });
  await over.wait();

  const config = folder.path('subnetd.yaml');
  const nodes = ['n1', 'n2', 'n3', 'n4'].map(
    (name) => `      - { name: ${name}, container: { project: ${project}, service: ${name} } }\n`,
  );
  await writeFile(
    config,
    `subnets:
  - name: d
    nodes:
${nodes.join('')}    bootnode: { container: { project: ${project}, service: bootnode } }
    checks: { rpc: { stallAfter: 5s }, logs: { bootnodeWindow: 1s } }
docker: { socketPath: ${engine.socketPath} }
`,
  );
  const { code, stdout, stderr } = await runCommand(['doctor', '--config', config, '--json'], await nowhere());
  expect({ code, error: stderr.includes('broke') }).toEqual({ code: 1, error: false });
  const { findings, unexamined } = JSON.parse(stdout) as DoctorReport;
  const short = findings.map(({ finding, severity, name, evidence }) => [
    severity,
    name === undefined ? finding : `${finding} ${name}`,
    evidence.replaceAll(project, 'p').replaceAll(repo ?? '', 'copy'),
  ]);
  // Those of one severity come in the order in which they were found.
  const expected = [
    ['warning', 'container_down n4', 'Docker has no container for the service n4 of the compose project p'],
    [
      'warning',
      'log_source_down n3',
      'the log of the service n3 of the compose project p cannot be read: its log driver is none, of which Docker keeps nothing to read',
    ],
    ['info', 'check_degraded', 'n1 runs with log level 2, at which a healthy node is silent; the same holds for n2'],
    // Other tests may import the image of n1 and n3 again meanwhile.
    ['info', 'images_differ', expect.stringMatching(/1 has copy:latest with the content sha256:[\da-f]{12}… \(n2\)/)],
    ['info', 'ports_published', 'published on all addresses: n1 (8545, RPC)'],
    ['info', 'log_rotation_small n1', 'Docker keeps 1 file of 50 kB of p-n1-1, which a busy node fills in 10s'],
    ['info', 'bootnode_log_quiet bootnode', 'p-bootnode-1 runs with -verbosity 3, and pings are printed from 5 on'],
    ['info', 'log_rotation_missing', 'the log driver json-file has no max-size for 1 of 4 containers: n2'],
    ['info', 'containers_unlisted', 'not in the inventory: p-faucet-1 (running)'],
  ];
  expect(short).toEqual(expect.arrayContaining(expected));
  expect(short.map(([severity]) => severity)).toEqual(expected.map(([severity]) => severity));
  expect(findings.filter(({ fix }) => fix === '')).toEqual([]);
  expect(unexamined.filter(({ failed }) => failed).map(({ what, names }) => [what, ...names])).toEqual([
    ['the check log_block', 'n3'],
    ['the check log_block', 'n4'],
    ['how the container was made', 'n4'],
    ['the check messages', 'bootnode'],
  ]);
  expect(stdout).not.toContain('secret');
});

test('the doctor compares the folder of a deployment with the containers of a real Docker Engine', async () => {
  const generated = fixture('v2.0.0/wizard');
  const engine = await useEngine();
  cleanups.push(engine.stop);
  const { docker } = engine;
  await importBusybox(docker);
  const project = uniqueName('project');
  const create = async (service: string, ...Env: readonly string[]) => {
    const container = await docker.createContainer({
      ...{ name: `${project}-${service}-1`, Image: busybox, Cmd: ['sleep', '600'], Env: [...Env], StopTimeout: 0 },
      Labels: {
        ...composeLabels(project, service),
        'com.docker.compose.project.working_dir': generated,
        'com.docker.compose.project.config_files': `${generated}/docker-compose.yml`,
      },
      HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'local', Config: {} } },
    });
    cleanups.push(() => container.remove({ force: true, v: true }));
    await container.start();
  };
  await create('subnet1', 'NETWORK_ID=7', 'PORT=20303', 'RPCPORT=8545', 'WSPORT=9555', 'LOG_LEVEL=2', `RPC_API=${API}`);
  await create('bootnode', 'CHECKPOINT_CONTRACT=0x5Fbd00000000000000000000000000000000cc01', 'STATS_SECRET=canary');
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const config = folder.path('subnetd.yaml');
  await writeFile(
    config,
    `subnets:
  - name: d
    nodes: [{ name: one, container: { project: ${project}, service: subnet1 } }]
    bootnode: { container: { project: ${project}, service: bootnode } }
    checks: { rpc: { stallAfter: 5s }, logs: { bootnodeWindow: 1s } }
docker: { socketPath: ${engine.socketPath} }
`,
  );
  const { stdout } = await runCommand(['doctor', '--config', config, '--json'], await nowhere());
  expect(stdout).not.toContain('canary');
  const { findings, unexamined } = JSON.parse(stdout.replaceAll(generated, 'DIR')) as DoctorReport;
  expect(unexamined.filter(({ what }) => what.includes('folder'))).toEqual([]);
  const drift = findings.find(({ finding }) => finding === 'deployment_differs');
  expect([drift?.severity, drift?.subnet, drift?.name]).toEqual(['info', 'd', undefined]);
  expect(drift?.evidence.split('; ')).toEqual([
    'subnet1.env:5 sets NETWORK_ID to 46189, and subnet1 was created with 7',
    `docker-compose.yml names the image xinfinorg/xdcsubnets:v0.3.2, and subnet1 was created with ${busybox.replace(':latest', '')}`,
    'docker-compose.yml publishes 20303:20303, 8545:8545 and 9555:9555, and subnet1 was created with none',
    `docker-compose.yml names the image xinfinorg/xdcsubnets:v0.3.1, and bootnode was created with ${busybox.replace(':latest', '')}`,
    'docker-compose.yml publishes 20301:20301, and bootnode was created with none',
    'docker-compose.yml has subnet2 and subnet3, and neither Docker nor the inventory does',
  ]);
  expect(drift?.fix).toBe(
    `if the files are right, run \`cd DIR && HOSTPWD=$PWD docker compose -p ${project} up -d subnet1\`, then the same for bootnode, one after another; else correct them; add subnet2 and subnet3 to the inventory as \`subnetd import DIR\` prints it, or correct docker-compose.yml`,
  );
});

test('the doctor finds nothing to change in the demo, what a fault breaks, and the errors of an inventory', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const examine = async (faults: Parameters<typeof startSimulation>[0]['faults'], ...flags: string[]) => {
    const simulation = await startSimulation({
      nodes: 4,
      faults,
      checks: { rpc: { stallAfter: '40s', timeout: '10s' } },
    });
    await writeFile(folder.path('demo.yaml'), simulation.inventory());
    const finished = await runCommand(['doctor', '--config', folder.path('demo.yaml'), ...flags], await nowhere());
    await simulation.stop();
    return finished;
  };
  const well = await examine([]);
  expect(well.code).toBe(0);
  expect(well.stdout.split('\n').filter((line) => line !== '' && !/^not examined: [^:]*: the c/.test(line))).toEqual([
    expect.stringMatching(
      /^not examined: subnetd \(demo\): what subnetd itself shows to anyone, because no subnetd answers without credentials at port \d+ of this machine; set SUBNETD_LISTEN as for the daemon$/,
    ),
    expect.stringMatching(/^nothing to change: \d+ things were examined$/),
  ]);
  const broken = await examine(['admin-not-exposed'], '--json');
  expect(broken.code).toBe(1);
  const { findings, examined } = JSON.parse(broken.stdout) as DoctorReport;
  expect(findings.map(({ finding, name }) => [finding, name])).toEqual([['check_degraded', undefined]]);
  expect(examined).toBeGreaterThan(40);
  await writeFile(folder.path('bad.yaml'), 'subnets: []\n');
  const bad = await runCommand(['doctor', '--config', folder.path('bad.yaml')]);
  expect([bad.code, bad.stdout]).toEqual([2, '']);
  expect(bad.stderr).toContain('must list at least one subnet');
});
