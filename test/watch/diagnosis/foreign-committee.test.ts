import { describe, expect, it } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { ClientName } from '../../../src/model/target.ts';
import { addressOf, diagnosed, diagnosedNode, NOW, STOPPED } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const STRANGERS = [`0x${'6a'.padStart(40, '0')}`, `0x${'2e'.padStart(40, '0')}`];
const CONSENSUS = { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 90, gap: 45 };

/** Four nodes that stand at block 176 of this round; what is chosen next is as given. */
function haltOf(
  round: number,
  nextEpoch: ChainObservation['nextEpoch'],
  { timeoutRound = 0, client = 'xdposchain' as ClientName, refusedAt = 0, height = 176 } = {},
) {
  const masternodes = { number: height, round, epoch: 1, active: NAMES.map(addressOf), standby: [], penalised: [] };
  const pool = { voteRounds: 0, neverSigned: [], timeouts: 1, timeoutRound };
  const chain = { consensus: CONSENSUS, masternodes, pool, ...(nextEpoch && { nextEpoch }) };
  const targets = NAMES.map((name): KnownTarget => {
    const isDown = name === 'n4' && client === 'xdposchain';
    const down = isDown ? { fault: { kind: 'refused', address: 'x' } as const, container: STOPPED } : {};
    const node = diagnosedNode(name, NAMES, { height, stalledMs: 90_000, client, chain, ...down });
    const { logs } = node.facts;
    const line = { means: 'note', count: 3, at: refusedAt, order: 1, what: '', own: false } as const;
    if (refusedAt === 0 || logs === undefined) return node;
    return { ...node, facts: { ...node.facts, logs: { ...logs, patterns: { foreign_signer: line } } } };
  });
  return diagnosed(targets).find(({ problem }) => problem === 'subnet_halted');
}

describe('a halt at the begin of an epoch', () => {
  it('whose masternodes nobody runs has its own words, whoever else is down', () => {
    for (const halt of [
      haltOf(179, { candidates: STRANGERS, penalised: [] }),
      haltOf(177, { candidates: STRANGERS, penalised: [] }, { timeoutRound: 180 }),
    ]) {
      expect(halt?.evidence).toContain(
        '; the next block begins an epoch for which the chain has chosen 0x0000…006a and 0x0000…002e, and no node here has such an address',
      );
      expect(halt?.fix).toBe(
        'a restart does not help: start nodes with the keys of the next masternodes; on a young chain, make its genesis again, whose validator contract names them, and move only the chain data out of the data folders',
      );
    }
  });

  it('is seen by the header after the gap block where epochs go by blocks', () => {
    const nextEpoch = { block: 136, candidates: STRANGERS, penalised: [] };
    expect(haltOf(190, nextEpoch, { client: 'xdc-subnet', height: 179 })?.fix).toContain('a restart does not help');
    expect(haltOf(190, nextEpoch, { client: 'xdc-subnet', height: 178 })?.fix).not.toContain('a restart does not help');
  });

  it('is seen by the log alone where no node says who is next', () => {
    expect(haltOf(179, undefined, { refusedAt: NOW - 5_000 })?.evidence).toContain(
      '; the next block begins an epoch whose masternodes are others than those that sign, by the log',
    );
    expect(haltOf(179, undefined, { refusedAt: NOW - 120_000 })?.evidence).not.toContain('epoch');
  });

  it('is one of votes as any other when the next masternodes are those of now, or it is elsewhere in the epoch', () => {
    const own = { candidates: NAMES.map(addressOf), penalised: [] };
    expect(haltOf(179, own, { refusedAt: NOW - 5_000 })?.evidence).not.toContain('epoch');
    expect(haltOf(150, { candidates: STRANGERS, penalised: [] })?.evidence).not.toContain('epoch');
    expect(haltOf(179, { candidates: [...own.candidates, STRANGERS[0] ?? ''], penalised: [] })?.evidence).not.toContain(
      'epoch',
    );
  });
});
