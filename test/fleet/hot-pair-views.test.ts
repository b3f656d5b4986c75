import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/cli.ts';
import { type FleetStage, startFleetStage } from '../support/fleet-stage.ts';
import {
  BEGINS_WITHIN_MS,
  ENDS_WITHIN_MS,
  firing,
  holdsLock,
  readHalts,
  resolved,
  SHARD,
  sendsAgain,
  sentEnds,
} from '../support/hot-pair.ts';
import { readStatus } from '../support/read-status.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Subnets by who sees that they are halted at last. */
const [BOTH, NONE, ONLY_OTHER, NEVER_KEEPER, REMOVED] = ['net0', 'net1', 'net2', 'net3', 'net4'] as const;

let stage: FleetStage;
let keeper: string;
let standby: string;
beforeAll(async () => {
  stage = await startFleetStage(5);
  for (const instance of ['a', 'b']) stage.writeInventory(stage.subnets.names, instance);
  await Promise.all(['a', 'b'].map((instance) => stage.start(instance, SHARD)));
});
afterAll(() => stage?.stop());

const signal = (instance: string, name: NodeJS.Signals) => stage.daemons.get(instance)?.child.kill(name);

const messages = () => readHalts(stage);
const problemsAt = async (instance: string, subnet: string) => {
  const { subnets } = await readStatus(stage.daemons.get(instance)?.url ?? '');
  return subnets.find(({ name }) => name === subnet)?.problems.map(({ problem, state }) => `${problem} ${state}`);
};

describe('Alertmanager hears of two instances of one shard', () => {
  const begun = firing(BOTH, NONE, ONLY_OTHER, REMOVED);
  const ended = [...begun, ...resolved(NONE, ONLY_OTHER, REMOVED)].toSorted();

  it('what the one that holds the lock sees, and nothing that only the other one sees', async () => {
    await eventually(async () => {
      const [a, b] = [await holdsLock(stage, 'a'), await holdsLock(stage, 'b')];
      expect([a, b].filter(Boolean)).toHaveLength(1);
      [keeper, standby] = a ? ['a', 'b'] : ['b', 'a'];
    });
    for (const instance of [keeper, standby])
      for (const subnet of [BOTH, NONE, ONLY_OTHER, REMOVED]) stage.subnets.set(subnet, 'stalled', undefined, instance);
    stage.subnets.set(NEVER_KEEPER, 'stalled', undefined, standby);
    await eventually(() => expect(messages()).toEqual(begun), BEGINS_WITHIN_MS);
    await eventually(
      async () => expect(await problemsAt(standby, NEVER_KEEPER)).toContain('subnet_halted open'),
      BEGINS_WITHIN_MS,
    );
    await sendsAgain(stage, standby, BOTH);
    expect(messages()).toEqual(begun);
  });

  it('one end of each alert, although the other was stopped for two minutes, sees no end, or has what left the inventory', async () => {
    for (const instance of [keeper, standby]) stage.subnets.set(NONE, 'well', undefined, instance);
    stage.subnets.set(ONLY_OTHER, 'well', undefined, keeper);
    const left = stage.subnets.names.filter((name) => name !== REMOVED);
    stage.writeInventory(left, keeper);
    signal(standby, 'SIGSTOP');
    await eventually(() => expect(messages()).toEqual(ended), ENDS_WITHIN_MS);
    signal(standby, 'SIGCONT');
    await sendsAgain(stage, standby, BOTH);
    for (const subnet of [NONE, ONLY_OTHER, REMOVED])
      await eventually(() =>
        expect(sentEnds(stage, standby, subnet).at(-1)).toBe(sentEnds(stage, keeper, subnet).at(-1)),
      );
    expect(messages()).toEqual(ended);
  });

  it('nothing else when the other is started again', async () => {
    await stage.end(standby);
    await stage.start(standby, SHARD);
    await sendsAgain(stage, standby, BOTH);
    await eventually(
      async () => expect(await problemsAt(standby, ONLY_OTHER)).toContain('subnet_halted open'),
      BEGINS_WITHIN_MS,
    );
    await sendsAgain(stage, keeper, BOTH);
    expect(messages()).toEqual(ended);
  });

  it('what the other one sees from then on when it takes over, also after the first one goes on', async () => {
    signal(keeper, 'SIGSTOP');
    const taken = [...ended, ...firing(ONLY_OTHER, NEVER_KEEPER, REMOVED)].toSorted();
    await eventually(() => expect(messages()).toEqual(taken), BEGINS_WITHIN_MS);
    signal(keeper, 'SIGCONT');
    await eventually(() => expect(sentEnds(stage, keeper, NEVER_KEEPER)).not.toEqual([]), BEGINS_WITHIN_MS);
    await sendsAgain(stage, standby, BOTH);
    expect(messages()).toEqual(taken);
  });
});
