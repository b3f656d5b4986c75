import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMicrosOf, stop } from './measure.ts';

const IN_FLIGHT = 64;

/** What subnetd sends in steady state, sent by the blackbox exporter. */
const BODY = JSON.stringify(
  [
    ['XDPoS_getV2BlockByNumber', ['latest']],
    ['XDPoS_getV2BlockByNumber', ['committed']],
    ['admin_peers', []],
  ].map(([method, params], i) => ({ jsonrpc: '2.0', id: i + 1, method, params })),
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** CPU time a probe of Debian's prometheus-blackbox-exporter, on one processor, over these nodes in turn. */
export async function measureBlackbox(urls: readonly string[], seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  const config = {
    modules: {
      rpc: {
        prober: 'http',
        timeout: '5s',
        http: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: BODY },
      },
    },
  };
  writeFileSync(join(folder, 'blackbox.yml'), JSON.stringify(config));
  const port = await freePort();
  const exporter = spawn(
    'prometheus-blackbox-exporter',
    [`--config.file=${join(folder, 'blackbox.yml')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore', env: { ...process.env, GOMAXPROCS: '1' } },
  );
  await once(exporter, 'spawn');
  const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const get = (path: string) =>
    new Promise<string>((resolve) => {
      const request = http.get({ agent, host: '127.0.0.1', port, path }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      });
      request.on('error', () => resolve(''));
    });
  for (let tries = 0; tries < 100 && (await get('/-/healthy')) === ''; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));

  let probes = 0;
  let failed = 0;
  const loop = async (forSeconds: number) => {
    const end = performance.now() + forSeconds * 1000;
    let next = 0;
    const worker = async () => {
      while (performance.now() < end) {
        next += 1;
        const page = await get(`/probe?module=rpc&target=${urls[next % urls.length]}`);
        if (page.includes('probe_success 1')) probes += 1;
        else failed += 1;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  };
  await loop(1);
  probes = 0;
  const before = cpuMicrosOf(exporter);
  await loop(seconds);
  const micros = (cpuMicrosOf(exporter) - before) / Math.max(probes, 1);
  agent.destroy();
  await stop(exporter);
  rmSync(folder, { recursive: true });
  if (failed > 0) throw new Error(`${failed} probes of the blackbox exporter failed`);
  return micros;
}
