import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMicrosOf, freePort, get, stop } from './measure.ts';

const IN_FLIGHT = 64;

/** What subnetd sends in steady state, sent by the blackbox exporter. */
const BODY = JSON.stringify(
  [
    ['XDPoS_getV2BlockByNumber', ['latest']],
    ['XDPoS_getV2BlockByNumber', ['committed']],
    ['admin_peers', []],
  ].map(([method, params], i) => ({ jsonrpc: '2.0', id: i + 1, method, params })),
);

/** Starts Debian's prometheus-blackbox-exporter on one processor. */
export async function startBlackbox() {
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
  for (let tries = 0; tries < 100 && (await get(port, '/-/healthy')).status === 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    exporter,
    /** Probes the node at this URL, and says whether it succeeded. */
    probe: async (node: string): Promise<boolean> =>
      (await get(port, `/probe?module=rpc&target=${node}`, {}, agent)).body.includes('probe_success 1'),
    stop: async () => {
      agent.destroy();
      await stop(exporter);
      rmSync(folder, { recursive: true });
    },
  };
}

/** CPU time a probe of the blackbox exporter, as fast as it can, over these nodes in turn. */
export async function measureBlackbox(urls: readonly string[], seconds: number): Promise<number> {
  const blackbox = await startBlackbox();
  let probes = 0;
  let failed = 0;
  const loop = async (forSeconds: number) => {
    const end = performance.now() + forSeconds * 1000;
    let next = 0;
    const worker = async () => {
      while (performance.now() < end) {
        next += 1;
        if (await blackbox.probe(urls[next % urls.length] ?? '')) probes += 1;
        else failed += 1;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  };
  await loop(1);
  probes = 0;
  const before = cpuMicrosOf(blackbox.exporter);
  await loop(seconds);
  const micros = (cpuMicrosOf(blackbox.exporter) - before) / Math.max(probes, 1);
  await blackbox.stop();
  if (failed > 0) throw new Error(`${failed} probes of the blackbox exporter failed`);
  return micros;
}
