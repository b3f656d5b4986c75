import { describe, expect, test } from 'vitest';
import type { Masternode } from '../../../src/model/snapshot.ts';
import { penalisedSubnet, youngSubnet } from '../../support/masternodes.ts';
import { renderPage } from '../../support/render-page.ts';

describe('the metrics of masternodes', () => {
  const page = renderPage([penalisedSubnet(), youngSubnet()], () => 10);
  const series = page.match(/^subnet_(?:epoch|round|masternode)\S+ .*/gm) ?? [];

  test('are of those in the inventory by their names; the others have their address, and count', () => {
    const of = (metric: string, ...values: readonly (number | undefined)[]) =>
      values.flatMap((value, index) =>
        value === undefined ? [] : [`subnet_masternode_${metric}{subnet="devnet",name="subnet${index + 1}"} ${value}`],
      );
    const info = (name: string, digit: string) =>
      `subnet_masternode_info{subnet="devnet",name="${name}",address="0x${digit.repeat(40)}"} 1`;
    const count = (status: string, value: number) => `subnet_masternodes{subnet="devnet",status="${status}"} ${value}`;
    expect(series).toEqual([
      'subnet_epoch_number{subnet="devnet"} 1',
      'subnet_epoch_first_block_number{subnet="devnet"} 900',
      'subnet_round_number{subnet="devnet"} 1720',
      ...[count('votes', 2), count('silent', 1), count('penalised', 1), count('standby', 0), count('unknown', 0)],
      ...[info('subnet1', 'a'), info('subnet2', 'b'), info('', 'c'), info('subnet3', 'd')],
      ...of('blocks_made', 264, 267, 0),
      ...of('missed_rounds', 3, 0, 0),
      ...of('votes_missing', 11, 0),
      ...of('penalised', 0, 0, 1),
      ...of('standby', 0, 0, 0),
      ...of('back_in_epoch', undefined, undefined, 2),
      ...of('leaves_in_epoch', 2),
    ]);
  });

  test('say how each keeps up with the others, where that is known', () => {
    const subnet = penalisedSubnet();
    const [first, second, ...rest] = subnet.epoch?.masternodes ?? [];
    const masternodes = [
      {
        ...first,
        lag: { missedShare: 0.15, missedAtLeast: 0.1, votesLateShare: 0.9, delayMs: 1_370, delayP95Ms: 2_000 },
      },
      { ...second, lag: { missedShare: 0.01, missedAtLeast: 0 } },
      ...rest,
    ] as unknown as Masternode[];
    const page = renderPage(
      [{ ...subnet, ...(subnet.epoch && { epoch: { ...subnet.epoch, masternodes } }) }],
      () => 10,
    );
    expect(page.match(/^subnet_masternode_(?:missed_ratio|votes_late|block_delay)\S* .*/gm)).toEqual([
      'subnet_masternode_missed_ratio{subnet="devnet",name="subnet1"} 0.15',
      'subnet_masternode_missed_ratio{subnet="devnet",name="subnet2"} 0.01',
      'subnet_masternode_votes_late_ratio{subnet="devnet",name="subnet1"} 0.9',
      'subnet_masternode_block_delay_seconds{subnet="devnet",name="subnet1"} 1.37',
    ]);
  });

  test('name those without turns in the next epoch, and say what votes that needs', () => {
    const subnet = penalisedSubnet();
    const [first, second] = subnet.epoch?.masternodes ?? [];
    const masternodes = [
      { ...first, next: { state: 'penalised', reason: 'no-block' } },
      { ...second, next: { state: 'active' } },
      { ...second, name: undefined, next: { state: 'active' } },
    ] as unknown as Masternode[];
    const next = { total: 3, required: 3, voting: 2, isChosen: false };
    const epoch = subnet.epoch && { ...subnet.epoch, masternodes, next };
    const page = renderPage([{ ...subnet, ...(epoch && { epoch }) }], () => 10);
    expect(page.match(/^subnet_(?:masternode_)?next_epoch\S+ .*/gm)).toEqual([
      'subnet_masternode_next_epoch{subnet="devnet",name="subnet1",state="penalised"} 1',
      'subnet_next_epoch_masternodes{subnet="devnet"} 3',
      'subnet_next_epoch_votes_required{subnet="devnet"} 3',
      'subnet_next_epoch_votes{subnet="devnet"} 2',
    ]);
  });

  test('count down a change of the consensus settings, and are absent without one', () => {
    const subnet = penalisedSubnet();
    const upgrade = { round: 7_400, inSeconds: 10_800, change: 'period 2 → 3 s', lacking: ['subnet2'] };
    const withUpgrade = { ...subnet, ...(subnet.epoch && { epoch: { ...subnet.epoch, upgrade } }) };
    expect(renderPage([withUpgrade], () => 10).match(/^subnet_upgrade\S+ .*/gm)).toEqual([
      'subnet_upgrade_round_number{subnet="devnet"} 7400',
      'subnet_upgrade_due_seconds{subnet="devnet"} 10800',
      'subnet_upgrade_lacking_nodes{subnet="devnet"} 1',
    ]);
    expect(page).not.toMatch(/^subnet_upgrade/m);
  });

  test('are none of a subnet that has not named its masternodes', () => {
    expect(page).toContain('subnet_nodes{subnet="young"} 1');
    expect(series.filter((one) => one.includes('young'))).toEqual([]);
  });
});
