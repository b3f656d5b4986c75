import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/cli.ts';
import { type FleetStage, readSent, startFleetStage } from '../support/fleet-stage.ts';
import {
  BEGINS_WITHIN_MS,
  ENDS_WITHIN_MS,
  firing,
  holdsLock,
  readHalts,
  resolved,
  SHARD,
  sendsAgain,
} from '../support/hot-pair.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { readStatus } from '../support/read-status.ts';

vi.setConfig({ testTimeout: 400_000 });

const BOTH = ['a', 'b'] as const;
/** Subnets by when their halt ends: while PostgreSQL is away, about when it comes back, or never. That one begins meanwhile. */
const [ENDS_MEANWHILE, ENDS_LATER, BEGINS_MEANWHILE] = ['net0', 'net1', 'net2'] as const;

let postgres: OwnPostgres;
let stage: FleetStage;
beforeAll(async () => {
  postgres = await startPostgres();
  stage = await startFleetStage(3, postgres);
  await Promise.all(BOTH.map((instance) => stage.start(instance, SHARD)));
});
afterAll(() => stage?.stop());

const findKeeper = () =>
  eventually(async () => {
    for (const instance of BOTH) if (await holdsLock(stage, instance)) return instance;
    throw new Error('none holds the lock');
  });

const messages = () => readHalts(stage);

/** What both pages show: the subnets that are halted, and what they say of the database. */
const pages = () =>
  Promise.all(
    BOTH.map(async (instance) => {
      const { subnets } = await readStatus(stage.daemons.get(instance)?.url ?? '');
      const halted = subnets.filter(({ problems }) =>
        problems.some(({ problem, state }) => problem === 'subnet_halted' && state === 'open'),
      );
      const database = /Database answers|The database does not answer/.exec(
        await (await stage.ask(instance, '/')).text(),
      )?.[0];
      return [database, ...halted.map(({ name }) => name)].join(' ');
    }),
  );
const twice = (page: string) => BOTH.map(() => page);

describe('people are notified of each begin and each end once', () => {
  const begun = firing(ENDS_MEANWHILE, ENDS_LATER, BEGINS_MEANWHILE);
  const ended = [...begun, ...resolved(ENDS_MEANWHILE)].toSorted();

  it('while the PostgreSQL of a hot pair is away, and the one that decided is killed and started again', async () => {
    const keeper = await findKeeper();
    for (const subnet of [ENDS_MEANWHILE, ENDS_LATER]) stage.subnets.set(subnet, 'stalled');
    await eventually(() => expect(messages()).toEqual(firing(ENDS_MEANWHILE, ENDS_LATER)), BEGINS_WITHIN_MS);
    for (const subnet of [ENDS_MEANWHILE, ENDS_LATER])
      await eventually(() => expect(readSent(stage, `SubnetHalted ${subnet}`).by).toEqual(new Set(BOTH)));
    await postgres.halt();
    stage.subnets.set(ENDS_MEANWHILE, 'well');
    stage.subnets.set(BEGINS_MEANWHILE, 'stalled');
    await stage.end(keeper, 'SIGKILL');
    await stage.start(keeper, SHARD);
    await eventually(() => expect(messages()).toEqual(begun), BEGINS_WITHIN_MS);
    const page = `The database does not answer ${ENDS_LATER} ${BEGINS_MEANWHILE}`;
    await eventually(async () => expect(await pages()).toEqual(twice(page)), BEGINS_WITHIN_MS);
    stage.subnets.set(ENDS_LATER, 'well');
    await eventually(() => expect(messages()).toEqual(ended), ENDS_WITHIN_MS);
  });

  it('and after it came back', async () => {
    await postgres.resume();
    await findKeeper();
    const all = [...ended, ...resolved(ENDS_LATER)].toSorted();
    await eventually(() => expect(messages()).toEqual(all), ENDS_WITHIN_MS);
    await Promise.all(BOTH.map((instance) => sendsAgain(stage, instance, BEGINS_MEANWHILE)));
    expect(messages()).toEqual(all);
    expect(await pages()).toEqual(twice(`Database answers ${BEGINS_MEANWHILE}`));
  });
});
