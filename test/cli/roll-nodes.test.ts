import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, awaitMoment } from '../../src/cli/await-moment.ts';
import { type Roll, rollNodes } from '../../src/cli/rolling-restart.ts';
import type { RestartBody } from '../../src/model/restart-answer.ts';
import { runCommand } from '../support/run-command.ts';

const STARTED = Date.UTC(2026, 0, 2, 3, 4, 5);

const bodyOf = (node: string, over: Partial<RestartBody> = {}): RestartBody => ({
  ...{ safe: true, known: true, reason: '3 other masternodes vote, 3 needed', subnet: 'devnet', node },
  ...{ required: 3, voting: 4, headroom: 1, nextTurnMs: null, turnEveryMs: null, stopMs: null, unready: null },
  ...{ container: `devnet-${node}-1`, startedAt: new Date(STARTED).toISOString() },
  ...over,
});

const toAnswer = (body: RestartBody): Answer => ({ kind: body.safe ? 'yes' : 'no', reason: body.reason, body });

/** Nodes that take a minute after a restart; time passes only while somebody waits. */
function subnetOf(over: (node: string, at: number) => Partial<RestartBody> = () => ({})) {
  let at = 0;
  const restartedAt = new Map<string, number>();
  const told: string[] = [];
  const unreadyOf = (node: string) => {
    const ran = at - (restartedAt.get(node) ?? Number.NEGATIVE_INFINITY);
    return ran < 60_000 ? `${node} was started ${ran / 1_000}s ago and must run for a minute` : null;
  };
  const roll: Roll = {
    ask: async (node) => {
      const unready = unreadyOf(node);
      const [other] = [...restartedAt.keys()].flatMap((name) => (name === node ? [] : (unreadyOf(name) ?? [])));
      const startedAt = new Date(STARTED + (restartedAt.get(node) ?? -1) + 1).toISOString();
      const no = other === undefined ? {} : { safe: false, reason: other };
      return toAnswer(bodyOf(node, { unready, startedAt, ...no, ...over(node, at) }));
    },
    sleep: async (ms) => {
      at += ms;
    },
    now: () => at,
    ...{ everyMs: 2_000, patienceMs: 600_000 },
    tell: (node, text) => told.push(`${at / 1_000}s ${node}: ${text}`),
    restart: async ({ node }) => {
      at += 10_000;
      restartedAt.set(node, at);
      return undefined;
    },
  };
  return { roll, told, restartedAt, restart: (node: string) => restartedAt.set(node, at) };
}

function errorsOf() {
  const errors: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0);
  onTestFinished(() => spy.mockRestore());
  return errors;
}

test('each node is restarted once the one before is relied on again', async () => {
  const { roll, told } = subnetOf();
  expect(await rollNodes(['n1', 'n2'], roll)).toBe(0);
  expect(told).toEqual([
    '10s n1: waiting for it: n1 was started 0s ago and must run for a minute',
    '70s n1: is back after 1m',
    '80s n2: waiting for it: n2 was started 0s ago and must run for a minute',
    '140s n2: is back after 1m',
  ]);
});

test('a failing command, and a node that does not come back, end it, and what is left is told', async () => {
  const errors = errorsOf();
  const { roll } = subnetOf();
  const restart: Roll['restart'] = async (body) =>
    body.node === 'n2' ? 'the command for n2 ended with exit code 1' : roll.restart?.(body);
  expect(await rollNodes(['n1', 'n2', 'n3'], { ...roll, restart })).toBe(1);
  expect(errors.splice(0)).toEqual([
    'subnetd rolling-restart: the command for n2 ended with exit code 1\n',
    'subnetd rolling-restart: 1 of 3 nodes restarted; see subnetd status, then go on with --nodes n2,n3\n',
  ]);
  const dead = subnetOf((node, at) => (node === 'n1' && at > 0 ? { unready: 'the container of n1 does not run' } : {}));
  expect(await rollNodes(['n1', 'n2'], { ...dead.roll, patienceMs: 120_000 })).toBe(1);
  expect([...dead.restartedAt.keys()]).toEqual(['n1']);
  expect(errors).toEqual([
    'subnetd rolling-restart: n1 is not back after 2m: the container of n1 does not run\n',
    'subnetd rolling-restart: 1 of 2 nodes restarted; see subnetd status, then go on with --nodes n2\n',
  ]);
});

test('a command that restarts nothing, as for an image that has not changed, leads on to the next node', async () => {
  const { roll, told } = subnetOf();
  expect(await rollNodes(['n1', 'n2'], { ...roll, restart: async () => undefined })).toBe(0);
  expect(told).toEqual(['30s n1: the command has not restarted it', '60s n2: the command has not restarted it']);
});

test('by hand, each command is told at its moment, and taken back when that has passed', async () => {
  const near = 'a restart near block 1350, where the chain chooses its next masternodes, may cost n1 the snapshot';
  const subnet = subnetOf((_, at) => (at >= 6_000 && at < 30_000 ? { safe: false, reason: near } : {}));
  const { told, roll } = subnet;
  const sleep: Roll['sleep'] = async (ms) => {
    await roll.sleep(ms);
    if (roll.now() === 40_000) subnet.restart('n1');
  };
  const { restart: _, ...byHand } = roll;
  expect(await rollNodes(['n1'], { ...byHand, sleep })).toBe(0);
  expect(told).toEqual([
    '0s n1: restart it now: docker restart devnet-n1-1',
    '6s n1: do not restart it any more',
    `6s n1: waiting: ${near}`,
    '30s n1: restart it now: docker restart devnet-n1-1',
    '40s n1: waiting for it: n1 was started 0s ago and must run for a minute',
    '100s n1: is back after 1m 10s',
  ]);
});

test('when it is interrupted, no other node is restarted', async () => {
  const errors = errorsOf();
  const { roll, restartedAt } = subnetOf();
  const sleep: Roll['sleep'] = async () => {
    throw new DOMException('interrupted', 'AbortError');
  };
  expect(await rollNodes(['n1', 'n2'], { ...roll, sleep })).toBe(1);
  expect([...restartedAt.keys()]).toEqual(['n1']);
  expect(errors[1]).toContain('1 of 2 nodes restarted; see subnetd status, then go on with --nodes n2');
});

/** When a node whose turn comes every so often is told yes, and what was told meanwhile. */
async function momentOf(turnEveryMs: number, firstTurnMs: number, end = 600_000, safeFrom = 0, stopMs = 0) {
  const { roll, told } = subnetOf((_, at) => ({
    ...{ turnEveryMs, stopMs, nextTurnMs: turnEveryMs - ((at - firstTurnMs + 10 * turnEveryMs) % turnEveryMs) },
    ...(at < safeFrom && { safe: false, reason: 'n2 is being stopped' }),
  }));
  const { kind } = await awaitMoment('n1', end, roll);
  return { kind, at: roll.now(), told };
}

test('the moment comes right after the own turn of the node', async () => {
  expect(await momentOf(42_000, 20_000)).toEqual({
    ...{ kind: 'yes', at: 21_000 },
    told: ['0s n1: its turn to make a block is in 21s, and right after that is the best moment'],
  });
  // The turn has just passed.
  expect(await momentOf(42_000, -4_000)).toMatchObject({ at: 0, told: [] });
  expect(await momentOf(42_000, -5_000)).toMatchObject({ at: 38_000 });
  expect(await momentOf(8_000, -2_000)).toMatchObject({ at: 0 });
  expect(await momentOf(8_000, -2_500)).toMatchObject({ at: 6_500 });
  // First it must be safe.
  expect(await momentOf(42_000, 20_000, 600_000, 25_000)).toMatchObject({ kind: 'yes', at: 63_000 });
});

test('one that takes long to stop is asked to so much before its own turn has passed', async () => {
  expect(await momentOf(42_000, 20_000, 600_000, 0, 10_000)).toEqual({
    ...{ kind: 'yes', at: 11_000 },
    told: [
      '0s n1: the best moment is in 11s: its container takes 10s to stop, and then ends right after its turn to make a block',
    ],
  });
  // It takes longer than from one turn to the next.
  expect(await momentOf(8_000, 5_000, 600_000, 0, 10_000)).toMatchObject({ at: 4_000 });
  expect(await momentOf(8_000, 2_000, 600_000, 0, 10_000)).toMatchObject({ at: 0 });
  expect(await momentOf(42_000, 20_000, 600_000, 0, 300)).toMatchObject({ at: 20_700 });
});

test('who has no time left for the turn gets the yes at once, and nobody waits for more than two turns', async () => {
  expect(await momentOf(42_000, 20_000, 15_000)).toMatchObject({ kind: 'yes', at: 0 });
  const { roll } = subnetOf(() => ({ turnEveryMs: 42_000, nextTurnMs: 20_000 }));
  expect((await awaitMoment('n1', 600_000, roll)).kind).toBe('yes');
  expect(roll.now()).toBe(84_000);
});

/** A daemon with these nodes, whose restarts it does not see. */
async function serve(names: readonly string[], answer: (node: string) => Partial<RestartBody> = () => ({})) {
  const status = {
    subnets: ['devnet', 'other'].map((name) => ({
      ...{ name, problems: [], headline: { standing: 'ok', sentence: '', detail: '' } },
      targets: (name === 'devnet' ? names : []).map((node) => ({ component: 'node', name: node, checks: [] })),
    })),
  };
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://a');
    const node = searchParams.get('node') ?? '';
    const body = bodyOf(node, answer(node));
    response.writeHead(pathname === '/safe-to-restart' && !body.safe ? 409 : 200);
    response.end(JSON.stringify(pathname === '/status.json' ? status : body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const run = (url: string, ...flags: readonly string[]) => runCommand(['rolling-restart', '--url', url, ...flags]);

test('the command gets the names of node and container as words of the shell', async () => {
  const url = await serve(['n1', 'n2'], () => ({ container: "it's" }));
  const flags = ['--subnet', 'devnet', '--nodes', 'n2', '--run', 'test {node} = n3 -a {container} = "it\'s"'];
  expect(await run(url, ...flags)).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^\d\d:\d\d:\d\d {2}n2: running test n2 = n3 -a 'it'\\''s' = "it's"\n$/),
    stderr:
      'subnetd rolling-restart: the command for n2 ended with exit code 1\n' +
      'subnetd rolling-restart: 0 of 1 node restarted; see subnetd status, then go on with --nodes n2\n',
  });
  const without = await serve(['n1'], () => ({ container: null, startedAt: null }));
  expect((await run(without, '--subnet', 'devnet', '--run', 'docker restart {container}')).stderr).toContain(
    'Docker has no container of n1, so {container} is unknown; use {node}\n',
  );
});

test('what is not clear before the first node is exit code 2', async () => {
  const url = await serve(['n1', 'n2']);
  const errorOf = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await run(url, ...flags);
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  expect(await errorOf()).toBe('subnetd rolling-restart: name the subnet with --subnet: devnet, other\n');
  expect(await errorOf('--subnet', 'x')).toContain('the inventory has no such subnet; it has devnet, other\n');
  expect(await errorOf('--subnet', 'devnet', '--nodes', 'n1,n9')).toContain('devnet has no node n9; it has n1, n2\n');
  expect(await errorOf('--subnet', 'other')).toContain('there is no node to restart\n');
  expect(await errorOf('--wait', 'long')).toContain('--wait must be a duration, such as 10m\n');
});

test('a node that may not be restarted in time ends it with the reason', async () => {
  const url = await serve(['n1'], () => ({ safe: false, reason: 'the subnet is halted' }));
  expect(await run(url, '--subnet', 'devnet', '--wait', '1s')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('n1 may not be restarted: the subnet is halted\n'),
  });
  const old = await serve(['n1'], () => ({ unready: undefined }) as unknown as Partial<RestartBody>);
  expect(await run(old, '--subnet', 'devnet')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the daemon is older than this command; upgrade it\n'),
  });
});
