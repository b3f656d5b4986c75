import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shardOf } from '../../src/model/shard.ts';
import { eventually } from '../support/cli.ts';
import { type FleetStage, nameAlert, observeStage, readSent, startFleetStage } from '../support/fleet-stage.ts';

const WITHIN_MS = 240_000;
vi.setConfig({ testTimeout: WITHIN_MS });

/** Of the first twelve, shard 3 of four has net0, net2, net3, net7 and net8; of three shards, each has one of them or more. */
const AT_RISK = ['net0', 'net3', 'net5'];
const HALTED = ['net1', 'net2', 'net7'];
const FIRING = [
  ...AT_RISK.map((name) => `SubnetQuorumAtRisk ${name}`),
  ...HALTED.map((name) => `SubnetHalted ${name}`),
].toSorted();
/** The first of them moves, and the second stays. */
const REMOVED = ['net3', 'net5'];
const isRemoved = (alert: string) => REMOVED.some((name) => alert.endsWith(name));

let stage: FleetStage;
let observed: ReturnType<typeof observeStage>;
beforeAll(async () => {
  stage = await startFleetStage(12);
  for (const name of AT_RISK) stage.subnets.set(name, 'gone', 'n2');
  for (const name of HALTED) stage.subnets.set(name, 'stalled');
  observed = observeStage(stage);
});
afterAll(async () => {
  await observed?.stop();
  await stage?.stop();
});

const instanceOf = (index: number) => `shard-${index}`;
const ownerOf = (subnet: string, total: number) => instanceOf(shardOf(subnet, total));
const ownersOf = (subnet: string) => new Set([ownerOf(subnet, 3), ownerOf(subnet, 4)]);
const start = (index: number, total: number) => stage.start(instanceOf(index), { index, total });
const restart = async (index: number, total: number, signal?: NodeJS.Signals) => {
  await stage.end(instanceOf(index), signal);
  await start(index, total);
};

/** Waits until each subnet is watched by its owner alone. */
const ownersWatch = (total: number, names: readonly string[]) =>
  eventually(async () => {
    for (let index = 0; index < total; index += 1) {
      const owned = names.filter((name) => shardOf(name, total) === index);
      expect((await stage.watchedBy(instanceOf(index))).toSorted(), instanceOf(index)).toEqual(owned.toSorted());
    }
  }, WITHIN_MS);

/** What Alertmanager notified of, and what people got through the channel. */
const messages = () =>
  stage.webhook.messages
    .flatMap(({ status, alerts }) => alerts.map(({ labels }) => `${status} ${nameAlert(labels)}`))
    .filter((one) => !one.includes('Watchdog'))
    .toSorted();
const posts = () =>
  stage.channel.requests
    .flatMap(({ text }) => {
      const { alerts } = JSON.parse(text) as { readonly alerts: readonly Readonly<Record<string, string>>[] };
      return alerts.map(({ status, alert, subnet }) => `${status} ${alert} ${subnet}`);
    })
    .toSorted();
const begun = FIRING.map((one) => `firing ${one}`);

/** The changes of the problems of a subnet, and the addresses of its incidents, as the pages of an instance show them. */
const readPast = async (instance: string, subnet: string) => {
  const history = await (await stage.ask(instance, `/history.json?subnet=${subnet}`)).json();
  const { changes } = history as { readonly changes: readonly { readonly problem?: string; readonly is: string }[] };
  const page = await (await stage.ask(instance, `/incidents?subnet=${subnet}`)).text();
  return {
    problems: changes.flatMap(({ problem, is }) => (problem === undefined ? [] : [`${problem} ${is}`])),
    incidents: [...new Set([...page.matchAll(/\/incidents\/(\d{8}-\d{6}-[0-9a-f]{8})/g)].map(([, id]) => id))],
  };
};

describe('alerts that stand while the number of shards changes', () => {
  it('are of subnets of three shards, and each is sent once', async () => {
    await Promise.all([0, 1, 2].map((index) => start(index, 3)));
    await eventually(() => expect(messages()).toEqual(begun), WITHIN_MS);
    await eventually(() => expect(posts()).toEqual(begun), WITHIN_MS);
    await ownersWatch(3, stage.subnets.names);
  });

  it('go on when three become four, although the new owner and an old one are killed meanwhile', async () => {
    const past = await readPast(ownerOf('net7', 3), 'net7');
    expect(past).toMatchObject({ problems: ['subnet_halted open'], incidents: [expect.any(String)] });
    await Promise.all([start(3, 4), restart(2, 4)]);
    await stage.end(instanceOf(3), 'SIGKILL');
    await restart(1, 4);
    await eventually(async () => expect(await stage.watchedBy(instanceOf(1))).toContain('net0'));
    await Promise.all([restart(1, 4, 'SIGKILL'), start(3, 4), restart(0, 4)]);
    await ownersWatch(4, stage.subnets.names);
    for (const name of FIRING)
      await eventually(() => expect(readSent(stage, name).by).toEqual(ownersOf(name.split(' ')[1] ?? '')));
    await eventually(async () => expect(await readPast(ownerOf('net7', 4), 'net7')).toEqual(past));
    expect([messages(), posts()]).toEqual([begun, begun]);
  });

  it('go on when four become three, although the old owner is killed, and end for what has left the inventory', async () => {
    const past = await readPast(ownerOf('net7', 4), 'net7');
    await Promise.all([0, 1].map((index) => restart(index, 3)));
    expect(await stage.watchedBy(instanceOf(0)), 'it begins to watch its own').toContain('net7');
    await stage.end(instanceOf(3), 'SIGKILL');
    const left = stage.subnets.names.filter((name) => !REMOVED.includes(name));
    stage.writeInventory(left);
    await restart(2, 3);
    await ownersWatch(3, left);
    const ended = [...begun, ...REMOVED.map((name) => `resolved SubnetQuorumAtRisk ${name}`)];
    const resolvedWithin = 120_000;
    await eventually(() => expect(messages()).toEqual(ended), resolvedWithin);
    await eventually(() => expect(posts()).toEqual(ended), resolvedWithin);
    await eventually(async () => expect(await readPast(ownerOf('net7', 3), 'net7')).toEqual(past));
  });

  it('are shown all the time with one start and one text, and no subnet has moved that need not', async () => {
    await observed.stop();
    expect([...observed.alerts.keys()].sort()).toEqual(FIRING);
    for (const [name, { starts, texts, isMissing }] of observed.alerts)
      expect([starts.size, [...texts].length, isMissing], name).toEqual([1, 1, isRemoved(name)]);
    const textOf = (name: string) => [...(observed.alerts.get(name)?.texts ?? [])][0];
    expect(textOf('SubnetHalted net7')).toBe(
      'The subnet net7 is halted. No node of net7 shows new blocks. More than two thirds of the masternodes must run and reach each other: 3 of 4, or all of 3. The status page names the nodes that are missing and the command for each. Seen at #: no block after # for #; 4 of 4 masternodes can vote, 3 needed. To do: if no block has come by #, restart n1, n2, n3 and n4, all of them at once; wait until then, as the sync messages that nodes send at their third time-out often end this.',
    );
    expect(textOf('SubnetQuorumAtRisk net0')).toBe(
      'The subnet net0 halts when one more node fails. As many nodes of net0 as it can lose take no part. The status page names them and the command for each. Bring them back before any other work, and restart no other node. Seen at #: 3 of 4 masternodes vote and 3 are needed, without n2, because n2 does not answer. To do: bring back n2 before any other work, and restart no other node; for n2: see that n2 runs and that its RPC port is reachable from here, and read the log of the node n2.',
    );
    for (const name of stage.subnets.names) expect(observed.watchers.get(name), name).toEqual(ownersOf(name));
  });
});
