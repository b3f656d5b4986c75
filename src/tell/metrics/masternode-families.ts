import { type Epoch, type Masternode, VOTES } from '../../model/snapshot.ts';
import { bit, escapeLabel, type Family, ofSubnets, perSubnet, toFamily } from './family.ts';

const ofEpoch = (name: string, help: string, value: (epoch: Epoch) => number | undefined): Family =>
  perSubnet(name, help, ({ epoch }) => epoch && value(epoch));

/** Of each that has a name in the inventory: two without would be one series. */
const masternode = (name: string, help: string, value: (masternode: Masternode) => number | undefined): Family =>
  toFamily(
    `subnet_masternode_${name}`,
    'gauge',
    help,
    ofSubnets('name', ({ epoch }, add) => {
      for (const one of epoch?.masternodes ?? []) if (one.name !== undefined) add(one.name, value(one));
    }),
  );

/** The metrics of the current epoch and its masternodes, in the order of the page. */
export const masternodeFamilies: readonly Family[] = [
  ofEpoch('subnet_epoch_number', 'The current epoch of the chain, counted from 0.', ({ number }) => number),
  ofEpoch('subnet_epoch_first_block_number', 'The block that began the current epoch.', ({ firstBlock }) => firstBlock),
  ofEpoch(
    'subnet_round_number',
    'The round of the newest block for which masternodes are known.',
    ({ round }) => round,
  ),
  ofEpoch(
    'subnet_upgrade_round_number',
    'The round of the next change of the consensus settings; absent while none is to come.',
    ({ upgrade }) => upgrade?.round,
  ),
  ofEpoch(
    'subnet_upgrade_due_seconds',
    'Time until the next change of the consensus settings, if each round takes its period; absent while none is to come.',
    ({ upgrade }) => upgrade?.inSeconds,
  ),
  ofEpoch(
    'subnet_upgrade_lacking_nodes',
    'Nodes that do not know the next change of the consensus settings; absent while none is to come.',
    ({ upgrade }) => upgrade?.lacking.length,
  ),
  toFamily(
    'subnet_masternodes',
    'gauge',
    'Masternodes of the epoch by what they do: votes, silent, penalised, standby or unknown; with those that are not in the inventory.',
    ofSubnets('status', ({ epoch }, add) => {
      if (epoch === undefined) return;
      for (const status of VOTES) add(status, epoch.masternodes.filter(({ vote }) => vote === status).length);
    }),
  ),
  {
    ...{ name: 'subnet_masternode_info', type: 'gauge', labels: 'subnet, name, address' },
    help: 'A masternode by its address, penalised or not; always 1. The name is empty when no node of the inventory has that address.',
    samples: [
      ofSubnets('', ({ epoch }, add) => {
        for (const { name = '', address } of epoch?.masternodes ?? [])
          add(`,name="${escapeLabel(name)}",address="${address}"`, 1);
      }),
    ],
  },
  masternode(
    'blocks_made',
    'Blocks of the epoch that the masternode made: its turns without its missed rounds.',
    ({ blocksMade }) => blocksMade,
  ),
  masternode(
    'missed_rounds',
    'Rounds of the epoch in which the masternode made no block in its turn.',
    ({ missedRounds }) => missedRounds,
  ),
  masternode(
    'votes_missing',
    'The newest rounds for which no node has a vote of the masternode; 0 as soon as one node has one.',
    ({ votesMissing }) => votesMissing,
  ),
  masternode(
    'penalised',
    'Whether the chain has left the masternode out for too few blocks (1) or not (0).',
    ({ vote }) => bit(vote === 'penalised'),
  ),
  masternode(
    'standby',
    'Whether the masternode waits, because the chain has as many as it may have (1) or not (0).',
    ({ vote }) => bit(vote === 'standby'),
  ),
  masternode(
    'back_in_epoch',
    'The epoch in which a penalised or waiting masternode takes part again; absent until the chain has chosen it.',
    ({ backInEpoch }) => backInEpoch,
  ),
  masternode(
    'leaves_in_epoch',
    'The epoch in which the masternode drops out; absent while the chain has chosen it.',
    ({ leavesInEpoch }) => leavesInEpoch,
  ),
];
