import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeStatus } from '../../src/cli/status.ts';
import { statusTable } from '../../src/cli/status-table.ts';
import type { Problem } from '../../src/model/problem.ts';
import { toStatus } from '../../src/web/to-status.ts';
import { diagnosedNode, NOW, STOPPED } from '../support/diagnosed.ts';
import { closedAddress } from '../support/pages.ts';
import { runCommand } from '../support/run-command.ts';
import { stateOf } from '../support/snapshots.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const toWall = (at: number): number => WALL - NOW + at;

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const nodes = (down?: string) =>
  NAMES.map((name) =>
    diagnosedNode(
      name,
      NAMES,
      name === down
        ? { fault: { kind: 'refused', address: 'http://192.0.2.1:852' }, container: STOPPED }
        : { peers: NAMES.filter((one) => one !== name && one !== down) },
    ),
  );
const statusOf = (down?: string) => toStatus([stateOf(nodes(down))], toWall);

/** Serves a status, or something else, at a free port. */
async function serve(body: unknown, password?: string): Promise<string> {
  const server = createServer((request, response) => {
    const wanted = password && `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    const isAllowed = wanted === undefined || request.headers.authorization === wanted;
    const isThere = request.url === '/status.json';
    response
      .writeHead(isAllowed ? (isThere ? 200 : 404) : 401)
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('of a subnet that is well it prints one sentence and how much reserve there is, and exits with 0', async () => {
  const { code, stdout, stderr } = await runCommand(['status', '--url', `http://${await serve(statusOf())}`]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe('✓ devnet is healthy: it can lose 1 more node\n  4 of 4 masternodes can vote, 3 needed.\n\n');
});

test('what is no longer found has the time at which it was seen', () => {
  const state = stateOf(nodes('n2'));
  const problems = state.problems.map(
    (one): Problem =>
      one.name === 'n2' ? { ...one, state: 'clearing', evidence: 'it was silent for 9s', seenAt: NOW - 4_000 } : one,
  );
  const evidence = toStatus([{ ...state, problems }], toWall).subnets[0]?.problems.map((one) => one.evidence);
  expect(evidence).toEqual([
    '3 of 4 masternodes vote and 3 are needed, without n2, because the container of n2 does not run',
    'seen at 2026-11-22 03:04:05 UTC: it was silent for 9s',
  ]);
  const read = problems.map((one) => ({ ...one, readAt: NOW - 9_000 }));
  expect(toStatus([{ ...state, problems: read }], toWall).subnets[0]?.problems[1]?.evidence).toBe(
    'seen at 2026-11-22 03:04:00 UTC: it was silent for 9s',
  );
  const restored = problems.map((one) => ({ ...one, restoredAt: NOW }));
  expect(toStatus([{ ...state, problems: restored }], toWall).subnets[0]?.problems[1]?.evidence).toBe(
    'it was silent for 9s',
  );
});

test('of one that needs somebody it prints the problems, the worst first, each with what to type, and exits with 1', async () => {
  const at = await serve(statusOf('n2'));
  const { code, stdout } = await runCommand(['status', '--url', `http://${at}/`]);
  expect(code).toBe(1);
  expect(describeStatus(statusOf('n2'), WALL)).toEqual([
    '! devnet is running, but no further node may fail',
    '  since 02:54 UTC, for 10m. The container of n2 does not run. Bring back n2 before any other work, and restart no other node; for n2: start it with `docker start generated-n2-1`.',
    '',
    '  critical: no further node may fail (open since 02:54 UTC, 10m)',
    '    3 of 4 masternodes vote and 3 are needed, without n2, because the container of n2 does not run',
    '    to do: bring back n2 before any other work, and restart no other node; for n2: start it with `docker start generated-n2-1`',
    '',
    '  warning: the container of n2 does not run (open since 02:54 UTC, 10m)',
    '    generated-n2-1 exited at 1970-01-01T02:45:30Z with code 137 (killed, as a plain docker stop does; Docker does not report it as out of memory)',
    '    to do: start it with `docker start generated-n2-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-n2-1`',
    '',
  ]);
  expect(stdout.split('\n')).toHaveLength(describeStatus(statusOf('n2'), WALL).length + 1);
  const json = await runCommand(['status', '--json', '--url', `http://${at}`]);
  expect([json.code, JSON.parse(json.stdout)]).toEqual([1, JSON.parse(JSON.stringify(statusOf('n2')))]);
});

test('it signs in with the user of the address, and says what is missing without printing the password', async () => {
  const at = await serve(statusOf(), 'secret%1');
  expect((await runCommand(['status', '--url', `http://me:${encodeURIComponent('secret%1')}@${at}`])).code).toBe(0);
  const { code, stderr } = await runCommand(['status', '--url', `http://me:wrong@${at}`]);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `subnetd status: http://${at} requires a user name and password; give them in --url http://USER:PASSWORD@…\n`,
  );
});

test('it says why nothing can be known, and exits with 2', async () => {
  const other = await serve('<html>hello</html>');
  expect(await runCommand(['status', '--url', `http://${other}`])).toEqual({
    code: 2,
    stdout: '',
    stderr: `subnetd status: http://${other}/status.json cannot be read (no JSON); start subnetd, or give its address with --url\n`,
  });
  const old = await serve({ subnets: [{ name: 'a', targets: [] }] });
  expect((await runCommand(['status', '--url', `http://${old}`])).stderr).toContain(
    'is not a status of this version of subnetd (HTTP 200)',
  );
  const closed = await runCommand(['status', '--url', await closedAddress()]);
  expect(closed.stderr).toContain('(ECONNREFUSED); start subnetd');
  expect((await runCommand(['status', '--url', 'ftp://a'])).stderr).toContain('--url must be the address of subnetd');
  expect((await runCommand(['status', '--url', 'http://a:%@127.0.0.1:1'])).code).toBe(2);
});

test('shows no character of a foreign text that a terminal would obey, in JSON and in a table', async () => {
  const status = statusOf('n2');
  const [subnet] = status.subnets;
  const [target] = subnet?.targets ?? [];
  const [check] = target?.checks ?? [];
  if (subnet === undefined || target === undefined || check === undefined) throw new Error('the status is empty');
  const reason = 'it answers \u001b[2J\u009b2J\u202e';
  const foreign = { subnets: [{ ...subnet, targets: [{ ...target, checks: [{ ...check, reason }] }] }] };
  const shown = 'it answers \\u001b[2J\\u009b2J\\u202e';
  expect(statusTable(foreign)).toContain(shown);
  const { stdout } = await runCommand(['status', '--json', '--url', `http://${await serve(foreign)}`]);
  expect(stdout).toContain(shown);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(foreign)));
});

test('says of a planned problem until when it is and why, as /status.json has it', () => {
  const planned = { reason: 'kernel upgrade', until: WALL + 3_600_000, by: 'ann', mutes: true };
  const state = stateOf(nodes('n2'));
  const problems = state.problems.map((one) => (one.name === 'n2' ? { ...one, planned } : one));
  const status = toStatus([{ ...state, problems }], toWall);
  expect(
    status.subnets[0]?.problems.map((one) => [one.name, one.planned, one.plannedUntil, one.plannedReason]),
  ).toEqual([
    [undefined, false, undefined, undefined],
    ['n2', true, '2026-11-22T04:04:09.000Z', 'kernel upgrade'],
  ]);
  expect(status.subnets[0]?.problems[1]?.plannedBy).toBe('ann');
  expect(describeStatus(status, WALL)).toContain('    planned until 2026-11-22 04:04 UTC: kernel upgrade');
});

test('says who is on a problem, as /status.json has it', () => {
  const state = stateOf(nodes('n2'));
  const acknowledged = { by: 'Anna\u001b', at: WALL };
  const problems = state.problems.map((one) => (one.name === 'n2' ? { ...one, acknowledged } : one));
  const status = toStatus([{ ...state, problems }], toWall);
  expect(status.subnets[0]?.problems.map((one) => one.acknowledged)).toEqual([
    undefined,
    { by: 'Anna\u001b', at: new Date(WALL).toISOString() },
  ]);
  const [line] = describeStatus(status, WALL).filter((one) => one.includes('acknowledged'));
  expect(line).toMatch(/^ {4}acknowledged by Anna\S+ at 03:04 UTC$/);
  expect(line).not.toContain('\u001b');
});

test('--watch ends at once with Ctrl-C, and with 2 when nothing could be known', async () => {
  const { isTTY } = process.stdout;
  const before = process.listeners('SIGINT');
  onTestFinished(() => {
    process.stdout.isTTY = isTTY;
    for (const listener of process.listeners('SIGINT')) if (!before.includes(listener)) process.off('SIGINT', listener);
  });
  process.stdout.isTTY = true;
  const url = await closedAddress();
  const running = runCommand(['status', '--watch', '--url', url]);
  await vi.waitFor(() => expect(process.listeners('SIGINT').length).toBeGreaterThan(before.length));
  process.emit('SIGINT', 'SIGINT');
  const { code, stdout } = await running;
  expect(code).toBe(2);
  expect(stdout.split('\u001b[2J')).toEqual(['', expect.stringContaining('(ECONNREFUSED); start subnetd')]);
});

test('the status of a node says what it runs, once it has said so', () => {
  const client = { name: 'nethermind', version: 'Nethermind/v1.40.0/linux-x64/dotnet10.0.1' } as const;
  const targets = nodes().map((one) =>
    one.target.name === 'n1' ? { ...one, facts: { ...one.facts, node: { ...one.facts.node, client } } } : one,
  ) as ReturnType<typeof nodes>;
  const [first, second] = toStatus([stateOf(targets)], toWall).subnets[0]?.targets ?? [];
  expect(first).toMatchObject({ name: 'n1', client: 'nethermind', version: client.version });
  expect(second).not.toHaveProperty('client');
});
