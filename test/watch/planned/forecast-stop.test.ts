import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_EFFECTS } from '../../../src/demo/effects.ts';
import { createSubnet } from '../../../src/demo/simulated-subnet.ts';
import { BLOCK_PERIOD_MS, EPOCH } from '../../../src/demo/timeline.ts';
import type { ConsensusSettings } from '../../../src/model/chain.ts';
import type { Masternode, SubnetState, Vote } from '../../../src/model/snapshot.ts';
import type { Target } from '../../../src/model/target.ts';
import { answerWhatIf } from '../../../src/watch/planned/answer-what-if.ts';
import { findPace, forecastStop } from '../../../src/watch/planned/forecast-stop.ts';
import { many } from '../../support/page-stage.ts';

const TIMEOUT_MS = 10_000;
const SETTINGS: ConsensusSettings = {
  ...{ minePeriodMs: BLOCK_PERIOD_MS, timeoutPeriodMs: TIMEOUT_MS, certificateThreshold: 0.667 },
  ...{ epoch: 900, gap: 450 },
};
const SERVICES = [
  { component: 'relayer', name: 'relayer', readsFrom: 'subnet1' },
  { component: 'stats', name: 'stats', readsFrom: 'subnet2', url: 'http://10.0.0.2:5000' },
  { component: 'frontend', name: 'frontend', container: { name: 'f', engine: 'second' } },
  { component: 'bootnode', name: 'bootnode' },
];

/** A subnet in which these do not vote, by the place of each in the order of turns. */
function subnetOf(
  names: readonly string[],
  votes: readonly Vote[] = [],
  services: readonly object[] = [],
  regions: readonly (string | undefined)[] = [],
): SubnetState {
  const nodes = names.map((name, place) => ({
    ...{ component: 'node', name, rpc: `http://10.0.0.${name.slice(6)}:8545`, region: regions[place] },
  }));
  const targets = [...nodes, ...services].map(
    (one) => ({ ...one, subnet: 'devnet', logFiles: [] }) as unknown as Target,
  );
  const masternodes = names.map((name, place): Masternode => ({ address: name, name, vote: votes[place] ?? 'votes' }));
  const active = masternodes.filter(({ vote }) => vote !== 'penalised' && vote !== 'standby');
  return {
    subnet: { name: 'devnet', targets },
    targets: targets.map((target) => ({
      ...{ target, checks: [] },
      facts: target.component === 'node' ? { node: { chain: { observation: { consensus: SETTINGS } } } } : {},
    })),
    problems: [],
    quorum: {
      total: active.length,
      required: Math.ceil(active.length * 0.667),
      voting: active.filter(({ vote }) => vote !== 'silent').length,
    },
    epoch: { round: 1_000, masternodes },
  } as unknown as SubnetState;
}

const targetsOf = ({ subnet: { targets } }: SubnetState, names: readonly string[]): ReadonlySet<Target> =>
  new Set(targets.filter(({ name }) => names.includes(name)));

test('1,000 of 1,000 random stops come out as the forecast says, on the simulated chain', () => {
  const draw = fc.integer({ min: 4, max: 21 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      down: fc.uniqueArray(fc.nat(count - 1), { maxLength: Math.floor(count / 3) }),
      regions: fc.array(fc.constantFrom('eu', 'us', 'asia', undefined), { minLength: count, maxLength: count }),
      stop: fc.uniqueArray(fc.oneof(fc.nat(count - 1), fc.constantFrom('eu', 'us', 'asia')), {
        ...{ minLength: 1, maxLength: count },
      }),
    }),
  );
  fc.assert(
    fc.property(draw, ({ count, down, regions, stop: drawn }) => {
      // A region in which nothing is would be refused.
      const words: readonly (number | string)[] = drawn.filter(
        (one) => typeof one === 'number' || regions.includes(one),
      );
      fc.pre(words.length > 0);
      const stop = [...Array(count).keys()].filter((at) => words.includes(at) || words.includes(regions[at] ?? ''));
      const names = many(count);
      const nameAt = (place: number) => names[place] ?? '';
      const before = subnetOf(
        names,
        names.map((_, place) => (down.includes(place) ? 'silent' : 'votes')),
        [],
        regions,
      );
      const typed = words.map((one) => (typeof one === 'number' ? nameAt(one) : `region:${one}`));
      const result = answerWhatIf([before], undefined, typed);
      const [forecast] = result.ok ? result.forecasts : [];

      let now = 1_700_000_000_000;
      const simulated = createSubnet(names, { ...NO_EFFECTS, down: down.map(nameAt) }, () => now, [], TIMEOUT_MS);
      now += 60_000;
      simulated.apply({ ...NO_EFFECTS, down: [...new Set([...down, ...stop])].map(nameAt) });
      const away = new Set([...down, ...stop]).size;
      const cycleMs = (count - away) * BLOCK_PERIOD_MS + away * TIMEOUT_MS;
      const cycles = Math.floor(400 / count);
      // Each epoch begins with the first masternode, in the middle of a cycle, so all of it is in one.
      const left = EPOCH - (simulated.chain.block(simulated.chain.heightAt(now)).round % EPOCH);
      if (left < (cycles + 1) * count) now += (Math.ceil(left / count) + 1) * cycleMs;
      const heightBefore = simulated.chain.heightAt(now);
      const minutes = (cycles * cycleMs) / 60_000;
      now += cycles * cycleMs;
      const blocks = simulated.chain.heightAt(now) - heightBefore;

      // A quorum that was lost before is a halt, which the forecast says as one.
      expect(forecast?.makesBlocks).toBe(blocks > 0);
      expect(forecast?.blocksPerMinute).toBeCloseTo(blocks / minutes, 6);
    }),
    { numRuns: 1_000 },
  );
}, 180_000);

test('blocks are final where three rounds in a row bring one each, also over the end of the order', () => {
  const commits = (turns: string) =>
    findPace(
      [...turns].map((one) => one === 'x'),
      SETTINGS,
    ).commits;
  expect(['x', 'xx', 'xxx', 'xxx.', 'xx.x', 'x.xx', '.xxx', 'xx.xx.xxx'].map(commits)).toEqual(Array(8).fill(true));
  expect(['xx.xx.', 'x.x.x.x.', '.xx.xx', 'xx.'].map(commits)).toEqual(Array(4).fill(false));
});

test('timeouts in a row grow as the settings of the chain have it', () => {
  const growing = { ...SETTINGS, timeoutBase: 2, timeoutMaxExponent: 1 };
  // Ten, twenty and twenty seconds, then two blocks.
  expect(findPace([true, false, false, false, true], growing).blocksPerMinute).toBeCloseTo(120 / 54, 9);
  expect(findPace([false, true, true, false, false], growing).blocksPerMinute).toBeCloseTo(120 / 54, 9);
});

describe('the words', () => {
  const names = many(4);
  const tell = (state: SubnetState, ...stop: readonly string[]) => forecastStop(state, targetsOf(state, stop)).effects;
  const state = subnetOf(names, [], SERVICES);

  test('say that blocks come, how slowly, and what each service does', () => {
    expect(tell(state, 'subnet2')).toEqual([
      'devnet makes blocks: 3 of 4 masternodes vote, 3 needed, so no other may fail',
      'about 11 blocks a minute come, as each turn of subnet2 times out',
      'the stats server reads from subnet2 and shows no new block until it is back',
    ]);
    expect(tell(state, 'relayer', 'frontend', 'bootnode', 'stats')).toEqual([
      'devnet makes blocks: 4 of 4 masternodes vote, 3 needed, so 1 more may fail',
      'no block of the subnet reaches the parent chain while the relayer is stopped',
      'nobody sees the stats server meanwhile',
      'nobody sees the frontend meanwhile',
      'a node that starts meanwhile finds no peers by the bootnode',
    ]);
  });

  test('count the masternode that is probably that of a node which is stopped', () => {
    const { masternodes = [], ...epoch } = state.epoch ?? {};
    const unnamed = masternodes.map(({ name, ...one }) =>
      name === 'subnet2' ? { ...one, presumed: name } : { ...one, name },
    );
    const probably = { ...state, epoch: { ...epoch, masternodes: unnamed } } as unknown as SubnetState;
    expect(tell(probably, 'subnet2')).toEqual(tell(state, 'subnet2'));
    expect(tell(probably, 'subnet3')).toEqual(tell(state, 'subnet3'));
  });

  test('say that it halts, for whatever reads from whom', () => {
    expect(tell(state, 'subnet3', 'subnet4')).toEqual([
      'devnet halts: 2 of 4 masternodes vote, 3 needed',
      'the relayer submits nothing, as no block comes',
      'the stats server shows no new block, as no block comes',
    ]);
    const halted = { ...state, problems: [{ problem: 'subnet_halted', state: 'open' }] } as unknown as SubnetState;
    expect(tell(halted, 'subnet3')[0]).toBe('enough masternodes of devnet can vote, yet it is halted now');
    expect(tell(halted, 'subnet3', 'subnet4')[0]).toBe('devnet stays halted: 2 of 4 masternodes vote, 3 needed');
    // It may be, which is confirmed later.
    const quiet = { ...state, quietMs: 18_000 };
    expect(tell(quiet, 'subnet3')[0]).toBe('enough masternodes of devnet can vote, yet no block has come for 18s');
    expect(forecastStop(quiet, targetsOf(quiet, ['subnet3']))).toMatchObject({
      makesBlocks: null,
      blocksPerMinute: null,
    });
  });

  test('say that blocks are not final where they never come three in a row', () => {
    const six = subnetOf(many(6), []);
    const few = { ...six, quorum: { total: 6, required: 4, voting: 6 } };
    expect(tell(few, 'subnet3', 'subnet6').slice(1)).toEqual([
      'about 8.6 blocks a minute come, as each turn of those who are stopped times out',
      'no block is final, as three rounds in a row never bring one each',
    ]);
  });

  test('say that no block is committed now, beside a problem that says so', () => {
    const stalled = (stage: string) =>
      ({ ...state, problems: [{ problem: 'finality_stalled', state: stage }] }) as unknown as SubnetState;
    const told = (one: SubnetState) => {
      const { makesBlocks, commitsBlocks, effects } = forecastStop(one, targetsOf(one, ['subnet1']));
      return [makesBlocks, commitsBlocks, effects[2]];
    };
    const unknown = 'no block is committed now, and nobody knows whether one will be';
    expect(told(stalled('suspected'))).toEqual([true, null, unknown]);
    expect(told(stalled('open'))).toEqual([true, null, unknown]);
    expect(told(stalled('clearing'))).toEqual(told(state));
    expect(told(state)[1]).toBe(true);
  });

  test('say what nobody knows', () => {
    const doubtful = subnetOf(names, ['votes', 'votes', 'unknown', 'votes']);
    expect(forecastStop(doubtful, targetsOf(doubtful, ['subnet4']))).toMatchObject({
      makesBlocks: null,
      blocksPerMinute: null,
      effects: ['nobody knows whether devnet halts: 2 or 3 of 4 masternodes vote, 3 needed'],
    });
    // One that is counted may not vote: it has missed its turn.
    const four = subnetOf(names);
    const mayNot = (place: number, change: Partial<Masternode>) => {
      const masternodes = four.epoch?.masternodes.map((one, at) => (at === place ? { ...one, ...change } : one));
      return { ...four, epoch: { ...four.epoch, masternodes } } as SubnetState;
    };
    expect(tell(mayNot(1, { isDoubtful: true }), 'subnet4')[0]).toBe(
      'nobody knows whether devnet halts: 2 or 3 of 4 masternodes vote, 3 needed',
    );
    expect(tell(mayNot(1, { isDoubtful: true }), 'subnet2')[1]).toBe(
      'about 11 blocks a minute come, as each turn of subnet2 times out',
    );
    // Where it is not stopped, its turn may time out as well.
    expect(forecastStop(mayNot(1, { isDoubtful: true }), new Set()).blocksPerMinute).toBeCloseTo(11, 0);
    // Nor does it lose a turn that another node with its key takes.
    const twins = mayNot(1, { alsoOf: ['subnet5'] });
    expect(tell(twins, 'subnet2')).toEqual([
      'devnet makes blocks: 4 of 4 masternodes vote, 3 needed, so 1 more may fail',
    ]);
    const { quorum: _, ...unread } = doubtful;
    expect(forecastStop(unread, targetsOf(unread, ['subnet4']))).toMatchObject({
      makesBlocks: null,
      voting: null,
      effects: ['nothing is known about the votes of devnet now'],
    });
  });

  test('count no turn of who has none', () => {
    const penalised = subnetOf(many(5), ['votes', 'votes', 'penalised', 'votes', 'votes']);
    expect(tell(penalised, 'subnet3')).toEqual([
      'devnet makes blocks: 4 of 4 masternodes vote, 3 needed, so 1 more may fail',
    ]);
  });
});

describe('what is stopped', () => {
  const state = subnetOf(many(4), [], SERVICES);
  const other = {
    ...state,
    subnet: {
      ...state.subnet,
      name: 'other',
      targets: state.subnet.targets.map((one) => ({ ...one, subnet: 'other' })),
    },
  };
  const stopped = (subnet: string | undefined, ...words: readonly string[]) => {
    const result = answerWhatIf([state, other], subnet, words);
    return result.ok ? result.forecasts.map((one) => `${one.subnet}: ${one.stopped.join(' ')}`) : result.error;
  };

  test('is named, or all of an engine or a host, of one subnet or of all', () => {
    expect(stopped('devnet', 'subnet2', 'relayer')).toEqual(['devnet: subnet2 relayer']);
    expect(stopped('devnet', 'host:10.0.0.2')).toEqual(['devnet: subnet2 stats']);
    expect(stopped(undefined, 'engine:second')).toEqual(['devnet: frontend', 'other: frontend']);
  });

  test('is refused where nobody has it, or several do', () => {
    expect(stopped(undefined, 'subnet2')).toBe('several subnets have subnet2, so name the subnet: devnet, other');
    expect(stopped('nowhere', 'subnet2')).toBe('the inventory has no such subnet; it has devnet, other');
    expect(stopped('devnet', 'subnet9')).toBe(
      'nothing in devnet is subnet9; name targets, or all of a Docker Engine, a host or a region as engine:NAME, host:NAME or region:NAME',
    );
    expect(stopped('devnet', 'toString:x')).toContain('nothing in devnet is toString:x');
  });
});

describe('a region', () => {
  const placed = SERVICES.map((service) => (service.name === 'relayer' ? { ...service, region: 'eu' } : service));
  const state = subnetOf(many(4), [], placed, ['eu', 'asia', 'us']);
  const reader = { ...SERVICES[1], region: 'mars' };
  const other = subnetOf(many(6), [], [reader], ['us', undefined, undefined, undefined, undefined, 'eu']);
  const rename = (name: string, { subnet, ...rest }: SubnetState): SubnetState => ({
    ...rest,
    subnet: { ...subnet, name, targets: subnet.targets.map((one) => ({ ...one, subnet: name })) },
  });
  const all = [state, rename('other', other)];
  const told = (subnet: string | undefined, ...words: readonly string[]) => {
    const result = answerWhatIf(all, subnet, words);
    return result.ok ? result.forecasts.flatMap(({ effects }) => effects) : result.error;
  };
  const HOW = 'give a node, bootnode or service its own with a line such as region: eu in the inventory';

  test('stops with all that is in it, nodes and services', () => {
    expect(told('devnet', 'region:eu')).toEqual([
      'devnet makes blocks: 3 of 4 masternodes vote, 3 needed, so no other may fail',
      'about 11 blocks a minute come, as each turn of subnet1 times out',
      'no block of the subnet reaches the parent chain while the relayer is stopped',
    ]);
  });

  test('stops with another one, or with what is in none', () => {
    const halted = [
      'devnet halts: 2 of 4 masternodes vote, 3 needed',
      'no block of the subnet reaches the parent chain while the relayer is stopped',
      'the stats server reads from subnet2 and shows no new block until it is back',
    ];
    expect(told('devnet', 'region:eu', 'region:asia')).toEqual(halted);
    expect(told('devnet', 'region:eu', 'subnet4', 'relayer')).toEqual([
      ...halted.slice(0, 2),
      'the stats server shows no new block, as no block comes',
    ]);
  });

  test('stops in every subnet that has it, and in no other', () => {
    expect(told(undefined, 'region:us', 'region:mars')).toEqual([
      'devnet makes blocks: 3 of 4 masternodes vote, 3 needed, so no other may fail',
      'about 11 blocks a minute come, as each turn of subnet3 times out',
      'other makes blocks: 5 of 6 masternodes vote, 5 needed, so no other may fail',
      'about 15 blocks a minute come, as each turn of subnet1 times out',
      'nobody sees the stats server meanwhile',
    ]);
    expect(told(undefined, 'region:asia')).toHaveLength(3);
  });

  test('that nothing is in is refused, with those that there are', () => {
    expect(told(undefined, 'region:eu', 'region:moon')).toBe(
      `nothing in the inventory is region:moon; the regions are asia, eu, mars, us; ${HOW}`,
    );
    expect(told('devnet', 'region:mars')).toBe(
      `nothing in devnet is region:mars; the regions are asia, eu, us; ${HOW}`,
    );
    const none = answerWhatIf([subnetOf(many(4))], undefined, ['region:eu']);
    expect(none).toEqual({
      ...{ ok: false, kind: 'unknown' },
      error: `nothing in the inventory is region:eu; no target has a region yet; ${HOW}`,
    });
  });
});
