import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { descriptorsFor, planDescriptors } from '../../src/daemon/limits/descriptors.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { READ_AT_ONCE_OF_MANY } from '../../src/watch/probes/setup/create-setup-source.ts';
import type { Status } from '../../src/web/to-status.ts';
import { eventually, startDaemon } from '../support/cli.ts';
import { answerCall, blockResult, healthy, type ReceivedCall } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** A node whose height rises, under as many paths as are asked. */
async function startNodes(keepAlive: boolean) {
  const methods = { ...healthy, XDPoS_getV2BlockByNumber: () => blockResult(Math.floor(Date.now() / 100)) };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const calls = JSON.parse(body) as readonly ReceivedCall[];
    const answers = Array.isArray(calls)
      ? calls.map((call) => answerCall(methods, call))
      : answerCall(methods, JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json', ...(!keepAlive && { connection: 'close' }) });
    response.end(JSON.stringify(answers));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => countConnectionsTo(port) };
}

/** How many connections to a port whoever opened them holds open, which a busy server would count later. */
function countConnectionsTo(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  // Each row has a number, a local and a remote address, and a state; 01 is established.
  return rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[2]?.endsWith(remote) && row[3] === '01').length;
}

function writeInventory(url: string, nodes: number): string {
  const path = pathOf('subnetd.yaml');
  const list = Array.from({ length: nodes }, (_, i) => ({ name: `n${i}`, rpc: `${url}/${i}`, expectedPeers: 3 }));
  const checks = { rpc: { schedule: 'every 3s', timeout: '2500ms' } };
  writeFileSync(path, stringify({ subnets: [{ name: 'devnet', consensus: 'XDPoS', nodes: list, checks }] }));
  return path;
}

const readMetric = (page: string, name: string): number => Number(new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1]);

it('with 64 descriptors and 200 nodes, every node is watched, probes and scrapes are answered, the log says it once', async () => {
  const nodes = await startNodes(true);
  const daemon = await startDaemon(writeInventory(nodes.url, 200), {}, ['prlimit', '--nofile=64']);
  cleanups.push(() => daemon.child.kill());
  let most = 0;
  await eventually(async () => {
    most = Math.max(most, nodes.connections());
    const live = await fetch(`${daemon.url}/livez`);
    const scrape = await fetch(`${daemon.url}/metrics`);
    const page = await scrape.text();
    expect([live.status, scrape.status, readMetric(page, 'subnetd_max_fds')]).toEqual([200, 200, 64]);
    expect(readMetric(page, 'subnetd_open_fds')).toBeLessThan(64);
    expect(page).not.toMatch(/^subnet_check_success{.*} 0$/m);
    // Each has been asked three times.
    expect(page.match(/^subnet_check_runs_total{.*check="latest_block".*} ([3-9]|\d\d+)$/gm)).toHaveLength(200);
    expect(page.match(/^subnet_node_up{.*} 1$/gm)).toHaveLength(200);
  });
  expect(most).toBeGreaterThan(0);
  // Beside the probes of the rounds it reads how nodes are set up, of each its program and what it does for anyone, and
  // asks one for the candidates and one for the next masternodes.
  expect(most).toBeLessThanOrEqual(planDescriptors(64).probes + 2 * READ_AT_ONCE_OF_MANY + 2);
  expect(daemon.output().match(/may open 64 file descriptors and would use 392/g)).toHaveLength(1);
  expect(daemon.output()).not.toContain('run out of file descriptors');
}, 60_000);

it('with 64 descriptors and 200 log files, every line of each is counted', async () => {
  const files = Array.from({ length: 200 }, (_, i) => pathOf(`xdc-${i}.log`));
  for (const file of files) writeFileSync(file, '');
  const node = { name: 'n0', rpc: 'http://127.0.0.1:1', logFiles: [pathOf('xdc-*.log')] };
  writeFileSync(
    pathOf('subnetd.yaml'),
    stringify({ subnets: [{ name: 'devnet', consensus: 'XDPoS', nodes: [node] }] }),
  );
  const daemon = await startDaemon(pathOf('subnetd.yaml'), {}, ['prlimit', '--nofile=64']);
  cleanups.push(() => daemon.child.kill());
  const scrape = async () => (await fetch(`${daemon.url}/metrics`)).text();
  await eventually(async () => expect(await scrape()).toMatch(/^subnet_log_source_up{.*} 1$/m));
  for (const file of files) appendFileSync(file, 'one line\n');
  await eventually(async () => {
    const page = await scrape();
    expect(page).toMatch(/^subnet_log_lines_total{.*} 200$/m);
    expect(readMetric(page, 'subnetd_open_fds')).toBeLessThan(64);
  });
  expect(daemon.output()).not.toContain('run out of file descriptors');
}, 60_000);

it('without a descriptor left a node is unknown and not down, the log says it once, and a scrape is answered', async () => {
  const nodes = await startNodes(false);
  const daemon = await startDaemon(writeInventory(nodes.url, 1));
  cleanups.push(() => daemon.child.kill());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanups.push(() => agent.destroy());
  /** Over one connection, which was there before. */
  const fetchKept = (path: string) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      get(`${daemon.url}${path}`, { agent }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode ?? 0, text });
      }).on('error', reject);
    });
  const check = async () => {
    const { subnets } = JSON.parse((await fetchKept('/status.json')).text) as Status;
    return subnets[0]?.targets[0]?.checks.find(({ check }) => check === 'latest_block');
  };
  const limitTo = (soft: number) =>
    execFileSync('prlimit', ['--pid', String(daemon.child.pid), `--nofile=${soft}:4096`], { stdio: 'ignore' });
  await eventually(async () => expect((await check())?.verdict).toBe('pass'));
  limitTo(5);
  await eventually(async () => {
    expect(await check()).toMatchObject({
      verdict: 'unknown',
      reason:
        'nothing is seen of n0: subnetd has run out of file descriptors; raise its limit with LimitNOFILE in its systemd unit or with ulimit -n, and restart it',
    });
  });
  const scrape = await fetchKept('/metrics');
  expect(scrape.status).toBe(200);
  expect(scrape.text).not.toMatch(/^subnet_node_up{/m);
  expect(scrape.text).not.toMatch(/^subnet_check_success{.*} 0$/m);
  await daemon.waitFor(/run out of file descriptors, so checks are unknown/);
  // It lasts several seconds, and is logged once.
  const failures = readMetric(
    scrape.text,
    'subnetd_http_requests_total{method="GET",route="/status.json",status="200"}',
  );
  await eventually(async () => {
    const { text } = await fetchKept('/metrics');
    await fetchKept('/status.json');
    expect(
      readMetric(text, 'subnetd_http_requests_total{method="GET",route="/status.json",status="200"}'),
    ).toBeGreaterThan(failures + 60);
  });
  limitTo(4096);
  await eventually(async () => expect((await check())?.verdict).toBe('pass'));
  expect(daemon.output().match(/"level":"error".*run out of file descriptors/g)).toHaveLength(1);
}, 60_000);

it.each([
  [undefined, { connections: 4_096, probes: Number.POSITIVE_INFINITY, logFiles: 64 }],
  [16, { connections: 4, probes: 4, logFiles: 4 }],
  [64, { connections: 6, probes: 12, logFiles: 6 }],
  [1_024, { connections: 246, probes: 674, logFiles: 64 }],
  [20_000, { connections: 4_096, probes: 15_800, logFiles: 64 }],
])('a limit of %s is shared out', (limit, budget) => {
  expect(planDescriptors(limit)).toEqual(budget);
});

it('what an inventory needs is what lets all of it stay open', () => {
  const parsed = parseInventory(
    `subnets:
  - name: d
    consensus: XDPoS
    nodes:
      - { name: a, rpc: 'http://127.0.0.1:1', ipc: /a.ipc, container: { name: a }, logFiles: [/a, /b] }
      - { name: b, rpc: 'http://127.0.0.1:2' }
    stats: { url: 'http://127.0.0.1:3' }
    relayer: { url: 'http://127.0.0.1:4' }
    parentChain: { rpc: 'http://127.0.0.1:5' }
`,
    {},
  );
  if (!parsed.ok) throw new Error('unreachable');
  // Six connections of probes and three for the parent chain are half of what is left above the 40 for subnetd itself.
  expect(descriptorsFor(parsed.inventory)).toBe(58);
});

it.each([1, 9, 100, 128, 129, 1_000, 12_288, 12_289, 15_808])(
  'what an inventory of %i nodes needs is about the least limit that leaves as many connections to probes',
  (count) => {
    const nodes = Array.from({ length: count }, (_, i) => `{ name: n${i}, rpc: 'http://127.0.0.1:1/${i}' }`);
    const parsed = parseInventory(`subnets: [{ name: d, nodes: [${nodes.join()}] }]`, {});
    if (!parsed.ok) throw new Error('unreachable');
    const limit = descriptorsFor(parsed.inventory);
    expect(planDescriptors(limit).probes).toBeGreaterThanOrEqual(count);
    // The least is 56, with four for each part; quarters are rounded.
    if (limit > 56) expect(planDescriptors(limit - 4).probes).toBeLessThan(count);
  },
);
