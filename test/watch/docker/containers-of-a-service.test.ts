import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createDockerLink } from '../../../src/watch/docker/links.ts';
import { createDockerTimes } from '../../../src/watch/docker/times.ts';
import { foldContainer } from '../../../src/watch/rules/fold-container.ts';
import { judgeContainer } from '../../../src/watch/rules/judge-container.ts';
import { composeLabels } from '../../support/containers.ts';
import { asRead, aView, nodeTarget } from '../../support/views.ts';

const ref = { project: 'p', service: 's' };
const STARTED_AT = Date.parse('2026-03-01T12:00:00Z');

/** A container as an engine lists it; `created` in whole seconds. */
interface Listed {
  readonly id: string;
  readonly state: string;
  readonly created: number;
  readonly oneOff: boolean;
}

const listed = (id: string, state: string, created: number, oneOff = false): Listed => ({ id, state, created, oneOff });

/** An engine that lists containers in the order that was set last. */
async function startLister() {
  let all: readonly Listed[] = [];
  const server = createServer(({ url }, answer) => {
    if (url?.startsWith('/containers/json')) {
      const entries = all.map(({ id, state, created, oneOff }) => ({
        ...{ Id: id, State: state, Created: created, Labels: composeLabels('p', 's', oneOff) },
      }));
      return answer.end(JSON.stringify(entries));
    }
    const one = all.find(({ id }) => url === `/containers/${id}/json`);
    if (one === undefined) return answer.writeHead(404).end('{"message":"No such container"}');
    const State = { Status: one.state, StartedAt: new Date(STARTED_AT).toISOString() };
    return answer.end(JSON.stringify({ Id: one.id, Name: `/name-${one.id}`, State }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const docker = createDockerLink(() => {});
  docker.setAddress({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  onTestFinished(async () => {
    docker.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const list = (containers: readonly Listed[]) => {
    all = containers;
  };
  return { docker, list };
}

test.each<readonly [string, string, readonly Listed[]]>([
  [
    'the newest of those that run',
    'b',
    [listed('a', 'running', 1), listed('b', 'running', 2), listed('c', 'exited', 3)],
  ],
  [
    'the one with the first id of those that were created in one second',
    'a',
    [listed('a', 'running', 1), listed('b', 'running', 1), listed('c', 'running', 1)],
  ],
  [
    'one that restarts again and again, also while it waits for its next start',
    'b',
    [listed('a', 'running', 1), listed('b', 'restarting', 2)],
  ],
  ['one that runs beside a newer one that is paused', 'a', [listed('a', 'running', 1), listed('b', 'paused', 2)]],
  ['the newest of those that have ended', 'b', [listed('a', 'exited', 1), listed('b', 'exited', 2)]],
  [
    'no one-off, though it alone runs and is the newest',
    'a',
    [listed('a', 'exited', 1), listed('b', 'running', 2, true)],
  ],
])(
  "of the containers of a service, the check and the log take %s, in any order of Docker's list",
  async (_, id, containers) => {
    const { docker, list } = await startLister();
    const anyOrder = fc.shuffledSubarray([...containers], { minLength: containers.length });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        list(order);
        expect(await docker.inspect(ref, 4_000, AbortSignal.timeout(4_000))).toMatchObject({ container: { id } });
        expect(await docker.findLog(ref, AbortSignal.timeout(4_000))).toMatchObject({ id });
      }),
      { numRuns: 8 },
    );
  },
);

test('the reason names the watched container when two of a service run, and not when one runs alone or beside a one-off', async () => {
  const { docker, list } = await startLister();
  const reasonOf = async (containers: readonly Listed[]) => {
    list(containers);
    const observation = createDockerTimes((at) => at)(await docker.inspect(ref, 4_000, AbortSignal.timeout(4_000)));
    const now = STARTED_AT + 3_600_000;
    const container = foldContainer(undefined, observation, now);
    return asRead(judgeContainer(aView(nodeTarget('subnet1', { container: ref }), { container }, { now }))).reason;
  };
  const old: Listed = listed('a', 'running', 1);
  const alone = 'name-b has been running for 1h';
  expect(await reasonOf([old, listed('b', 'running', 2)])).toBe(
    `${alone}, and is the one of 2 containers with its label that subnetd watches`,
  );
  expect(await reasonOf([{ ...old, state: 'exited' }, listed('b', 'running', 2)])).toBe(alone);
  expect(await reasonOf([{ ...old, oneOff: true }, listed('b', 'running', 2)])).toBe(alone);
});
