import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createClient, redactUrl } from '../../../src/tell/notify/create-client.ts';
import { eventually, startDaemon } from '../../support/cli.ts';
import { runCommand } from '../../support/run-command.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const TOKEN = 's3cr3t-t0ken';
const PATH = `/proxy/${TOKEN}/alertmanager`;

/** A proxy that repeats in its answers what it was asked for. */
async function startEcho(status: number): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = status;
    response.setHeader('location', request.url ?? '');
    response.end(`bad request for ${request.url}: tenant ${TOKEN} is unknown`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it.each([
  ['http://am:9093', 'http://am:9093'],
  ['http://am:9093/', 'http://am:9093'],
  [`https://user:pass@am${PATH}/?a=b#c`, 'https://am/…'],
])('of %s is shown %s', (url, shown) => expect(redactUrl(url)).toBe(shown));

it.each([200, 302, 400, 401, 404, 422, 500])(
  'an Alertmanager below a path is called there, and no message for status %d shows the path',
  async (status) => {
    const { url, asked } = await startEcho(status);
    const client = createClient(`${url}${PATH}/`, {});
    cleanups.push(client.close);
    const answer = await client.call('POST', '/alerts', []);
    expect(asked).toEqual([`${PATH}/api/v2/alerts`]);
    expect(client.address).toBe(`${url}/…`);
    if (!answer.ok) expect(answer.why).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/… /);
    expect(JSON.stringify([client.address, answer])).not.toContain(TOKEN);
  },
);

it('the commands and the daemon print the path nowhere', async () => {
  const { url } = await startEcho(400);
  const address = `${url}${PATH}`;
  const config = pathOf('subnetd.yaml');
  const write = (urls: readonly string[]) =>
    writeFileSync(
      config,
      `alertmanager: { urls: ${JSON.stringify(urls)} }\nsubnets: [{ name: d, consensus: XDPoS, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n`,
    );
  write([address]);
  const silence = ['silence', '--subnet', 'd', '--for', '1h', '--why', 'test'];
  for (const words of [
    ['drill', '--url', address],
    ['silence', '--list', '--url', address],
    [...silence, '--url', address],
    ['drill', '--config', config],
  ]) {
    const { code, stdout, stderr } = await runCommand(words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`${url}/… refuses what was sent`);
    expect(stdout + stderr).not.toContain(TOKEN);
  }
  const daemon = await startDaemon(config, { SUBNETD_LOG_LEVEL: 'trace' });
  cleanups.push(async () => {
    daemon.child.kill('SIGKILL');
    await daemon.finished;
  });
  await eventually(() => expect(daemon.output()).toContain('alerts cannot be sent'));
  daemon.child.kill('SIGTERM');
  await daemon.finished;
  expect(daemon.output()).toContain(`${url}/…`);
  expect(daemon.output()).not.toContain(TOKEN);
  write([address, `${address}/`, `ftp://h${PATH}`, `http://h${PATH}?a=b`]);
  const checked = await runCommand(['check-config', config]);
  expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining('alertmanager.urls')]);
  expect(checked.stdout + checked.stderr).not.toContain(TOKEN);
}, 60_000);
