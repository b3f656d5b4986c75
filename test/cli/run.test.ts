import { execFileSync } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eventually, runCli, startDaemon } from '../support/cli.ts';
import { type FakeNode, startNode, startTcp } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

async function start(text: string, env?: Readonly<Record<string, string>>) {
  const config = pathOf('subnetd.yaml');
  await writeFile(config, text);
  const daemon = await startDaemon(config, env);
  cleanups.push(() => daemon.child.kill('SIGKILL'));
  const get = async (path: string) => (await fetch(daemon.url + path)).text();
  return { ...daemon, config, get };
}
const nodes = async (count: number): Promise<readonly FakeNode[]> => {
  const all = await Promise.all(Array.from({ length: count }, () => startNode()));
  for (const node of all) cleanups.push(node.stop);
  return all;
};
const inventory = (rpcs: readonly string[], checks = 'rpc: { schedule: every 200ms }') =>
  `subnets:\n  - name: d\n    nodes:\n${rpcs.map((rpc, i) => `      - { name: n${i}, rpc: '${rpc}', expectedPeers: 3 }\n`).join('')}    checks: { ${checks} }\n`;

/** The first 48 bits of the SHA-256 of a text, as another program computes it. */
function hashOf(text: string): number {
  const hexadecimal = execFileSync('sha256sum', { input: text, encoding: 'utf8' }).slice(0, 12);
  return Number.parseInt(hexadecimal, 16);
}

describe('the daemon', () => {
  it('ends with 2 and the problems for a bad inventory', async () => {
    await writeFile(pathOf('bad.yaml'), 'subnets: []\n');
    const { code, stderr } = await runCli(['run', '--listen', '127.0.0.1:0', '--config', pathOf('bad.yaml')]);
    expect(code).toBe(2);
    expect(stderr).toContain('bad.yaml:1:10: subnets: must list at least one subnet');
  });

  it('ends with 1 and a remedy when its address is taken', async () => {
    const { url, config } = await start(inventory([(await nodes(1))[0]?.url ?? '']));
    const { code, stderr } = await runCli(['run', '--listen', new URL(url).host, '--config', config]);
    expect(code).toBe(1);
    expect(stderr).toContain('in use already');
  });

  it('takes settings from the environment, a file, and flags before them', async () => {
    await writeFile(pathOf('level'), 'debug\n');
    const { code, stderr } = await runCli(['run', '--listen', '127.0.0.1:0'], {
      SUBNETD_CONFIG: pathOf('none.yaml'),
      SUBNETD_LOG_LEVEL_FILE: pathOf('level'),
      SUBNETD_LISTEN: 'nonsense',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('none.yaml:1:1: inventory: cannot be read (ENOENT)')]);
    const both = await runCli(['run'], { SUBNETD_LOG_LEVEL: 'info', SUBNETD_LOG_LEVEL_FILE: pathOf('level') });
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('both set')]);
  });

  it('starts although everything is down, is ready, and sees what comes up', async () => {
    const [node] = await nodes(1);
    const url = node?.url ?? '';
    await node?.stop();
    const daemon = await start(`${inventory([url])}docker: { socketPath: /nonexistent/docker.sock }\n`);
    await eventually(async () => expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200));
    expect(await daemon.get('/metrics')).toContain('subnet_node_up{subnet="d",name="n0"} 0');
    const { createServer } = await import('node:http');
    const server = createServer((_request, response) =>
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000}}'),
    );
    await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    cleanups.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    await eventually(async () =>
      expect(await daemon.get('/metrics')).toContain('subnet_node_up{subnet="d",name="n0"} 1'),
    );
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s by itself, although a node hangs', async (signal) => {
    const hanging = await startTcp(() => {});
    cleanups.push(hanging.stop);
    const { child, finished } = await start(inventory([hanging.url], 'rpc: { timeout: 1h }'));
    child.kill(signal);
    const { code, stdout } = await finished;
    expect([code, stdout]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
  });

  it('reloads by signal, by request and by a change of the file; a removed target leaves no series', async () => {
    const [a, b] = await nodes(2);
    const one = inventory([a?.url ?? '']);
    const two = inventory([a?.url ?? '', b?.url ?? '']);
    const { child, url, get, config, makeKey } = await start(two);
    const key = await makeKey();
    await eventually(async () => expect(await get('/metrics')).toContain('name="n1"'));
    const runs = async () => Number(/runs_total\{[^}]*"n0",check="peers"\} (\d+)/.exec(await get('/metrics'))?.[1]);
    await eventually(async () => expect(await runs()).toBeGreaterThan(2));

    await writeFile(pathOf('next'), one);
    await rename(pathOf('next'), config);
    await eventually(async () => expect(await get('/metrics')).not.toContain('name="n1"'));
    expect(await runs()).toBeGreaterThan(2);

    await writeFile(config, two);
    child.kill('SIGHUP');
    await eventually(async () => expect(await get('/metrics')).toContain('name="n1"'));

    await writeFile(config, one);
    expect((await fetch(`${url}/-/reload`, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${url}/-/reload?apiKey=${key}`, { method: 'POST' })).status).toBe(200);
    expect(await get('/metrics')).not.toContain('name="n1"');
  });

  it('keeps what runs when the new inventory is bad, and says why', async () => {
    const [a] = await nodes(1);
    const good = inventory([a?.url ?? '']);
    const { url, get, config, waitFor, makeKey, output } = await start(good);
    const key = await makeKey();
    await writeFile(config, 'subnets: []\n');
    const response = await fetch(`${url}/-/reload?apiKey=${key}`, { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([
      400,
      `${config}:1:10: subnets: must list at least one subnet\n`,
    ]);
    const page = await get('/metrics');
    expect(page).toContain('subnetd_config_last_reload_successful 0');
    expect(page).toContain('subnet_nodes{subnet="d"} 1');
    await waitFor(/the inventory is invalid; the previous one stays in force/);
    expect(page).toContain(`subnetd_config_hash ${hashOf(good)}\n`);
    const other = `${good}# the same nodes\n`;
    await writeFile(config, other);
    await eventually(async () => expect(await get('/metrics')).toContain('subnetd_config_last_reload_successful 1'));
    expect(await get('/metrics')).toContain(`subnetd_config_hash ${hashOf(other)}\n`);
    const count = (level: string) => output().match(new RegExp(`^{"level":"${level}"`, 'gm'))?.length ?? 0;
    await eventually(async () => {
      const messages = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map(
        (level) => `subnetd_log_messages_total{level="${level}"} ${count(level)}\n`,
      );
      expect(await get('/metrics')).toContain(messages.join(''));
    });
    expect(count('error')).toBe(1);
  });

  it('shows no secret of an address anywhere', async () => {
    const [a] = await nodes(1);
    const secret = 'hunter2';
    const rpcs = [a?.url ?? '', 'http://127.0.0.1:1'].map(
      (url) => `${url.replace('//', `//me:${secret}@`)}/${secret}?key=${secret}`,
    );
    const { child, get, output, finished } = await start(inventory(rpcs), { SUBNETD_LOG_LEVEL: 'trace' });
    await eventually(async () => expect(await get('/status.json')).toContain('"fail"'));
    for (const path of ['/', '/metrics', '/status.json']) expect(await get(path)).not.toContain(secret);
    child.kill('SIGTERM');
    await finished;
    expect(output()).toContain('listening');
    expect(output()).not.toContain(secret);
  });

  it('warns once when it listens to the network', async () => {
    const [a] = await nodes(1);
    await writeFile(pathOf('c.yaml'), inventory([a?.url ?? '']));
    const { startCli } = await import('../support/cli.ts');
    const daemon = startCli(['run', '--listen', '0.0.0.0:0', '--config', pathOf('c.yaml')]);
    await daemon.waitFor(/open to the network/);
    daemon.child.kill('SIGTERM');
    await daemon.finished;
    expect(daemon.output().match(/open to the network/g)).toHaveLength(1);
  });
});
