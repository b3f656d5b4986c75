import { type Epoch, type Masternode, VOTES } from '../../model/snapshot.ts';
import { bit, escapeLabel, type Metric, type Metrics, ofSubnets, perSubnet, toMetric } from './family.ts';

const ofEpoch = (help: string, value: (epoch: Epoch) => number | undefined): Metric =>
  perSubnet(help, ({ epoch }) => epoch && value(epoch));

/** Of each that has a name in the inventory: two without would be one series. */
const masternode = (help: string, value: (masternode: Masternode) => number | undefined): Metric =>
  toMetric(
    help,
    ofSubnets('name', ({ epoch }, add) => {
      for (const one of epoch?.masternodes ?? []) if (one.name !== undefined) add(one.name, value(one));
    }),
  );

/** The metrics of the current epoch and its masternodes, in the order of the page. */
export const masternodeMetrics: Metrics = {
  subnet_epoch_number: ofEpoch('The current epoch of the chain, counted from 0.', ({ number }) => number),
  subnet_epoch_first_block_number: ofEpoch('The block that began the current epoch.', ({ firstBlock }) => firstBlock),
  subnet_round_number: ofEpoch('The round of the newest block for which masternodes are known.', ({ round }) => round),
  subnet_upgrade_round_number: ofEpoch(
    'The round of the next change of the consensus settings; absent while none is to come.',
    ({ upgrade }) => upgrade?.round,
  ),
  subnet_upgrade_due_seconds: ofEpoch(
    'Time until the next change of the consensus settings, if each round takes its period; absent while none is to come.',
    ({ upgrade }) => upgrade?.inSeconds,
  ),
  subnet_upgrade_lacking_nodes: ofEpoch(
    'Nodes that do not know the next change of the consensus settings; absent while none is to come.',
    ({ upgrade }) => upgrade?.lacking.length,
  ),
  subnet_masternodes: toMetric(
    'Masternodes of the epoch by what they do: votes, silent, penalised, standby or unknown; with those that are not in the inventory.',
    ofSubnets('status', ({ epoch }, add) => {
      if (epoch === undefined) return;
      for (const status of VOTES) add(status, epoch.masternodes.filter(({ vote }) => vote === status).length);
    }),
  ),
  subnet_masternode_info: {
    labels: 'subnet, name, address',
    help: 'A masternode by its address, penalised or not; always 1. The name is empty when no node of the inventory has that address.',
    samples: [
      ofSubnets('', ({ epoch }, add) => {
        for (const { name = '', address } of epoch?.masternodes ?? [])
          add(`,name="${escapeLabel(name)}",address="${address}"`, 1);
      }),
    ],
  },
  subnet_masternode_blocks_made: masternode(
    'Blocks of the epoch that the masternode made: its turns without its missed rounds.',
    ({ blocksMade }) => blocksMade,
  ),
  subnet_masternode_missed_rounds: masternode(
    'Rounds of the epoch in which the masternode made no block in its turn.',
    ({ missedRounds }) => missedRounds,
  ),
  subnet_masternode_votes_missing: masternode(
    'The newest rounds for which no node has a vote of the masternode; 0 as soon as one node has one.',
    ({ votesMissing }) => votesMissing,
  ),
  subnet_masternode_missed_ratio: masternode(
    'The share of its latest turns in which the masternode made no block while its node took part, from 0 to 1; older turns count less.',
    ({ lag }) => lag?.missedShare,
  ),
  subnet_masternode_votes_late_ratio: masternode(
    'The share of the latest rounds that reached their quorum without the vote of the masternode, from 0 to 1, by the pools of other nodes.',
    ({ lag }) => lag?.votesLateShare,
  ),
  subnet_masternode_block_delay_seconds: masternode(
    'How much later than in half of the logs a new block comes in the log of the masternode: the median of the last quarter of an hour; negative where it comes earlier.',
    ({ lag }) => (lag?.delayMs !== undefined ? lag.delayMs / 1_000 : undefined),
  ),
  subnet_masternode_penalised: masternode(
    'Whether the chain has left the masternode out for too few blocks (1) or not (0).',
    ({ vote }) => bit(vote === 'penalised'),
  ),
  subnet_masternode_standby: masternode(
    'Whether the masternode waits, because the chain has as many as it may have (1) or not (0).',
    ({ vote }) => bit(vote === 'standby'),
  ),
  subnet_masternode_next_epoch: {
    labels: 'subnet, name, state',
    help: 'A masternode that has no turns in the next epoch, predicted until the chain has chosen: penalised, standby or removed; always 1. Absent of those that have turns.',
    samples: [
      ofSubnets('', ({ epoch }, add) => {
        for (const { name, next } of epoch?.masternodes ?? [])
          if (name !== undefined && next !== undefined && next.state !== 'active')
            add(`,name="${escapeLabel(name)}",state="${next.state}"`, 1);
      }),
    ],
  },
  subnet_next_epoch_masternodes: ofEpoch(
    'Masternodes of the next epoch, predicted until the chain has chosen them; absent until that is possible.',
    ({ next }) => next?.total,
  ),
  subnet_next_epoch_votes_required: ofEpoch(
    'Votes that a block of the next epoch needs.',
    ({ next }) => next?.required,
  ),
  subnet_next_epoch_votes: ofEpoch(
    'Masternodes of the next epoch that can vote, as far as is known.',
    ({ next }) => next?.voting,
  ),
  subnet_masternode_back_in_epoch: masternode(
    'The epoch in which a penalised or waiting masternode takes part again; absent until the chain has chosen it.',
    ({ backInEpoch }) => backInEpoch,
  ),
  subnet_masternode_leaves_in_epoch: masternode(
    'The epoch in which the masternode drops out; absent while the chain has chosen it.',
    ({ leavesInEpoch }) => leavesInEpoch,
  ),
};
