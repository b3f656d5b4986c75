import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { startSimulation } from '../../../src/demo/start-simulation.ts';
import { eventually, startDaemon } from '../../support/cli.ts';
import { startHookReceiver } from '../../support/hook-receiver.ts';
import { readStatus } from '../../support/read-status.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const LONG_MS = 120_000;
const REPEAT_S = 30;

it('an unacknowledged alert is repeated and escalated; the link of a message ends both, over a kill right after it', async () => {
  const simulation = await startSimulation({ nodes: 4, faults: ['node-down'] });
  const [onCall, boss] = [await startHookReceiver(), await startHookReceiver()];
  cleanups.push(simulation.stop, onCall.stop, boss.stop);
  const config = pathOf('subnetd.yaml');
  const severities = ['critical', 'warning'];
  const notify = [
    { name: 'on-call', webhook: { url: onCall.url }, severities, repeat: `${REPEAT_S}s` },
    { name: 'boss', webhook: { url: boss.url }, severities, repeat: `${REPEAT_S}s`, after: '20s' },
  ];
  await writeFile(config, stringify({ ...parse(simulation.inventory()), notify }));
  const outputs: (() => string)[] = [];
  const start = async () => {
    const daemon = await startDaemon(config, { SUBNETD_PUBLIC_URL: 'http://subnetd.example' });
    outputs.push(daemon.output);
    cleanups.push(() => {
      daemon.child.kill('SIGKILL');
      return daemon.finished;
    });
    return daemon;
  };
  const kindsAt = ({ requests }: typeof onCall) => requests.map(({ text }) => JSON.parse(text).kind);

  const first = await start();
  await eventually(() => expect(kindsAt(onCall)).toEqual(expect.arrayContaining(['change', 'reminder'])), LONG_MS);
  await eventually(() => expect(kindsAt(boss)).toContain('change'), LONG_MS);
  const [message] = onCall.requests.map(({ text }) => JSON.parse(text));
  const [alert] = message.alerts;
  expect(message.alerts).toHaveLength(1);
  const link = new URL(alert.links.acknowledge);
  expect(`${link.origin}${link.pathname}`).toBe(`http://subnetd.example/incidents/${alert.incident}/acknowledge`);

  const here = `${link.pathname}${link.search}`;
  const problemOf = async ({ url }: { readonly url: string }) =>
    (await readStatus(url)).subnets[0]?.problems.find(({ name }) => name === alert.name);
  for (const method of ['GET', 'HEAD']) expect((await fetch(`${first.url}${here}`, { method })).status).toBe(200);
  const form = { method: 'POST', body: new URLSearchParams({ by: 'Anna' }) };
  const forged = here.replace(/key=./, 'key=~');
  expect((await fetch(`${first.url}${forged}`)).status).toBe(403);
  expect((await fetch(`${first.url}${forged}`, form)).status).toBe(401);
  expect(await problemOf(first)).not.toHaveProperty('acknowledged');

  const answer = await fetch(`${first.url}${here}`, form);
  first.child.kill('SIGKILL');
  expect(answer.status).toBe(200);
  await first.finished;

  const second = await start();
  await eventually(
    async () => expect(await problemOf(second)).toMatchObject({ acknowledged: { by: 'Anna' } }),
    LONG_MS,
  );
  const metrics = async () => (await fetch(`${second.url}/metrics`)).text();
  await eventually(async () =>
    expect(await metrics()).toMatch(
      /^subnet_problem_acknowledged\{subnet="demo",component="\w*",name="\w*",problem="\w+"\} 1$/m,
    ),
  );
  for (const receiver of [onCall, boss])
    await eventually(() => expect(kindsAt(receiver).at(-1)).toBe('acknowledgement'), LONG_MS);
  const told = () => onCall.requests.length + boss.requests.length;
  const before = told();
  // Longer than a reminder would take.
  await new Promise((resolve) => setTimeout(resolve, (REPEAT_S + 10) * 1_000));
  expect(told()).toBe(before);
  const key = link.searchParams.get('key') ?? 'none';
  for (const output of outputs) expect(output()).not.toContain(key);
}, 600_000);
