import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closedAddress } from '../support/pages.ts';
import { runCommand } from '../support/run-command.ts';

type Answer = readonly [status: number, body: unknown];

const answer = (safe: boolean, reason: string, known = true): Answer => [
  safe ? 200 : 409,
  { safe, reason, required: 3, voting: 4, headroom: 1, known, subnet: 'devnet', node: 'n1' },
];
const YES = answer(true, '3 other masternodes vote, 3 needed');

/** A daemon that gives these answers in turn, the last one from then on. */
async function serve(...answers: readonly Answer[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.authorization ?? ''} ${request.url}`.trim());
    const [status, body] = answers[Math.min(asked.length, answers.length) - 1] ?? [404, ''];
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const run = (at: string, ...flags: readonly string[]) =>
  runCommand(['safe-to-restart', 'n1', '--url', `http://${at}`, ...flags]);

test('yes is exit code 0, no is 1, and what nobody knows is 2, each with the reason', async () => {
  const { at, asked } = await serve(
    YES,
    answer(false, 'n2 is being stopped'),
    answer(false, 'no probe of n2 has ended yet', false),
  );
  expect(await run(at)).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'n1 may be restarted now: 3 other masternodes vote, 3 needed\n',
  });
  expect(await run(at, '--subnet', 'a b')).toEqual({
    ...{ code: 1, stderr: '' },
    stdout: 'n1 may not be restarted now: n2 is being stopped\n',
  });
  expect(await run(at)).toEqual({
    ...{ code: 2, stdout: '' },
    stderr:
      'subnetd safe-to-restart: it cannot be determined whether n1 may be restarted: no probe of n2 has ended yet\n',
  });
  expect(asked.slice(0, 2)).toEqual(['/safe-to-restart?node=n1', '/safe-to-restart?subnet=a+b&node=n1']);
});

test('JSON for programs is what the daemon says, with the same exit code', async () => {
  const no = answer(false, 'n2 is being stopped');
  const { at } = await serve(YES, no);
  for (const [code, [, body]] of [
    [0, YES],
    [1, no],
  ] as const) {
    const { stdout, ...ended } = await run(at, '--json');
    expect(ended).toEqual({ code, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(body);
  }
});

test('it waits for yes, and says what for when that changes', async () => {
  const { at, asked } = await serve(
    answer(false, 'n2 was started 2s ago and must run for a minute'),
    answer(false, 'n2 was started 1m 4s ago and must run for a minute'),
    YES,
  );
  expect(await run(at, '--wait', '1m')).toEqual({
    code: 0,
    stdout: 'n1 may be restarted now: 3 other masternodes vote, 3 needed\n',
    stderr: 'waiting to restart n1: n2 was started 2s ago and must run for a minute\n',
  });
  expect(asked).toHaveLength(3);
});

test('when the time is over the last answer counts', async () => {
  const { at } = await serve(answer(false, 'n2 is being stopped'));
  expect(await run(at, '--wait', '100ms')).toMatchObject({
    code: 1,
    stdout: 'n1 may not be restarted now after 100ms of waiting: n2 is being stopped\n',
  });
});

test('a node that there is not, and a wrong password, end the waiting', async () => {
  const { at } = await serve([404, 'devnet has no such node; it has n2\n'], [401, ''], [400, '<html>']);
  const why = 'subnetd safe-to-restart: it cannot be determined whether n1 may be restarted: ';
  expect(await run(at, '--wait', '10m')).toMatchObject({
    code: 2,
    stderr: `${why}devnet has no such node; it has n2\n`,
  });
  expect(await run(`me:wrong@${at}`, '--wait', '10m')).toMatchObject({
    code: 2,
    stderr: `${why}http://${at} requires a user name and password; give them in --url http://USER:PASSWORD@…\n`,
  });
  expect(await run(at, '--wait', '10m')).toMatchObject({
    code: 2,
    stderr: `${why}http://${at} gave an unexpected answer (HTTP 400); start subnetd, or give its address with --url\n`,
  });
});

test('it signs in with the user of the address', async () => {
  const { at, asked } = await serve(YES);
  expect((await run(`me:secret@${at}`)).code).toBe(0);
  expect(asked).toEqual([`Basic ${btoa('me:secret')} /safe-to-restart?node=n1`]);
});

test('a daemon that is not there, another program and a wrong flag are exit code 2', async () => {
  const closed = new URL(await closedAddress()).host;
  expect(await run(closed)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('(ECONNREFUSED); start subnetd'),
  });
  // A program that says 200 to everything has not said yes.
  for (const other of [
    [200, '<html>'],
    [200, { safe: 'yes' }],
    [409, { ...Object(YES[1]) }],
  ] as const) {
    const { at } = await serve(other);
    expect(await run(at)).toMatchObject({ code: 2, stderr: expect.stringContaining('gave an unexpected answer') });
  }
  expect((await run(closed, '--wait', 'long')).stderr).toBe(
    'subnetd safe-to-restart: --wait must be a duration, such as 10m\n',
  );
  expect((await runCommand(['safe-to-restart', 'n1', '--url', 'ftp://a'])).stderr).toBe(
    'subnetd safe-to-restart: --url must be the address of subnetd, such as http://127.0.0.1:10545\n',
  );
  expect((await runCommand(['safe-to-restart'])).code).toBe(2);
});
