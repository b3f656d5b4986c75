import { appendFileSync, writeFileSync } from 'node:fs';
import type Dockerode from 'dockerode';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDockerLinks } from '../../../src/watch/docker/links.ts';
import { readLastLines } from '../../../src/watch/logs/read-last-lines.ts';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { busybox, composeLabels, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { type Engine, useEngine } from '../../support/engine.ts';
import { readStatus } from '../../support/read-status.ts';
import { nodeTarget } from '../../support/views.ts';

const folder = temporaryFolder();
const project = uniqueName('subnet');
let engine: Engine;
let daemon: Awaited<ReturnType<typeof startDaemon>>;
let writing: NodeJS.Timeout | undefined;
const containers = new Map<string, Awaited<ReturnType<typeof runContainer>>>();

const forEver = (body: string, start = ':') => `${start}; i=1234; while :; do ${body}; i=$((i+1)); sleep 1; done`;
const relayer = (text: string, level = 30) =>
  `echo '[1] {"name":"xdc-relayer","hostname":"h","pid":45,"level":${level},"msg":"'${text}'","time":"2026-11-21T09:00:00.000Z","v":0}'`;

/** What each container runs: it prints as the real program does. */
const SCRIPTS: Readonly<Record<string, string>> = {
  subnet1: forEver(
    'echo "INFO [11-21|07:00:00] Imported new chain segment               blocks=1 txs=0 mgas=0.000 number=$i hash=1a2b3c…9f8e7d"',
    'echo "Set the log level to 4"',
  ),
  subnet2:
    'echo "Fatal: Error starting protocol stack: listen unix /work/xdcchain/XDC.ipc: bind: invalid argument"; sleep 1',
  bootnode: forEver(
    'echo "TRACE[11-21|07:00:00] << PING XDC/v4                           addr=192.168.25.11:20303 err=nil"',
  ),
  relayer: forEver(
    [
      relayer('"⏰ Full Relayer: Executing normal flow periodically"'),
      relayer('"submitDynamic startblock $i pushing 1 blocks, 1 remaining(inclusive) into PARENTNET"'),
      relayer('"Full CSC Sync completed!"'),
    ].join('; '),
  ),
  frontend: 'echo Killed; echo "error Command failed with exit code 137."; sleep 600',
  stats: 'sleep 600',
};

const check = async (target: string, name: string) => {
  const status = await readStatus(daemon.url);
  const found = status.subnets.flatMap(({ targets }) => targets).find((one) => one.name === target);
  return found?.checks.find((one) => one.check === name);
};
const isSo = (target: string, name: string, verdict: string, reason: RegExp) =>
  eventually(
    async () => expect(await check(target, name)).toMatchObject({ verdict, reason: expect.stringMatching(reason) }),
    45_000,
  );
const metric = async (line: RegExp) =>
  expect(await (await fetch(`${daemon.url}/metrics`)).text()).toMatch(new RegExp(`^${line.source}`, 'm'));

beforeAll(async () => {
  engine = await useEngine();
  await importBusybox(engine.docker);
  for (const [service, script] of Object.entries(SCRIPTS))
    containers.set(
      service,
      await runContainer(engine.docker, {
        name: `${project}-${service}`,
        command: ['sh', '-c', script],
        labels: composeLabels(project, service),
        restart: service === 'subnet2' ? 'always' : 'no',
      }),
    );
  const odd = (service: string, more: Dockerode.ContainerCreateOptions) =>
    engine.docker.createContainer({
      ...{ name: `${project}-${service}`, Image: busybox, Cmd: ['sleep', '600'] },
      ...{ Labels: composeLabels(project, service), HostConfig: { NetworkMode: 'none' }, ...more },
    });
  const unkept = await odd('unkept', {
    HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'none', Config: {} } },
    Healthcheck: { Test: ['CMD', 'false'], Interval: 1e9, Retries: 1 },
  });
  await unkept.start();
  containers.set('unkept', unkept).set('unstarted', await odd('unstarted', {}));
  const debug = folder.path('debug.log');
  let number = 1234;
  writeFileSync(debug, '2026-11-21 09:00:00 info: 🚀 Subnet Stats Service listening on the port 5213\n');
  writing = setInterval(() => {
    const time = new Date().toISOString().slice(0, 19).replace('T', ' ');
    number += 1;
    const lines = [
      `debug: RECEIVER: history, data: {"history":[],"id":"a"}`,
      `debug: RECEIVER: block, data: {"block":{"number":${number},"hash":"0x1"},"id":"a"}`,
    ];
    appendFileSync(debug, lines.map((line) => `${time} ${line}\n`).join(''));
  }, 500);
  const container = (service: string) => `container: { project: ${project}, service: ${service} }`;
  const config = folder.path('subnetd.yaml');
  writeFileSync(
    config,
    `subnets:
  - name: d
    nodes:
      - { name: subnet1, p2p: '192.168.25.11:20303', ${container('subnet1')} }
      - { name: subnet2, p2p: '192.168.25.12:20304', ${container('subnet2')} }
    bootnode: { ${container('bootnode')} }
    relayer: { ${container('relayer')} }
    stats: { ${container('stats')}, logFiles: ['${debug}'] }
    frontend: { ${container('frontend')} }
    checks:
      rpc: { stallAfter: 10s }
      logs: { schedule: every 1s, bootnodeWindow: 10s }
  - name: odd
    nodes:
      - { name: unkept, ${container('unkept')} }
      - { name: unstarted, ${container('unstarted')} }
docker: { socketPath: ${engine.socketPath} }
`,
  );
  daemon = await startDaemon(config);
}, 120_000);

afterAll(async () => {
  clearInterval(writing);
  daemon?.child.kill('SIGTERM');
  await daemon?.finished;
  await Promise.all([...containers.values()].map((container) => container.remove({ force: true })));
  await engine?.stop();
  folder.remove();
}, 60_000);

test('the height in the log of a node rises, and stalls when its container ends', async () => {
  await isSo('subnet1', 'log_block', 'pass', /is at block 12\d\d/);
  await metric(/subnet_node_log_block_number\{subnet="d",name="subnet1"\} 12\d\d$/);
  await containers.get('subnet1')?.kill();
  await isSo('subnet1', 'log_block', 'fail', /has been 12\d\d/);
}, 100_000);

test('a node whose socket path is too long is known by its fatal line, with what to do', async () => {
  await isSo('subnet2', 'log_block', 'fail', /ipc_path_too_long/);
  await isSo('subnet2', 'container', 'fail', /; move the folder of the deployment .* to a shorter path/);
  await metric(/subnet_known_failure\{subnet="d",component="node",name="subnet2",failure="ipc_path_too_long"\} 1$/);
}, 100_000);

test('a log that Docker does not keep, a health check that fails and a container that was never started are named', async () => {
  await isSo('unkept', 'log_block', 'unknown', /its log driver keeps nothing to read; give it the driver json-file/);
  await isSo('unkept', 'container', 'degraded', /^\S+ has been running for \w+, and its own health check fails; read/);
  await isSo('unstarted', 'container', 'fail', /has been created and never started; start it with `docker start /);
  const { problems } = (await readStatus(daemon.url)).subnets[1] ?? {};
  expect(problems?.find(({ name, problem }) => name === 'unstarted' && problem === 'container_down')).toMatchObject({
    evidence: `${project}-unstarted has been created and never started`,
    fix: `start it with \`docker start ${project}-unstarted\``,
  });
}, 100_000);

test('the bootnode check names the node that was not heard', async () => {
  await isSo('bootnode', 'messages', 'fail', /has not heard subnet2 within/);
  await metric(/subnet_bootnode_nodes_seen\{subnet="d"\} 1$/);
}, 100_000);

test('the submissions of the relayer are seen and counted', async () => {
  await isSo('relayer', 'submissions', 'pass', /submitted blocks/);
  await metric(/subnet_relayer_submissions_total\{subnet="d"\} [1-9]\d*$/);
}, 100_000);

test('block and history data are seen in the debug files of the stats server', async () => {
  await isSo('stats', 'block_data', 'pass', /got block/);
  await isSo('stats', 'history_data', 'pass', /sent its history/);
  await metric(/subnet_stats_last_block_data_timestamp_seconds\{subnet="d"\} \d+/);
  await metric(/subnet_stats_last_history_data_timestamp_seconds\{subnet="d"\} \d+/);
}, 100_000);

test('a frontend whose build was killed fails by its log, and is known to be out of memory', async () => {
  await isSo('frontend', 'logs', 'fail', /memory/);
  // The shell says it, and yarn too: that is one error.
  await metric(/subnet_frontend_errors_total\{subnet="d",source="log"\} 1$/);
  await metric(/subnet_known_failure\{subnet="d",component="frontend",name="frontend",failure="out_of_memory"\} 1$/);
}, 100_000);

test('the last lines of a log are read on demand: of a file before its container, of one that runs and one that ended', async () => {
  const links = createDockerLinks(() => {});
  onTestFinished(links.stop);
  links.setEngines({ default: { socketPath: engine.socketPath } });
  const readOf = (service: string, logFiles: readonly { readonly path: string; readonly timezone: string }[] = []) =>
    readLastLines({ ...nodeTarget(service), container: { project, service }, logFiles }, 3, {
      docker: links,
      secrets: [],
    });
  const texts = async (...asked: Parameters<typeof readOf>) => {
    const read = await readOf(...asked);
    return read.ok ? [read.source, ...read.lines.map(({ text }) => text)] : read.why;
  };
  // It prints some lines at its start, and a block with each second.
  const block = expect.stringMatching(/Imported new chain segment .* hash=1a2b3c…9f8e7d$/);
  await eventually(async () => expect(await texts('subnet1')).toEqual(['container', block, block, block]));
  const read = await readOf('subnet1');
  expect(read.ok && Math.abs(Date.now() - (read.lines.at(-1)?.at ?? 0))).toBeLessThan(60_000);
  expect(await texts('frontend')).toEqual(['container', 'Killed', 'error Command failed with exit code 137.']);
  expect((await texts('subnet2')).at(-1)).toMatch(/^Fatal: Error starting protocol stack/);
  expect(await texts('stats', [{ path: folder.path('debug.log'), timezone: 'UTC' }])).toEqual([
    'file',
    ...Array(3).fill(expect.stringMatching(/ debug: RECEIVER: /)),
  ]);
  expect(await texts('stats', [{ path: folder.path('none.log'), timezone: 'UTC' }])).toEqual(['container']);
  expect(await texts('nobody')).toBe('its container does not exist');
});
