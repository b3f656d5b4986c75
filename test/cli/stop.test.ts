import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startBlackHole } from '../support/black-hole.ts';
import { eventually, type Running, startCli, startDaemon } from '../support/cli.ts';
import { startTcp } from '../support/fake-node.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** Docker, Kubernetes and systemd wait longer; this is what subnetd promises. */
const PROMISED_MS = 5_000;

/** Sends the signal, and checks that the process ends as promised. */
async function endWith(daemon: Running, signal: NodeJS.Signals, isCutOff = false) {
  const asked = performance.now();
  daemon.child.kill(signal);
  const { code, stdout } = await daemon.finished;
  const tookMs = performance.now() - asked;
  expect([code, daemon.child.signalCode], stdout).toEqual([0, null]);
  // A busy machine may take a moment to end a process that holds nothing any more.
  const lines = stdout
    .trimEnd()
    .split('\n')
    .filter((line) => !line.includes('something still holds the process'));
  expect(lines.at(-1)).toContain('"msg":"stopped"');
  if (!isCutOff) expect(stdout).not.toMatch(/did not stop in time|please report/);
  expect(tookMs).toBeLessThan(PROMISED_MS);
  return tookMs;
}

/** A unix socket that takes connections and never says anything. */
async function startMute(path: string): Promise<string> {
  const server: Server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(path, resolve));
  cleanups.push(() => server.close());
  return path;
}

/** A daemon whose inventory is a pipe, so that a test decides when there is something to read. */
const startWithFifo = () => {
  const config = pathOf('subnetd.yaml');
  execFileSync('mkfifo', [config]);
  const daemon = startCli(['run', '--config', config, '--listen', '127.0.0.1:0'], {
    SUBNETD_DATABASE_URL: `sqlite:${pathOf('data/subnetd.db')}`,
  });
  cleanups.push(() => daemon.child.kill('SIGKILL'));
  return { daemon, config };
};

describe('the daemon ends within 5 s with 0, its positions saved and its database closed', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('on %s, while all that it asks hangs in every way', async (signal) => {
    const mute = await startTcp(() => {});
    cleanups.push(mute.stop);
    const hole = await startBlackHole();
    cleanups.push(hole.stop);
    const http = new URL(mute.url).host;
    const [ipc, otherIpc] = [await startMute(pathOf('XDC.ipc')), await startMute(pathOf('other.ipc'))];
    const docker = await startMute(pathOf('docker.sock'));
    const log = pathOf('xdc.log');
    await writeFile(log, 'one\n');
    const config = pathOf('subnetd.yaml');
    await writeFile(
      config,
      `subnets:
  - name: d
    nodes:
      - { name: http, rpc: 'http://${http}', logFiles: ['${log}'] }
      - { name: tls, rpc: 'https://${http}' }
      - { name: syn, rpc: 'http://${hole.host}' }
      - { name: syn-tls, rpc: 'https://${hole.host}' }
      - { name: ipc, ipc: '${ipc}' }
      - { name: both, rpc: 'http://${http}/both', ipc: '${otherIpc}' }
      - { name: exec, container: { name: n }, consoleExec: true }
    relayer: { url: 'http://${http}', container: { name: r } }
    stats: { url: 'https://${http}' }
    frontend: { url: 'http://${http}' }
    checks:
      rpc: { timeout: 1h }
      logs: { schedule: every 200ms }
      containers: { timeout: 1h }
      services: { timeout: 1h }
docker: { socketPath: '${docker}' }
alertmanager: { urls: ['http://${hole.host}', 'https://${http}'] }
`,
    );
    const daemon = await startDaemon(config, { SUBNETD_LOG_LEVEL: 'debug' });
    cleanups.push(() => daemon.child.kill('SIGKILL'));
    const reads = async (metric: RegExp) =>
      eventually(async () => expect(metric.test(await (await fetch(`${daemon.url}/metrics`)).text())).toBe(true));
    await reads(/subnet_log_source_up\{[^}]*name="http"[^}]*\} 1/);
    await appendFile(log, 'two\nthree\n');
    await reads(/subnet_log_lines_total\{[^}]*name="http"[^}]*\} 2/);
    await endWith(daemon, signal);
    const database = pathOf('data/subnetd.db');
    // SQLite takes its log back into the file when it is closed, and not before.
    expect(existsSync(`${database}-wal`)).toBe(false);
    expect(readFileSync(database, 'latin1')).toContain(log);
  });

  it('on SIGTERM in its first moment', async () => {
    const { daemon } = startWithFifo();
    await eventually(() => expect(isListening(daemon)).toBe(true), 20_000, 1);
    await endWith(daemon, 'SIGTERM');
  });

  it('on SIGTERM while its inventory cannot be read to the end', async () => {
    const { daemon, config } = startWithFifo();
    // It can be opened so as soon as somebody reads.
    const writer = await eventually(() => openSync(config, constants.O_WRONLY | constants.O_NONBLOCK));
    cleanups.push(() => closeSync(writer));
    await endWith(daemon, 'SIGTERM', true);
  });
});

/** Does the program listen to signals by now? Node.js itself handles SIGTERM from its start, and SIGHUP never. */
function isListening({ child }: Running): boolean {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(`0x${/SigCgt:\s*\w*(\w)/.exec(status)?.[1]}`) % 2 === 1;
}

describe('a hangup while the daemon starts', () => {
  it('is a reload, and ends nothing', async () => {
    const { daemon, config } = startWithFifo();
    await eventually(() => expect(isListening(daemon)).toBe(true), 20_000, 1);
    daemon.child.kill('SIGHUP');
    const text = "subnets: [{ name: d, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n";
    await writeFile(config, text);
    await daemon.waitFor(/"msg":"listening"/);
    expect(daemon.output()).not.toContain('was reloaded');
    await writeFile(config, text);
    await daemon.waitFor(/"why":"SIGHUP".*the inventory was reloaded/);
  });
});
