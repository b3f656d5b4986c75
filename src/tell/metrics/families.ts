import { TIME_LIMITS } from '../../model/check-limits.ts';
import type { NodeObservation } from '../../model/observation.ts';
import { isMuted } from '../../model/problem.ts';
import type { Member, Quorum, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { Component, Target } from '../../model/target.ts';
import type { CheckState } from '../../model/verdict.ts';
import { containerFamilies } from './container-families.ts';
import { bit, escapeLabel, type Family, familiesFrom, timeOf } from './family.ts';
import { logFamilies } from './log-families.ts';
import { masternodeFamilies } from './masternode-families.ts';
import { parentFamilies } from './parent-families.ts';

/** subnetd could not send a request, so nothing is known of the node. */
const isUnseen = (observation: NodeObservation | undefined): boolean =>
  observation?.latest.ok === false && observation.latest.fault.kind === 'no-descriptor';

/** To a millionth: the clock has digits beyond that, which say nothing and which no compression makes smaller. */
const toMicroseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

/** The check has a verdict that is a value: not `unknown`, not `skipped`. */
const judged = ({ verdict }: CheckState): boolean => verdict !== 'unknown' && verdict !== 'skipped';

const ran = (check: CheckState): boolean => check.verdict !== 'skipped';

const check = (
  name: string,
  type: Family['type'],
  help: string,
  value: (check: CheckState) => number | undefined,
): Family => ({ name: `subnet_check_${name}`, type, help, samples: [{ per: 'check', value }] });

const node = (name: string, help: string, value: (state: TargetState) => number | undefined): Family => ({
  name: `subnet_node_${name}`,
  type: 'gauge',
  help,
  samples: [{ per: 'node', value }],
});

const BLOCKS = ['latest', 'committed'] as const;

const perBlock = (
  name: string,
  help: string,
  value: (state: TargetState, block: (typeof BLOCKS)[number]) => number | undefined,
): Family => ({
  name: `subnet_node_block_${name}`,
  type: 'gauge',
  help,
  samples: BLOCKS.map((block) => ({ per: 'node', block, value: (state) => value(state, block) })),
});

const has = ({ targets }: SubnetState, component: Component): boolean =>
  targets.some(({ target }) => target.component === component);

const expectedPeers = (target: Target): number | undefined =>
  target.component === 'node' ? target.expectedPeers : undefined;

const quorum = (name: string, help: string, value: (quorum: Quorum) => number): Family => ({
  name: `subnet_quorum_${name}`,
  type: 'gauge',
  help,
  samples: [{ per: 'subnet', value: (state) => state.quorum && value(state.quorum) }],
});

const member = (name: string, help: string, value: (member: Member) => number | undefined): Family => ({
  name,
  type: 'gauge',
  help,
  samples: [{ per: 'member', value }],
});

/** Every metric of the monitor's snapshot, in the order of the page. */
export const families: readonly Family[] = [
  check('success', 'gauge', 'Whether the check passes, degraded or not (1), or fails (0).', (state) =>
    judged(state) ? bit(state.verdict !== 'fail') : undefined,
  ),
  check('degraded', 'gauge', 'Whether the check used a fallback or saw less than it could (1) or not (0).', (state) =>
    judged(state) ? bit(state.verdict === 'degraded') : undefined,
  ),
  timeOf(
    check('last_run_timestamp_seconds', 'gauge', 'When the check last ran, in Unix seconds.', (state) =>
      ran(state) ? state.lastRun : undefined,
    ),
  ),
  {
    name: 'subnet_check_interval_seconds',
    type: 'gauge',
    help: 'The time between two runs of the check by its schedule, as of now.',
    samples: [{ per: 'interval' }],
  },
  check('duration_seconds', 'gauge', 'How long the last probe for the check took.', ({ durationSeconds }) =>
    durationSeconds === undefined ? undefined : toMicroseconds(durationSeconds),
  ),
  check('runs_total', 'counter', 'Runs of the check since subnetd started.', (state) =>
    ran(state) ? state.runs : undefined,
  ),
  check('failures_total', 'counter', 'Runs of the check that failed since subnetd started.', (state) =>
    ran(state) ? state.failures : undefined,
  ),
  {
    name: 'subnet_check_limit_seconds',
    type: 'gauge',
    help: 'How long the check waits for progress before it fails, by the inventory.',
    samples: TIME_LIMITS.map(({ check, of, ms }) => ({
      per: 'subnet',
      check,
      value: (state) => (has(state, of) ? ms(state) / 1000 : undefined),
    })),
  },
  {
    name: 'subnet_check_limit_blocks',
    type: 'gauge',
    help: 'How many blocks behind the check allows before it fails, by the inventory.',
    samples: [
      {
        per: 'subnet',
        check: 'latest_block',
        value: (state) => (has(state, 'node') ? state.subnet.settings.rpc.maxLag : undefined),
      },
    ],
  },
  {
    name: 'subnet_nodes',
    type: 'gauge',
    help: 'Nodes in the inventory.',
    samples: [
      { per: 'subnet', value: ({ subnet }) => subnet.targets.filter(({ component }) => component === 'node').length },
    ],
  },
  {
    name: 'subnet_problem',
    type: 'gauge',
    help: 'A cause of what is wrong, confirmed and not over; always 1. Component and name are empty for a whole subnet.',
    samples: [{ per: 'problem', value: () => 1 }],
  },
  {
    name: 'subnet_problem_planned',
    type: 'gauge',
    help: 'A problem that opened during planned work, so that nobody is notified of it before the work ends; always 1.',
    samples: [{ per: 'problem', value: (problem) => (isMuted(problem) ? 1 : undefined) }],
  },
  {
    name: 'subnet_planned_work',
    type: 'gauge',
    help: 'Planned work is in force on the target, or, with empty component and name, on the whole subnet; always 1.',
    samples: [{ per: 'work', value: () => 1 }],
  },
  quorum('required', 'Votes of masternodes that a block needs.', ({ required }) => required),
  quorum('voting', 'Masternodes that can vote, as far as is known.', ({ voting }) => voting),
  quorum(
    'headroom',
    'Masternodes that may still fail before the subnet halts; negative when it has.',
    ({ voting, required }) => voting - required,
  ),
  ...masternodeFamilies,
  member(
    'subnet_node_chain_match',
    'Whether chain id and genesis block are those of most nodes (1) or not (0).',
    ({ isOnChain }) => bit(isOnChain),
  ),
  {
    name: 'subnet_reads_from_info',
    type: 'gauge',
    help: 'The node through which a relayer or stats server reads the subnet; always 1.',
    labels: 'subnet, component, name, node',
    samples: [
      {
        per: 'list',
        of: 'target',
        values: ({ target }) =>
          'readsFrom' in target && target.readsFrom !== undefined
            ? [{ labels: `,node="${escapeLabel(target.readsFrom)}"`, value: 1 }]
            : [],
      },
    ],
  },
  {
    name: 'subnet_node_client_info',
    type: 'gauge',
    help: 'What a node says that it runs; always 1.',
    labels: 'subnet, name, client, version',
    samples: [
      {
        per: 'list',
        of: 'subnet',
        values: ({ target: { name }, facts: { node } }) =>
          node?.client === undefined
            ? []
            : [
                {
                  labels: `,name="${escapeLabel(name)}",client="${node.client.name}",version="${escapeLabel(node.client.version)}"`,
                  value: 1,
                },
              ],
      },
    ],
  },
  ...familiesFrom('node', [
    node('up', 'Whether the node answered any JSON-RPC call in the last round (1) or not (0).', ({ facts }) =>
      bit(isUnseen(facts.node?.observation) ? undefined : facts.node?.observation.answered),
    ),
    perBlock(
      'number',
      'Height by <consensus>_getV2BlockByNumber for the tag latest or committed.',
      ({ facts }, block) => (facts.node?.observation[block]?.ok ? facts.node[block]?.number : undefined),
    ),
    perBlock('timestamp_seconds', 'The time in the header of the block, in Unix seconds.', ({ facts }, block) =>
      facts.node?.observation[block]?.ok ? facts.node[block]?.timestamp : undefined,
    ),
    timeOf(
      perBlock(
        'advanced_timestamp_seconds',
        'When the height last rose, at first when it was first seen, in Unix seconds.',
        ({ facts }, block) => facts.node?.[block]?.advancedAt,
      ),
    ),
    node('peers', 'Peers by admin_peers, else by net_peerCount.', ({ facts }) => {
      const peers = facts.node?.observation.peers;
      return peers?.ok ? peers.value.count : undefined;
    }),
    node('peers_missing', 'Peers that the node lacks; 0 when it has all or more.', ({ target, facts }) => {
      const peers = facts.node?.observation.peers;
      return target.component === 'node' && peers?.ok
        ? Math.max(target.expectedPeers - peers.value.count, 0)
        : undefined;
    }),
  ]),
  node('peers_expected', 'Expected number of peers.', ({ target }) => expectedPeers(target)),
  ...logFamilies,
  ...parentFamilies,
  ...containerFamilies,
  {
    name: 'subnet_known_failure',
    type: 'gauge',
    help: 'Whether the known failure shows (1), or the program has run for ten minutes without it (0).',
    samples: [{ per: 'failure', value: bit }],
  },
];
