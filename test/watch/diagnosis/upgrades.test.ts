import { expect, it } from 'vitest';
import type { ChainObservation, DatedSettings } from '../../../src/model/chain.ts';
import { type ClientName, DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { findNodeDifferences } from '../../../src/watch/diagnosis/setup/find-node-differences.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { masternodeRows } from '../../../src/web/pages/masternodes.ts';
import { NOW as AT, diagnosed, diagnosedNode } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['subnet1', 'subnet2', 'subnet3', 'subnet4'];
const NOW = { round: 0, minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667 };
const LATER = { ...NOW, round: 7_400, minePeriodMs: 3_000 };

/** Nodes at round 2,000 with these settings. */
const nodes = (given: readonly (readonly DatedSettings[])[], clients: readonly ClientName[] = ['xdc-subnet']) =>
  NAMES.map((name, place) => {
    const { round: _, ...now } = NOW;
    const byRound = given[place % given.length] ?? [];
    const chain: Partial<ChainObservation> = { consensus: { ...now, epoch: 900, gap: 450, byRound } };
    return diagnosedNode(name, NAMES, { chain, client: clients[place % clients.length] as ClientName });
  });
const ALL = [[NOW, LATER]];
const WITHOUT_SECOND = [[NOW, LATER], [NOW], [NOW, LATER], [NOW, LATER]];
const problemsOf = (...given: Parameters<typeof nodes>) =>
  diagnosed(nodes(...given)).filter(({ problem }) => problem === 'upgrade_missing');

/** In what the set-up of these nodes differs now. */
const differencesOf = (...given: Parameters<typeof nodes>) => {
  const targets = nodes(...given);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    targets: targets.map(({ target }) => target),
    settings: DEFAULT_SETTINGS,
  };
  return findNodeDifferences(viewSubnet(subnet, judgeTargets(targets, AT), AT)).flatMap((one) => one?.problem ?? []);
};

it('a change that all nodes know is counted down, and is not a problem', () => {
  const { epoch } = stateOf(nodes(ALL));
  expect(epoch?.upgrade).toEqual({ round: 7_400, inSeconds: 10_800, change: 'period 2 → 3 s', lacking: [] });
  expect(String(masternodeRows('devnet', epoch))).toContain('period 2 → 3 s at round 7400, in about 3h.');
  expect(problemsOf(ALL)).toEqual([]);
});

it('a node that lacks it is a problem before it hurts, with the advice of its client', () => {
  expect(problemsOf(WITHOUT_SECOND)).toMatchObject([
    {
      problem: 'upgrade_missing',
      name: 'subnet2',
      summary: 'subnet2 lacks the change of the consensus settings at round 7400',
      evidence: '3 of 4 nodes follow "period 2 → 3 s" from round 7400 on, in about 3h, and subnet2 does not',
      fix: expect.stringContaining('compare genesis.json of subnet2 with that of subnet1'),
    },
  ]);
  expect(problemsOf(WITHOUT_SECOND, ['xdc-subnet', 'nethermind'])[0]?.fix).toContain('scripts/check-chainspec.sh');
  expect(String(masternodeRows('devnet', stateOf(nodes(WITHOUT_SECOND)).epoch))).toContain('; subnet2 lacks it.');
});

it('a node that does not say from when its settings hold lacks nothing, and one with another change does', () => {
  expect(problemsOf([[NOW, LATER], [], [NOW, LATER], [NOW, LATER]])).toEqual([]);
  const other = [NOW, { ...LATER, timeoutPeriodMs: 20_000 }];
  expect(problemsOf([[NOW, LATER], other, [NOW, LATER], [NOW, LATER]])).toMatchObject([{ name: 'subnet2' }]);
});

it('a change that is past is compared as the settings of now', () => {
  const past = { ...LATER, round: 1_900 };
  expect(stateOf(nodes([[NOW, past]])).epoch?.upgrade).toBeUndefined();
  const late = [[NOW, past], [NOW], [NOW, past], [NOW, past]];
  expect([problemsOf(late), differencesOf(late)]).toEqual([[], ['consensus_differs']]);
  expect(differencesOf(WITHOUT_SECOND)).toEqual([]);
});
