import { TIME_LIMITS } from '../../model/check-limits.ts';
import type { DiskFacts } from '../../model/disk.ts';
import { countPeers } from '../../model/facts.ts';
import { findPace } from '../../model/fill.ts';
import type { NodeObservation } from '../../model/observation.ts';
import { findPlanned } from '../../model/planned-work.ts';
import { isMuted, isStanding, type Problem } from '../../model/problem.ts';
import type { Member, Quorum, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { Component, Target } from '../../model/target.ts';
import type { CheckState } from '../../model/verdict.ts';
import { containerMetrics } from './container-families.ts';
import {
  type Add,
  bit,
  escapeLabel,
  type Family,
  type Metric,
  ofSubnets,
  ofTargets,
  perCheck,
  perNode,
  perSubnet,
  type Samples,
  timeOf,
  toFamilies,
  toMetric,
} from './family.ts';
import { logMetrics } from './log-families.ts';
import { masternodeMetrics } from './masternode-families.ts';
import { parentMetrics } from './parent-families.ts';

/** subnetd could not send a request, so nothing is known of the node. */
const isUnseen = (observation: NodeObservation | undefined): boolean =>
  observation?.latest.ok === false && observation.latest.fault.kind === 'no-descriptor';

/** To a millionth: the clock has digits beyond that, which say nothing and which no compression makes smaller. */
const toMicroseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

/** 1 or 0 for a check whose verdict is a value; undefined for one that is unknown. */
const judge = ({ verdict }: CheckState, isMeant: boolean): number | undefined =>
  verdict === 'unknown' ? undefined : Number(isMeant);

type Block = 'latest' | 'committed';

const perBlock = (help: string, value: (state: TargetState, block: Block) => number | undefined) => {
  const of = (block: Block): Samples =>
    ofTargets('subnet, name', 'block', (state, add) => {
      if (state.target.component === 'node') add(block, value(state, block));
    });
  return toMetric(help, of('latest'), of('committed'));
};

/** The block, if the last probe obtained it. */
const blockNow = ({ facts: { node } }: TargetState, block: Block) =>
  node?.observation[block]?.ok ? node[block] : undefined;

/** The peers, if the last probe obtained them. */
const expectedPeers = (target: Target): number | undefined =>
  target.component === 'node' ? target.expectedPeers : undefined;

const has = ({ targets }: SubnetState, component: Component): boolean =>
  targets.some(({ target }) => target.component === component);

/** A limit by the inventory, of checks of a component that the subnet has. */
const limit = (check: string, of: Component, value: (state: SubnetState) => number): Samples =>
  ofSubnets('check', (state, add) => {
    if (has(state, of)) add(check, value(state));
  });

const [firstLimit, ...otherLimits] = TIME_LIMITS.map(({ check, of, ms }) =>
  limit(check, of, (state) => ms(state) / 1000),
) as [Samples, ...Samples[]];

const quorum = (help: string, value: (quorum: Quorum) => number): Metric =>
  perSubnet(help, (state) => state.quorum && value(state.quorum));

/** Of problems that are confirmed and not over. */
const perProblem = (help: string, isMeant: (problem: Problem) => boolean): Metric => ({
  help,
  labels: 'subnet, component, name, problem',
  samples: [
    ofSubnets('', ({ problems }, add) => {
      for (const one of problems) {
        const { component = '', name = '', problem } = one;
        if (isStanding(one) && isMeant(one))
          add(`,component="${component}",name="${escapeLabel(name)}",problem="${problem}"`, 1);
      }
    }),
  ],
});

const perDisk = (help: string, value: (disk: DiskFacts) => number | undefined): Metric => ({
  help,
  labels: 'subnet, folder',
  samples: [
    ofSubnets('', ({ facts }, add) => {
      for (const disk of facts?.disks ?? []) add(`,folder="${escapeLabel(disk.folder)}"`, value(disk));
    }),
  ],
});

/** Adds the whole subnet and the targets that planned work covers. */
function addCovered({ targets, plannedWork = [] }: SubnetState, add: Add): void {
  if (plannedWork.length === 0) return;
  if (findPlanned(plannedWork, {}) !== undefined) add(',component="",name=""', 1);
  for (const { target } of targets)
    if (findPlanned(plannedWork, target) !== undefined)
      add(`,component="${target.component}",name="${escapeLabel(target.name)}"`, 1);
}

const perMember = (help: string, value: (member: Member) => number | undefined): Metric =>
  toMetric(
    help,
    ofSubnets('name', ({ members = [] }, add) => {
      for (const member of members) add(member.name, value(member));
    }),
  );

/** Every metric of the monitor's snapshot, in the order of the page. */
export const families: readonly Family[] = toFamilies({
  subnet_check_success: perCheck('Whether the check passes, degraded or not (1), or fails (0).', (check) =>
    judge(check, check.verdict !== 'fail'),
  ),
  subnet_check_degraded: perCheck(
    'Whether the check used a fallback or saw less than it could (1) or not (0).',
    (check) => judge(check, check.verdict === 'degraded'),
  ),
  subnet_check_last_run_timestamp_seconds: timeOf(
    perCheck('When the check last ran, in Unix seconds.', ({ lastRun }) => lastRun),
  ),
  subnet_check_interval_seconds: perCheck(
    'The time between two runs of the check by its schedule, as of now.',
    ({ round }, intervalSeconds) => intervalSeconds(round),
  ),
  subnet_check_duration_seconds: perCheck('How long the last probe for the check took.', ({ durationSeconds }) =>
    durationSeconds === undefined ? undefined : toMicroseconds(durationSeconds),
  ),
  subnet_check_runs_total: perCheck('Runs of the check since subnetd started.', ({ runs }) => runs),
  subnet_check_failures_total: perCheck(
    'Runs of the check that failed since subnetd started.',
    ({ failures }) => failures,
  ),
  subnet_check_limit_seconds: toMetric(
    'How long the check waits for progress before it fails, by the inventory.',
    firstLimit,
    ...otherLimits,
  ),
  subnet_check_limit_blocks: toMetric(
    'How many blocks behind the check allows before it fails, by the inventory.',
    limit('latest_block', 'node', ({ subnet }) => subnet.settings.rpc.maxLag),
  ),
  subnet_nodes: perSubnet(
    'Nodes in the inventory.',
    ({ subnet }) => subnet.targets.filter(({ component }) => component === 'node').length,
  ),
  subnet_problem: perProblem(
    'A cause of what is wrong, confirmed and not over; always 1. Component and name are empty for a whole subnet.',
    () => true,
  ),
  subnet_problem_planned: perProblem(
    'A problem that opened during planned work, so it is not notified until the work ends; always 1.',
    isMuted,
  ),
  subnet_problem_acknowledged: perProblem(
    'A problem that somebody has acknowledged; always 1.',
    ({ acknowledged }) => acknowledged !== undefined,
  ),
  subnet_planned_work: {
    labels: 'subnet, component, name',
    help: 'Planned work is in force on the target, or, with empty component and name, on the whole subnet; always 1.',
    samples: [ofSubnets('', addCovered)],
  },
  subnet_quorum_required: quorum('Votes of masternodes that a block needs.', ({ required }) => required),
  subnet_quorum_voting: quorum('Masternodes that can vote, as far as is known.', ({ voting }) => voting),
  subnet_quorum_headroom: quorum(
    'Masternodes that may still fail before the subnet halts; negative when it has.',
    ({ voting, required }) => voting - required,
  ),
  subnet_double_votes_total: perSubnet(
    'Times that a key signed two blocks of one round, or blocks that exclude each other, as pools and logs of nodes have shown since subnetd was started.',
    (state) => (has(state, 'node') ? (state.facts?.doubleVotes?.total ?? 0) : undefined),
  ),
  subnet_disk_free_bytes: perDisk(
    'Free space on a disk of this machine, by the first folder of the subnet on it.',
    ({ fill }) => fill.free,
  ),
  subnet_disk_size_bytes: perDisk('Size of that disk.', ({ fill }) => fill.total),
  subnet_disk_days_left: perDisk(
    'Days until that disk is full at the pace of the last hours; absent while that is not known, and without growth.',
    ({ fill }) => {
      const pace = findPace(fill);
      return pace && Math.round(pace.leftMs / 864_000) / 100;
    },
  ),
  ...masternodeMetrics,
  subnet_node_chain_match: perMember(
    'Whether chain id and genesis block are those of most nodes (1) or not (0).',
    ({ isOnChain }) => bit(isOnChain),
  ),
  subnet_reads_from_info: toMetric(
    'The node through which a relayer or stats server reads the subnet; always 1.',
    ofTargets('subnet, component, name', 'node', ({ target }, add) => {
      if ('readsFrom' in target && target.readsFrom !== undefined) add(target.readsFrom, 1);
    }),
  ),
  subnet_node_client_info: {
    labels: 'subnet, name, client, version',
    help: 'What a node says that it runs; always 1.',
    samples: [
      ofTargets('subnet, name', '', ({ facts: { node } }, add) => {
        if (node?.client !== undefined)
          add(`,client="${node.client.name}",version="${escapeLabel(node.client.version)}"`, 1);
      }),
    ],
  },
  subnet_node_up: perNode(
    'Whether the node answered any JSON-RPC call in the last round (1) or not (0).',
    ({ facts }) => bit(isUnseen(facts.node?.observation) ? undefined : facts.node?.observation.answered),
  ),
  subnet_node_block_number: perBlock(
    'Height by <consensus>_getV2BlockByNumber for the tag latest or committed.',
    (state, block) => blockNow(state, block)?.number,
  ),
  subnet_node_block_timestamp_seconds: perBlock(
    'The time in the header of the block, in Unix seconds.',
    (state, block) => blockNow(state, block)?.timestamp,
  ),
  subnet_node_block_advanced_timestamp_seconds: timeOf(
    perBlock(
      'When the height last rose, at first when it was first seen, in Unix seconds.',
      ({ facts }, block) => facts.node?.[block]?.advancedAt,
    ),
  ),
  subnet_node_peers: perNode('Peers by admin_peers, else by net_peerCount.', ({ facts }) => countPeers(facts)),
  subnet_node_peers_missing: perNode('Peers that the node lacks; 0 when it has all or more.', (state) => {
    const [expected, count] = [expectedPeers(state.target), countPeers(state.facts)];
    return expected === undefined || count === undefined ? undefined : Math.max(expected - count, 0);
  }),
  subnet_node_peers_expected: perNode('Expected number of peers.', ({ target }) => expectedPeers(target)),
  ...logMetrics,
  ...parentMetrics,
  ...containerMetrics,
  subnet_known_failure: toMetric(
    'Whether the known failure shows (1), or the program has run for ten minutes without it (0).',
    ofTargets('subnet, component, name', 'failure', ({ failures, shownFailures, endedFailures = [] }, add) => {
      for (const one of failures) add(one.name, bit(shownFailures.includes(one) || endedFailures.includes(one)));
    }),
  ),
});
