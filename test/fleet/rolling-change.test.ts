import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPart, type Part } from '../../src/fleet/create-part.ts';
import { createMemberTracker } from '../../src/fleet/track-members.ts';
import type { FleetMember } from '../../src/model/fleet.ts';
import { type Shard, shardOf } from '../../src/model/shard.ts';

const SUBNETS = Array.from({ length: 12 }, (_, index) => `net${index}`);
const BEAT = 5;
/** A row counts as fresh for this many seconds. */
const FRESH = 15;
/** No subnet takes longer to be ready. */
const READY_WITHIN = 30;

/** What a person, or Kubernetes, does to one instance. */
interface Step {
  /** How long after the step before. */
  readonly afterS: number;
  readonly instance: string;
  /** Undefined: it is ended. */
  readonly shard: Shard | undefined;
  /** How long it does not run. */
  readonly downS: number;
}

interface Life {
  readonly shard: Shard;
  readonly part: Part;
  readonly tracker: ReturnType<typeof createMemberTracker>;
  readonly readyAfterS: number;
  /** Since when each subnet is watched, as of the last beat. */
  readonly since: Map<string, number>;
  beat: number;
}

/** A fleet in one database, second by second. Each instance beats every five seconds at its own phase. */
function createWorld(readyAfterS: (instance: string) => number) {
  const rows = new Map<string, FleetMember>();
  const lives = new Map<string, Life>();
  /** When a subnet was last ready at an instance that ran. */
  const lastReady = new Map<string, number>();
  let now = 0;

  /** The lock of an index has one holder, as long as that runs. */
  const holders = new Map<number, string>();
  const holds = (instance: string, index: number) => {
    if (!lives.has(holders.get(index) ?? '')) holders.set(index, instance);
    return holders.get(index) === instance;
  };
  const watchedBy = (life: Life) => SUBNETS.filter(life.part.isWatched);
  const isReady = (life: Life, name: string) => now - (life.since.get(name) ?? now) >= life.readyAfterS;

  const beat = (instance: string, life: Life) => {
    life.tracker.take([...rows.values()], now * 1_000);
    const members = life.tracker.read(now * 1_000);
    life.part.planWatch(members);
    const after = watchedBy(life);
    for (const name of after) if (!life.since.has(name)) life.since.set(name, now);
    for (const name of life.since.keys()) if (!after.includes(name)) life.since.delete(name);
    const planned = life.part.planKeeping(
      after.map((name) => ({ name, isReady: isReady(life, name) })),
      members,
    );
    life.beat = Math.max(life.beat, rows.get(instance)?.beat ?? 0) + 1;
    const subnets = [...planned].map(([name, one]) => ({
      ...{ name, ...one, targets: 1, failing: 0, problems: [], problemCount: 0 },
    }));
    rows.set(instance, { instance, shard: life.shard, beat: life.beat, writtenAt: 0, subnets });
  };

  return {
    start: (instance: string, shard: Shard) => {
      const part = createPart({ instance, shard }, () => holds(instance, shard.index));
      const life: Life = {
        ...{ shard, part, tracker: createMemberTracker(), readyAfterS: readyAfterS(instance) },
        ...{ since: new Map(), beat: 0 },
      };
      for (const name of watchedBy(life)) life.since.set(name, now);
      lives.set(instance, life);
    },
    end: (instance: string) => void lives.delete(instance),
    /** One second passes; `check` gets what was watched until then. */
    tick: (check: (left: readonly string[]) => void) => {
      now += 1;
      const left: string[] = [];
      for (const [instance, life] of lives) {
        if ((now + (instance.codePointAt(0) ?? 0)) % BEAT !== 0) continue;
        const before = [...life.since.keys()];
        beat(instance, life);
        left.push(...before.filter((name) => !life.since.has(name)));
      }
      for (const life of lives.values())
        for (const name of life.since.keys()) if (isReady(life, name)) lastReady.set(name, now);
      check(left);
    },
    watchers: (name: string) => [...lives].filter(([, { part }]) => part.isWatched(name)).map(([instance]) => instance),
    keepers: (name: string) => [...lives].filter(([, { part }]) => part.keeps(name)).map(([instance]) => instance),
    secondsSinceReady: (name: string) => now - (lastReady.get(name) ?? Number.NEGATIVE_INFINITY),
  };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A change of the total as the manual says it: who stays is started again, who is new is started, who is too many is ended last. */
const changes = fc
  .record({
    totals: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 4 }),
    seed: fc.infiniteStream(fc.nat({ max: 1_000 })),
    readyAfterS: fc.array(fc.integer({ min: 0, max: READY_WITHIN }), { minLength: 6, maxLength: 6 }),
    areKilled: fc.boolean(),
  })
  .map(({ totals, seed, readyAfterS, areKilled }) => {
    const next = () => seed.next().value;
    const steps = totals.slice(1).flatMap((total, index): readonly Step[] => {
      const before = totals[index] ?? total;
      const members = NAMES.slice(0, total)
        .map((instance, at) => ({ instance, shard: { index: at, total }, order: next() }))
        .sort((one, other) => one.order - other.order);
      const begun = members.map(
        ({ instance, shard }, at): Step => ({
          // A change begins when the one before is over.
          afterS: (at === 0 ? 80 : 0) + (next() % 40),
          ...{ instance, shard, downS: next() % 20 },
        }),
      );
      const again: readonly Step[] = areKilled
        ? begun.filter(() => next() % 3 === 0).map((step) => ({ ...step, afterS: next() % 20 }))
        : [];
      const ended = NAMES.slice(total, before).map(
        (instance, at): Step => ({ afterS: at === 0 ? 120 : 0, instance, shard: undefined, downS: 0 }),
      );
      return [...begun, ...again, ...ended];
    });
    return { first: totals[0] ?? 1, last: totals.at(-1) ?? 1, steps, readyAfterS, areKilled };
  });

describe('any rolling change of the number of shards', () => {
  it('leaves no subnet that somebody has watched to nobody, and ends with one watcher of each, its owner', () => {
    fc.assert(
      fc.property(changes, ({ first, last, steps, readyAfterS, areKilled }) => {
        const world = createWorld((instance) => readyAfterS[NAMES.indexOf(instance)] ?? 0);
        let twoKeepers = 0;
        const pass = (seconds: number) => {
          for (let left = seconds; left > 0; left -= 1)
            world.tick((dropped) => {
              // An owner that was killed a moment ago still counts as fresh.
              for (const name of dropped)
                expect(world.secondsSinceReady(name), name).toBeLessThanOrEqual(areKilled ? FRESH + 2 * BEAT : 0);
              const most = Math.max(...SUBNETS.map((name) => world.keepers(name).length));
              twoKeepers = most > 1 ? twoKeepers + 1 : 0;
              if (twoKeepers > 0) expect(twoKeepers).toBeLessThanOrEqual(2 * BEAT);
            });
        };
        for (const [index, instance] of NAMES.slice(0, first).entries()) world.start(instance, { index, total: first });
        pass(60);
        for (const { afterS, instance, shard, downS } of steps) {
          pass(afterS);
          world.end(instance);
          if (shard === undefined) continue;
          pass(downS);
          world.start(instance, shard);
        }
        pass(READY_WITHIN + FRESH + 3 * BEAT);
        for (const name of SUBNETS) {
          const owner = NAMES[shardOf(name, last)];
          expect(world.watchers(name), name).toEqual([owner]);
          expect(world.keepers(name), name).toEqual([owner]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
