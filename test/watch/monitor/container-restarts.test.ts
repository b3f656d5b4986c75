import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { findRestartCause } from '../../../src/model/restart-cause.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { eventually } from '../../support/cli.ts';
import { composeLabels, createContainer, importBusybox, runContainer, uniqueName } from '../../support/containers.ts';
import { type Engine, useEngine } from '../../support/engine.ts';
import { asRead } from '../../support/views.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await useEngine();
  await importBusybox(engine.docker);
}, 120_000);
afterAll(() => engine?.stop());

/** A monitor that inspects the containers of one service every few milliseconds, besides each event. */
function watchService(project: string) {
  const parsed = parseInventory(
    `
subnets:
  - name: d
    nodes: [{ name: a, container: { project: ${project}, service: a } }]
    checks: { containers: { schedule: every 15ms, timeout: 5s } }
docker: { socketPath: ${engine.socketPath} }
`,
    {},
  );
  if (!parsed.ok) throw new Error('a bad inventory');
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  onTestFinished(async () => {
    await monitor.stop();
    expect(bugs).toEqual([]);
    const filters = { label: [`com.docker.compose.project=${project}`] };
    for (const { Id } of await engine.docker.listContainers({ all: true, filters }))
      await engine.docker.getContainer(Id).remove({ force: true });
  });
  monitor.load(parsed.inventory);
  const state = () => monitor.snapshot()[0]?.targets[0];
  const facts = () => state()?.facts.container;
  return {
    facts,
    check: () =>
      state()
        ?.checks.filter(({ check }) => check === 'container')
        .map(asRead)[0],
    isUp: () => {
      const observation = facts()?.observation;
      return observation?.kind === 'found' && observation.container.running;
    },
    cause: () => {
      const known = facts();
      return known && findRestartCause(known);
    },
  };
}

/** Ends with code 3 the first five times that it is started, then runs on. */
const DIES_FIVE_TIMES = 'n=$(cat /n); n=$((n+1)); echo $n > /n; [ $n -gt 5 ] && exec sleep 600; sleep 0.05; exit 3';

test('five restarts of a container by its policy count as five, with an inspection every few milliseconds', async () => {
  const project = uniqueName('project');
  const { facts, check, cause } = watchService(project);
  await eventually(() => expect(facts()?.observation).toEqual({ kind: 'missing' }));
  const container = await runContainer(engine.docker, {
    name: uniqueName('a'),
    command: ['sh', '-c', DIES_FIVE_TIMES],
    labels: composeLabels(project, 'a'),
    restart: 'always',
  });
  await eventually(async () => {
    const { State, RestartCount } = await container.inspect();
    expect({ status: State.Status, RestartCount }).toEqual({ status: 'running', RestartCount: 5 });
  });
  await eventually(() => expect(facts()?.run).toMatchObject({ restartCount: 5 }));
  expect(facts()?.restarts).toBe(5);
  expect(cause()).toBe('crash');
  expect(check()?.reason).toMatch(
    / runs but restarted (?:just now|\d+s ago) \([\d:]+ UTC\) after exit code 3 \(an error\); Docker has restarted it 5 times/,
  );
}, 60_000);

test('a container that is restarted on request or recreated says so, and each is one restart', async () => {
  const project = uniqueName('project');
  const { facts, check, cause, isUp } = watchService(project);
  const plan = { command: ['sleep', '600'], labels: composeLabels(project, 'a'), restart: 'always' } as const;
  const first = await runContainer(engine.docker, { ...plan, name: uniqueName('a') });
  await eventually(() => expect(check()).toMatchObject({ verdict: 'pass' }));
  await first.restart({ t: 0 });
  await eventually(() => expect([isUp(), facts()?.restarts, cause()]).toEqual([true, 1, 'request']));
  expect(check()).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/ was restarted on request (?:just now|\d+s ago)/),
  });

  await first.remove({ force: true });
  await eventually(() => expect(facts()?.observation).toEqual({ kind: 'missing' }));
  const second = await createContainer(engine.docker, { ...plan, name: uniqueName('a') });
  await second.start();
  await eventually(() => expect([isUp(), facts()?.restarts, cause()]).toEqual([true, 2, 'recreation']));
  expect(check()).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/ was recreated (?:just now|\d+s ago)/),
  });
}, 60_000);

test('a container that its program ended and a person started again has crashed', async () => {
  const project = uniqueName('project');
  const { facts, check, cause, isUp } = watchService(project);
  const container = await runContainer(engine.docker, {
    name: uniqueName('a'),
    command: ['sh', '-c', '[ -e /x ] && exec sleep 600; touch /x; sleep 0.5; exit 4'],
    labels: composeLabels(project, 'a'),
  });
  await eventually(() => expect(facts()?.lastExit).toMatchObject({ code: 4 }));
  await container.start();
  await eventually(() => expect([isUp(), facts()?.restarts, cause()]).toEqual([true, 1, 'crash']));
  expect(check()?.reason).toMatch(/ runs but restarted (?:just now|\d+s ago) \([\d:]+ UTC\) after exit code 4 /);
}, 60_000);
