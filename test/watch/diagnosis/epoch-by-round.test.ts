import { describe, expect, it } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { ClientName } from '../../../src/model/target.ts';
import { viewChain } from '../../../src/watch/diagnosis/chain-view.ts';
import { describeReturn } from '../../../src/watch/diagnosis/find-epoch.ts';
import { masternodeRows } from '../../../src/web/pages/masternodes.ts';
import { addressOf, diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const CONSENSUS = { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 90, gap: 45 };

/** Block 426 of round 476: the epoch 5 began with block 400 of round 450, and left n4 out. */
const PENALISED: Partial<ChainObservation> = {
  consensus: CONSENSUS,
  masternodes: {
    ...{ number: 426, round: 476, epoch: 5, standby: [] },
    ...{ active: NAMES.slice(0, 3).map(addressOf), penalised: [addressOf('n4')] },
  },
  missedRounds: { epochBlock: 400, epochRound: 450, rounds: [], byMiner: {} },
};

const nodes = (chain: Partial<ChainObservation> = PENALISED, clients: readonly ClientName[] = ['xdposchain']) =>
  NAMES.map((name, place) => {
    const client = clients[place % clients.length] as ClientName;
    return diagnosedNode(name, NAMES, { height: 426, client, chain: { address: addressOf(name), ...chain } });
  });
const epochOf = (...given: Parameters<typeof nodes>) => stateOf(nodes(...given)).epoch;

describe('an epoch of a network that counts by rounds', () => {
  it('has the number and the first block that the chain says, and ends with the last round at the latest', () => {
    const epoch = epochOf();
    expect(epoch).toMatchObject({ number: 5, firstBlock: 400, nextFirstBlock: 490, isNextAtLatest: true });
    expect(String(masternodeRows('devnet', epoch))).toContain(
      'Epoch 5 began at block 400. As of block 426, round 476. The next one begins at block 490 at the latest.',
    );
  });

  // Block and round at which epochs really began, one after another.
  it.each([
    [1, 90, 90, 174],
    [2, 174, 180, 250],
    [3, 250, 270, 332],
    [4, 332, 360, 400],
  ])('the epoch %i ends by the block that is named at its begin', (number, block, round, next) => {
    const masternodes = {
      number: block,
      round,
      epoch: number,
      active: NAMES.map(addressOf),
      standby: [],
      penalised: [],
    };
    const missedRounds = { epochBlock: block, epochRound: round, rounds: [], byMiner: {} };
    const epoch = epochOf({ consensus: CONSENSUS, masternodes, missedRounds });
    expect(epoch).toMatchObject({ number, firstBlock: block });
    expect(epoch?.nextFirstBlock).toBeGreaterThanOrEqual(next);
  });

  it('is not counted by Nethermind, which says another number', () => {
    const byNethermind = { ...PENALISED, masternodes: { ...PENALISED.masternodes, epoch: 77 } } as typeof PENALISED;
    const mixed = [...nodes().slice(0, 3), ...nodes(byNethermind, ['nethermind']).slice(3)];
    expect(stateOf(mixed).epoch).toMatchObject({ number: 5, firstBlock: 400 });
    const subnet = nodes({ ...byNethermind, consensus: { ...CONSENSUS, epoch: 400 } }, ['xdc-subnet', 'nethermind']);
    expect(stateOf(subnet).epoch).toMatchObject({ number: 1, firstBlock: 400, nextFirstBlock: 800 });
  });

  it('says when a penalised masternode may take part again, and claims nothing of the next choice', () => {
    const candidates = { candidates: NAMES.map(addressOf), penalised: [] };
    const chain = viewChain(judgeTargets(nodes({ ...PENALISED, nextEpoch: candidates }), NOW));
    expect(describeReturn({ chain, reference: 0 }, addressOf('n4'))).toBe(
      'keep it running: it may take part again in epoch 6, which begins with block 490 at the latest',
    );
    expect(epochOf({ ...PENALISED, nextEpoch: candidates })?.isNextKnown).toBe(false);
  });
});

describe('the settings of a round', () => {
  const byRound = [
    { round: 0, minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667 },
    { round: 450, minePeriodMs: 2_000, timeoutPeriodMs: 20_000, certificateThreshold: 1 },
    { round: 9_000, minePeriodMs: 5_000, timeoutPeriodMs: 50_000, certificateThreshold: 0.667 },
  ];

  it('are those of the greatest round that is not above it', () => {
    const state = stateOf(nodes({ ...PENALISED, consensus: { ...CONSENSUS, byRound } }));
    expect(state.quorum).toMatchObject({ total: 3, required: 3 });
    expect(state.stallAfterMs).toBe(28_000);
  });

  it('let the stall limit grow where timeouts in a row do', () => {
    const limitOf = (over: object) => {
      const active = { number: 426, round: 476, epoch: 5, active: NAMES.map(addressOf), standby: [], penalised: [] };
      return stateOf(nodes({ ...PENALISED, masternodes: active, consensus: { ...CONSENSUS, ...over } })).stallAfterMs;
    };
    expect(limitOf({})).toBe(28_000);
    expect(limitOf({ timeoutBase: 3, timeoutMaxExponent: 2 })).toBe(48_000);
    expect(limitOf({ timeoutBase: 3, timeoutMaxExponent: 0 })).toBe(28_000);
  });
});
