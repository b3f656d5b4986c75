import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { toRunbook } from './links.ts';
import { graph, type Steps, stat } from './panels.ts';
import { SUBNET as S } from './queries.ts';
import { table } from './table.ts';

const bySubnetOf = (metric: string): string => `max by (subnet) (${metric}{${S}})`;
const byName = (metric: string): string => `max by (subnet, name) (subnet_masternode_${metric}{${S}})`;
/** The epoch in which something changes; 0 while nothing is known to change. */
const changeIn = (metric: string): string => `${byName(metric)} or 0 * ${byName('penalised')}`;

const some: Steps = [
  [null, 'text'],
  [1, 'orange'],
];

/** Panels of the current epoch and its masternodes. Their ids begin at `id`. */
export const masternodePanels = (id: number, subnetd: string): readonly Panel[] => [
  stat({
    id,
    title: 'Epoch',
    what: 'The current epoch. Its masternodes were chosen at the gap block of the one before it.',
    unit: 'none',
    width: 4,
    height: 9,
    queries: { '{{subnet}}': bySubnetOf('subnet_epoch_number') },
  }),
  stat({
    id: id + 1,
    title: 'Round',
    what: 'The round of the newest block. When it rises faster than the height, masternodes miss their turns.',
    unit: 'none',
    width: 4,
    height: 9,
    queries: { '{{subnet}}': bySubnetOf('subnet_round_number') },
  }),
  graph({
    id: id + 2,
    title: 'Masternodes',
    what: 'How many vote, are silent, are penalised or wait, with those that are not in the inventory.',
    unit: 'none',
    width: 8,
    queries: { '{{subnet}} {{status}}': `max by (subnet, status) (subnet_masternodes{${S}})` },
    links: [toRunbook(subnetd, 'SubnetQuorumAtRisk', ['subnet'])],
  }),
  graph({
    id: id + 3,
    title: 'Missed rounds of the epoch',
    what: 'Turns that brought no block. It begins at 0 in each epoch. Who makes no block in a part of an epoch is penalised.',
    unit: 'none',
    width: 8,
    queries: { '{{subnet}} {{name}}': byName('missed_rounds') },
    links: [toRunbook(subnetd, 'SubnetNodeNotVoting', ['subnet', 'name'])],
  }),
  table(
    {
      id: id + 4,
      title: 'Masternodes in the epoch',
      what: 'What each masternode does in the current epoch. One without a name is not in the inventory. The chain decides about the next epoch at the gap block.',
      unit: 'none',
      width: 24,
      queries: {
        info: `max by (subnet, name, address) (subnet_masternode_info{${S}})`,
        made: byName('blocks_made'),
        missed: byName('missed_rounds'),
        votes: byName('votes_missing'),
        penalised: byName('penalised'),
        standby: byName('standby'),
        back: changeIn('back_in_epoch'),
        leaves: changeIn('leaves_in_epoch'),
      },
    },
    [
      { field: 'subnet', title: 'subnet' },
      {
        field: 'name',
        title: 'name',
        link: {
          title: 'Details',
          url: '/d/subnetd-node?var-subnet=${__data.fields.subnet}&var-name=${__data.fields.name}&${__url_time_range}',
        },
      },
      { field: 'address', title: 'address' },
      { field: 'Value #B', title: 'blocks made' },
      { field: 'Value #C', title: 'missed rounds', steps: some },
      { field: 'Value #D', title: 'votes missing', steps: some },
      { field: 'Value #E', title: 'penalised', unit: 'bool_yes_no', steps: some },
      { field: 'Value #F', title: 'standby', unit: 'bool_yes_no' },
      { field: 'Value #G', title: 'back in epoch', zero: '–' },
      { field: 'Value #H', title: 'leaves in epoch', zero: '–', steps: some },
    ],
    'No data: nothing is scraped, or no node has named the masternodes.',
  ),
];
