import { writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { fromPlainJson, toPlainJson } from '../../src/lib/plain-json.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { NO_PROBLEMS } from '../../src/watch/diagnosis/diagnose-subnet.ts';
import { packReplay } from '../../src/watch/monitor/replay.ts';
import { temporaryFolder } from '../support/cli.ts';
import { diagnosedNode, NOW, STOPPED } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';
import { runCommand } from '../support/run-command.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** A capsule of a subnet with a stopped node. */
function pack(): string {
  const fault = { kind: 'refused', address: 'n2' } as const;
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? { container: STOPPED, fault } : {}));
  const targets = judgeTargets(nodes, NOW);
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: nodes.map(({ target }) => target),
  };
  const rest = { before: NO_PROBLEMS, now: NOW, clock: {}, facts: {}, plannedWork: [], wallAheadMs: 0 };
  return packReplay({ subnet, targets, ...rest }, '1.2.3') ?? '';
}

/** Runs the command on a file of this content. */
function run(content: string, ...flags: readonly string[]) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = folder.path('incident.json');
  writeFileSync(file, content);
  return runCommand(['replay', file, ...flags]);
}

test('the export of an incident, its capsule, or what that has kept is diagnosed again, and is the same', async () => {
  const kept = pack();
  for (const content of [
    JSON.stringify({ capsule: { replay: kept } }),
    JSON.stringify({ replay: kept }),
    `${kept}\n`,
  ]) {
    const { code, stdout } = await run(content);
    expect(code).toBe(0);
    expect(stdout).toContain('container_down node n2  warning  suspected\n');
    expect(stdout).toContain('start it with `docker start generated-n2-1`');
    expect(stdout.endsWith('\nthe same as version 1.2.3 told\n')).toBe(true);
  }
  const { stdout } = await run(kept, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ version: '1.2.3', differences: [] });
});

test('what is told otherwise is exit code 1, with what was and what is', async () => {
  const kept = fromPlainJson(gunzipSync(Buffer.from(pack(), 'base64')).toString()) as Record<string, unknown>;
  const told = { ...(kept.told as object), headline: 'all is well' };
  const { code, stdout } = await run(gzipSync(toPlainJson({ ...kept, told })).toString('base64'));
  expect(code).toBe(1);
  expect(stdout).toContain('version 1.2.3 told otherwise:\nheadline was: all is well\nheadline is: devnet ');
});

test.each([
  ['{}', 'holds no capsule with a diagnosis; export an incident as JSON from its page'],
  ['<html>', 'holds no capsule with a diagnosis'],
  ['{"capsule":{"replay":"bm9uZQ=="}}', 'holds a capsule that is damaged, or of a later version'],
])('%s is refused', async (content, why) => {
  const { code, stderr } = await run(content);
  expect([code, stderr.includes(why)]).toEqual([2, true]);
});

test('a file that is not there is named', async () => {
  expect(await runCommand(['replay', '/nowhere'])).toMatchObject({
    code: 2,
    stderr: 'subnetd replay: /nowhere cannot be read: ENOENT\n',
  });
});
