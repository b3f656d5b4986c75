import { expect, it } from 'vitest';
import type { ClientName } from '../../../src/model/target.ts';
import { addressOf, diagnosed, diagnosedNode, STOPPED } from '../../support/diagnosed.ts';

const CONSENSUS = { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 90, gap: 45 };

/** What is said of so many nodes of which the last ones are penalised, at block 426 of the epoch 5. */
const riskOf = (count: number, penalised: number, client: ClientName = 'xdposchain') => {
  const names = Array.from({ length: count }, (_, index) => `masternode${index + 1}`);
  const addresses = names.map(addressOf);
  const masternodes = {
    ...{ number: 426, round: 476, epoch: 5, standby: [] },
    ...{ active: addresses.slice(0, count - penalised), penalised: addresses.slice(count - penalised) },
  };
  const missedRounds = { epochBlock: 400, epochRound: 450, rounds: [], byMiner: {} };
  const chain = { consensus: CONSENSUS, masternodes, missedRounds };
  const nodes = names.map((name) => diagnosedNode(name, names, { height: 426, client, chain }));
  return diagnosed(nodes).find(({ problem }) => problem === 'quorum_at_risk');
};

it('a penalty that leaves three of four has no vote to spare, and says why', () => {
  expect(riskOf(4, 1)).toMatchObject({
    summary: 'no node may fail, because masternode4 is penalised',
    evidence: '4 masternodes were chosen, masternode4 is penalised, and each of the other 3 must vote',
    fix: 'restart no other node until masternode4 takes part again; keep it running: it may take part again in epoch 6, which begins with block 490 at the latest',
  });
  expect(riskOf(4, 1, 'xdc-subnet')?.fix).toContain(
    'at block 405 the chain has chosen who takes part in epoch 5, and no node says whom yet',
  );
});

it('a penalty that leaves a vote to spare, or takes none from those who never had one, is not a risk', () => {
  expect(riskOf(7, 1)).toBeUndefined();
  expect(riskOf(3, 1)).toBeUndefined();
  expect(riskOf(4, 0)).toBeUndefined();
});

it('a halt asks for no node that is penalised, as it brings no vote back', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const masternodes = {
    ...{ number: 426, round: 476, epoch: 5, standby: [] },
    ...{ active: names.slice(0, 4).map(addressOf), penalised: [addressOf('n5')] },
  };
  const nodes = names.map((name) =>
    diagnosedNode(name, names, {
      ...{ height: 426, stalledMs: 60_000, chain: { consensus: CONSENSUS, masternodes } },
      ...(name > 'n2' && { container: STOPPED, fault: { kind: 'refused', address: 'x' } as const }),
    }),
  );
  expect(diagnosed(nodes).find(({ problem }) => problem === 'subnet_halted')).toMatchObject({
    evidence: 'no block after 426 for 1m; 2 of 4 masternodes can vote, 3 needed, without n3 (stopped), n4 (stopped)',
    fix: 'bring back n3, n4: 1 more must vote; restart no other node; for n3 and n4: start them with `docker start generated-n3-1 generated-n4-1`',
  });
});
