import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { LogPosition } from '../../../src/model/log.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';
import { composeLabels, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { useEngine } from '../../support/engine.ts';
import { text } from '../../support/follow.ts';
import { startLogWriter } from '../../support/log-writer.ts';

const LONG_MS = 60_000;
const SECRET = 'hunter2';

/** A node that is known by a file and one that is known by a container, both of which print numbered lines. */
async function useSubnet() {
  const engine = await useEngine();
  onTestFinished(engine.stop, 60_000);
  await importBusybox(engine.docker);
  const project = uniqueName('restarts');
  const container = await runContainer(engine.docker, {
    name: project,
    labels: composeLabels(project, 'node'),
    command: [
      'sh',
      '-c',
      `i=0; while :; do echo "line $i ${SECRET}"; i=$((i+1)); [ $((i % 10)) = 0 ] && usleep 15000; done`,
    ],
  });
  onTestFinished(() => container.remove({ force: true }));
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const log = folder.path('xdc.log');
  writeFileSync(log, '');
  // The pattern takes the place of the pack's own of that name.
  const patterns =
    "patterns: [{ name: imported_segment, match: '^line (?<height>\\d+)', means: progress, value: height }]";
  const inventory = (nodes: readonly string[]) => `subnets:
  - name: d
    nodes:
${nodes.map((node) => `      - ${node}\n`).join('')}    checks: { rpc: { enabled: false }, logs: { schedule: every 1s } }
docker: { socketPath: ${engine.socketPath} }
`;
  const fileNode = `{ name: filed, rpc: 'http://127.0.0.1:1', logFiles: ['${log}'], ${patterns} }`;
  const containerNode = `{ name: contained, container: { project: ${project}, service: node }, ${patterns} }`;
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, inventory([fileNode, containerNode]));

  /** What is kept of how far was read, by the name of the node. */
  const readPositions = async () => {
    const database = await openDatabase({ kind: 'sqlite', path: folder.path('data/subnetd.db') });
    const positions = await (await createRepositories(database)).logPositions('test').read();
    await database.close();
    return new Map([...positions].map(([key, position]) => [/"(filed|contained)"/.exec(key)?.[1], position]));
  };
  /** Each line that the container has printed, with Docker's timestamp. */
  const readContainer = async () => {
    const all = (await container.logs({ stdout: true, timestamps: true, follow: false })) as Buffer;
    return [...all.toString('latin1').matchAll(/(\d{4}-\d\d-\d\dT[\d:.]+Z) line \d+ /g)].map(([, at = '']) => at);
  };
  return {
    log,
    container,
    readContainer,
    readPositions,
    start: async () => {
      const daemon = await startDaemon(config, { SUBNETD_INSTANCE: 'test' });
      onTestFinished(() => void daemon.child.kill('SIGKILL'));
      const page = async () => (await fetch(`${daemon.url}/metrics`)).text();
      const sample = async (metric: string, name: string) =>
        Number(new RegExp(`^${metric}\\{[^}]*name="${name}"[^}]*\\} (\\S+)$`, 'm').exec(await page())?.[1] ?? 0);
      const lines = (name: string) => sample('subnet_log_lines_total', name);
      return {
        ...daemon,
        page,
        sample,
        lines,
        /** Waits until this many lines of both are counted. */
        hasRead: (count: number) =>
          eventually(async () => {
            for (const name of ['filed', 'contained']) expect(await lines(name)).toBeGreaterThan(count);
          }, LONG_MS),
        end: async (signal: NodeJS.Signals) => {
          daemon.child.kill(signal);
          return (await daemon.finished).code;
        },
      };
    },
    removeContainerNode: () => writeFileSync(config, inventory([fileNode])),
  };
}

/** How many of the lines of the writer end before this position. */
function linesBefore(position: LogPosition | undefined): number {
  const offset = position?.kind === 'files' ? position.files[0]?.offset : undefined;
  expect(offset).toBeDefined();
  let number = 0;
  for (let at = 0; at < (offset ?? 0); number++) at += `line ${number}\n`.length;
  return number;
}

/** How many lines of a container were read, of those printed at these times. */
function readBefore(position: LogPosition | undefined, times: readonly string[]): number {
  const last = position?.kind === 'container' ? position.streams['1'] : undefined;
  expect(last).toBeDefined();
  return times.filter((at) => at < (last?.at ?? '')).length + (last?.count ?? 0);
}

test('after a restart subnetd counts what was written meanwhile, and nothing else', async () => {
  const { start, log } = await useSubnet();
  const first = await start();
  await eventually(async () => expect(await first.page()).toMatch(/subnet_log_source_up\{[^}]*"filed"[^}]*\} 1/));
  appendFileSync(log, text(0, 100));
  await eventually(async () => expect(await first.lines('filed')).toBe(100));
  expect(await first.end('SIGTERM')).toBe(0);
  appendFileSync(log, text(100, 150));
  const second = await start();
  await eventually(async () => expect(await second.lines('filed')).toBe(50));
  appendFileSync(log, text(150, 151));
  await eventually(async () => expect(await second.lines('filed')).toBe(51));
  expect(await second.end('SIGTERM')).toBe(0);
}, 120_000);

test('subnetd killed under load continues exactly at the last saved position: no line is lost, and none before is counted again', async () => {
  const { start, log, container, readContainer, readPositions, removeContainerNode } = await useSubnet();
  const first = await start();
  await eventually(async () => expect(await first.page()).toMatch(/subnet_log_source_up\{[^}]*"filed"[^}]*\} 1/));
  const writer = startLogWriter(log, 10);
  await first.hasRead(1_000);
  const counted = await first.lines('filed');
  expect(await first.end('SIGTERM')).toBe(0);
  // What was counted was saved at the end.
  expect(linesBefore((await readPositions()).get('filed'))).toBeGreaterThanOrEqual(counted);

  for (let kill = 0; kill < 2; kill++) {
    const before = await readPositions();
    const killed = await start();
    await killed.hasRead(1_000);
    // Until it has saved once.
    await eventually(async () => {
      const now = await readPositions();
      for (const name of ['filed', 'contained']) expect(now.get(name)).not.toEqual(before.get(name));
    }, LONG_MS);
    await killed.end('SIGKILL');
  }
  const positions = await readPositions();

  const last = await start();
  await last.hasRead(1_000);
  const written = await writer.stop();
  await container.kill();
  await container.wait();
  const printed = await readContainer();
  const file = linesBefore(positions.get('filed'));
  const contained = readBefore(positions.get('contained'), printed);
  await eventually(async () => {
    expect(await last.lines('filed')).toBeGreaterThanOrEqual(written - file);
    expect(await last.lines('contained')).toBeGreaterThanOrEqual(printed.length - contained);
  }, LONG_MS);
  for (const metric of ['subnet_log_lines_total', 'subnet_log_matches_total']) {
    expect(await last.sample(metric, 'filed'), metric).toBe(written - file);
    expect(await last.sample(metric, 'contained'), metric).toBe(printed.length - contained);
  }
  // By the operator's own pattern, which has taken the place of the pack's.
  expect(await last.sample('subnet_node_log_block_number', 'filed')).toBe(written - 1);
  const status = await (await fetch(`${last.url}/status.json`)).text();
  for (const shown of [await last.page(), status, last.output()]) expect(shown).not.toContain(SECRET);

  removeContainerNode();
  last.child.kill('SIGHUP');
  await eventually(async () => expect([...(await readPositions()).keys()]).toEqual(['filed']), LONG_MS);
  expect(await last.end('SIGTERM')).toBe(0);
}, 240_000);
