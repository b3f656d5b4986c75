import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { useEngine } from '../../support/engine.ts';

const LONG_MS = 60_000;
const block = (number: number) =>
  `INFO [11-21|07:00:00] Imported new chain segment               blocks=1 txs=0 mgas=0.000 number=${number} hash=1a2b3c…9f8e7d`;
const CRASH = 'panic: runtime error: index out of range';
const FATAL = 'Fatal: Error starting protocol stack: listen unix /work/xdcchain/XDC.ipc: bind: invalid argument';

test("a line in both xdc.log and the container's log counts once, and a line of the container alone is found", async () => {
  const engine = await useEngine();
  onTestFinished(engine.stop, 60_000);
  await importBusybox(engine.docker);
  const name = uniqueName('both');
  const container = await runContainer(engine.docker, {
    name,
    command: ['sh', '-c', `echo '${block(1)}'; echo '${block(2)}'; echo '${CRASH}'; echo '${FATAL}'; exec sleep 600`],
  });
  onTestFinished(() => container.remove({ force: true }));
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const log = folder.path('xdc.log');
  writeFileSync(log, '');
  const config = folder.path('subnetd.yaml');
  writeFileSync(
    config,
    `subnets:
  - name: d
    nodes: [{ name: subnet1, container: { name: ${name} }, logFiles: ['${log}'] }]
    checks: { rpc: { enabled: false }, logs: { schedule: every 1s } }
docker: { socketPath: ${engine.socketPath} }
`,
  );
  const daemon = await startDaemon(config);
  onTestFinished(() => void daemon.child.kill('SIGKILL'));
  const page = async () => (await fetch(`${daemon.url}/metrics`)).text();
  await eventually(async () => {
    expect(await page()).toMatch(/^subnet_log_source_up\{.*source="file"\} 1$/m);
    expect(await page()).toMatch(/^subnet_log_lines_total\{.*source="container"\} 4$/m);
  }, LONG_MS);
  const said = [block(1), block(2), CRASH].map((line) => `${line}\n`).join('');
  appendFileSync(log, said);
  await eventually(async () => expect(await page()).toMatch(/^subnet_log_lines_total\{.*source="file"\} 3$/m), LONG_MS);
  const matches = [...(await page()).matchAll(/^subnet_log_matches_total\{.*pattern="(\w+)"\} (\d+)$/gm)];
  expect(Object.fromEntries(matches.map(([, pattern, count]) => [pattern, Number(count)]))).toEqual({
    imported_segment: 2,
    panic: 1,
  });
  expect(await page()).toMatch(/^subnet_node_log_block_number\{.*\} 2$/m);
  expect(await page()).toMatch(new RegExp(`^subnet_log_file_bytes\\{.*\\} ${Buffer.byteLength(said)}$`, 'm'));
  expect(await page()).toMatch(/^subnet_known_failure\{.*failure="ipc_path_too_long"\} 1$/m);
  daemon.child.kill('SIGTERM');
  expect((await daemon.finished).code).toBe(0);
}, 180_000);
