import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import { nameRefusal } from '../../model/explain-refusal.ts';
import {
  type CheckpointProgress,
  findSpend,
  type ParentFacts,
  type ParentObservation,
  type Spend,
  toCoins,
  type WalletFacts,
} from '../../model/parent-chain.ts';
import { DIRECTIONS, type Direction, listWallets, type PacketFacts, readLite } from '../../model/relay.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { bit, type Metric, type Metrics, ofSubnets, perSubnet, timeOf, toMetric } from './family.ts';

const ofParent = (help: string, value: (parent: ParentFacts) => number | undefined): Metric =>
  perSubnet(help, ({ facts }) => facts?.parent && value(facts.parent));

const headOf = ({ observation: { head } }: ParentFacts) => (head.ok ? head.value : undefined);

const isRead = ({ contract }: ParentObservation): boolean =>
  contract?.ok === true && contract.value.kind === 'checkpoint';

/** The contract as the last probe read it. */
const readNow = ({ facts }: SubnetState): CheckpointProgress | undefined =>
  facts?.parent && isRead(facts.parent.observation) ? facts.parent.progress : undefined;

const lagOf = (state: SubnetState) => readNow(state) && findCheckpointLag(state.targets, state.facts?.parent);

/** The wallet as the last probe read it. */
const walletNow = ({ facts }: SubnetState): WalletFacts | undefined =>
  facts?.parent?.observation.balance?.ok ? facts.parent.wallet : undefined;

const spendOf = (state: SubnetState): Spend | undefined => {
  const wallet = walletNow(state);
  return wallet && findSpend(wallet);
};

const readWallets = ({ subnet, facts }: SubnetState) =>
  listWallets(subnet.parentChain, facts).filter(({ isRead }) => isRead);

/** The packets as the last probe read them. */
function eachDirection(
  { relay }: SubnetState['facts'] = {},
  take: (direction: Direction, packets: PacketFacts) => void,
) {
  for (const direction of DIRECTIONS) {
    const packets = relay?.packets[direction];
    if (packets && relay?.observation.packets[direction]?.ok) take(direction, packets);
  }
}

/** Metrics of the parent chain and of the checkpoint contract on it, of subnets whose inventory names them. */
export const parentMetrics: Metrics = {
  subnet_parent_up: ofParent(
    'Whether the node of the parent chain gave its newest block to the last probe (1) or not (0).',
    (parent) => bit(parent.observation.head.ok),
  ),
  subnet_parent_block_number: ofParent(
    'Height of the newest block of the parent chain.',
    (parent) => headOf(parent)?.number,
  ),
  subnet_parent_block_timestamp_seconds: ofParent(
    'The time in the header of the newest block of the parent chain, in Unix seconds.',
    (parent) => headOf(parent)?.timestamp,
  ),
  subnet_checkpoint_block_number: perSubnet(
    'Height of the newest block of the subnet that the checkpoint contract counts as committed.',
    (state) => readNow(state)?.checkpoint.committed.number,
  ),
  subnet_checkpoint_lag_blocks: perSubnet(
    'Committed blocks of the subnet that the checkpoint contract did not have as committed when it was last read.',
    (state) => lagOf(state)?.blocks,
  ),
  subnet_checkpoint_lag_seconds: perSubnet(
    'Time between the block of the checkpoint and the newest committed block of the subnet when the contract was last read.',
    (state) => lagOf(state)?.seconds,
  ),
  subnet_checkpoint_advanced_timestamp_seconds: timeOf(
    perSubnet(
      'When the checkpoint last rose, at first when it was first read, in Unix seconds.',
      ({ facts }) => facts?.parent?.progress?.advancedAt,
    ),
  ),
  subnet_checkpoint_next_refused: toMetric(
    'Whether the checkpoint contract would refuse the block that the relayer submits next (1), by its words, or take it (0), with the reason none; absent while no block waits, and when nobody can say.',
    ofSubnets('reason', (state, add) => {
      const next = readNow(state)?.checkpoint.next;
      if (next !== undefined)
        add(next.refusal === undefined ? 'none' : nameRefusal(next.refusal), bit(next.refusal !== undefined));
    }),
  ),
  subnet_checkpoint_missed: perSubnet(
    'Blocks that a checkpoint contract in lite mode should have, five minutes after the subnet made them, and does not have.',
    ({ facts, reference }) => readLite(facts, reference)?.missed,
  ),
  subnet_checkpoint_buffered: perSubnet(
    'Blocks that a checkpoint contract in lite mode holds and does not count as committed, of its last ten.',
    ({ facts, reference }) => readLite(facts, reference)?.buffered,
  ),
  subnet_relayer_packets_pending: toMetric(
    'Packets of XDC-Zero that were sent and have not arrived on the other chain.',
    ofSubnets('direction', ({ facts }, add) =>
      eachDirection(facts, (direction, { pending }) => add(direction, pending)),
    ),
  ),
  subnet_relayer_packets_oldest_timestamp_seconds: timeOf(
    toMetric(
      'When the oldest of the pending packets was sent, in Unix seconds; absent while none is pending.',
      ofSubnets('direction', ({ facts }, add) =>
        eachDirection(facts, (direction, { oldestAt }) => add(direction, oldestAt)),
      ),
    ),
  ),
  subnet_relayer_wallet_balance: toMetric(
    'Balance of each wallet of the relayer that is known, on the chain on which it pays, in whole coins.',
    ofSubnets('wallet', (state, add) => {
      for (const { role, wallet } of readWallets(state)) add(role, toCoins(wallet.balance));
    }),
  ),
  subnet_relayer_wallet_days_left: toMetric(
    'How many days each wallet of the relayer lasts at what it spends; absent while that is not known, and without spend.',
    ofSubnets('wallet', (state, add) => {
      for (const { role, wallet } of readWallets(state)) add(role, findSpend(wallet)?.daysLeft);
    }),
  ),
  subnet_relayer_balance: perSubnet(
    'Balance of the wallet of the relayer on the parent chain, in whole coins.',
    (state) => {
      const wallet = walletNow(state);
      return wallet && toCoins(wallet.balance);
    },
  ),
  subnet_relayer_spend_per_day: perSubnet(
    'What the wallet of the relayer spends in a day, by up to the last 24 hours, in whole coins.',
    (state) => {
      const spend = spendOf(state);
      return spend && toCoins(spend.perDay);
    },
  ),
  subnet_relayer_days_left: perSubnet(
    'How many days the wallet of the relayer lasts at what it spends; absent while that is not known, and without spend.',
    (state) => spendOf(state)?.daysLeft,
  ),
};
