import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startCli } from '../support/cli.ts';
import { startPrometheus } from '../support/prometheus.ts';

/** A metrics endpoint at one path, which counts up nothing but shows who it is. */
async function serveMetrics(path: string, page: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === path ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(url === path ? page : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('Prometheus discovers the endpoints of the inventory behind the same sign-in, scrapes them, and follows a reload', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'discovery-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const geth = await serveMetrics('/debug/metrics/prometheus', 'chain_head_block 7\n');
  const nethermind = await serveMetrics('/metrics', 'nethermind_blocks 8\n');
  const machine = await serveMetrics('/metrics', 'node_load1 0.5\n');
  const inventory = join(folder, 'subnetd.yaml');
  const write = (exporters: string) =>
    writeFileSync(
      inventory,
      `subnets:
  - name: d
    nodes:
      - { name: a, rpc: 'http://127.0.0.1:1', metrics: '${geth}' }
      - { name: b, rpc: 'http://127.0.0.1:2', client: nethermind, metrics: '${nethermind}' }
    exporters: ${exporters}
`,
    );
  write(`[{ kind: node_exporter, name: machine1, url: '${machine}' }]`);
  // The password is secret, by bcrypt at its lowest cost.
  const { hash } = await import('bcrypt');
  writeFileSync(join(folder, 'web.yaml'), `basic_auth_users: { ann: '${await hash('secret', 4)}' }\n`);
  const daemon = startCli(['run', '--config', inventory, '--listen', '127.0.0.1:0'], {
    SUBNETD_WEB_CONFIG: join(folder, 'web.yaml'),
    SUBNETD_DATABASE_URL: `sqlite:${join(folder, 'subnetd.db')}`,
  });
  onTestFinished(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const [, url = ''] = await daemon.waitFor(/"url":"(http:[^"]+)".*"listening"/);
  const sd = `${url}/sd/targets.json`;
  expect((await fetch(sd)).status).toBe(401);
  const prometheus = await startPrometheus(
    JSON.stringify({
      global: { scrape_interval: '500ms' },
      scrape_configs: [
        {
          job_name: 'subnet',
          http_sd_configs: [{ url: sd, refresh_interval: '1s', basic_auth: { username: 'ann', password: 'secret' } }],
        },
      ],
    }),
  );
  onTestFinished(prometheus.stop);
  const soon = { timeout: 60_000, interval: 200 };
  const labels = (component: string, name: string) =>
    expect.objectContaining({ subnet: 'd', component, name, job: 'subnet' });
  await vi.waitFor(async () => {
    expect(await prometheus.query('chain_head_block')).toEqual([{ labels: labels('node', 'a'), value: 7 }]);
    expect(await prometheus.query('nethermind_blocks')).toEqual([{ labels: labels('node', 'b'), value: 8 }]);
    expect(await prometheus.query('node_load1')).toEqual([{ labels: labels('node_exporter', 'machine1'), value: 0.5 }]);
    expect(await prometheus.value('count(up == 1)')).toBe(3);
  }, soon);
  write('[]');
  await vi.waitFor(async () => expect(await prometheus.value('count(up)')).toBe(2), soon);
}, 150_000);
