import type { AlertName } from '../../src/alerts/alert-rules.ts';
import { absent, constant, grow, rising, type Series, stand } from '../support/promtool.ts';

/** What makes a rule fire, and how its alert reads then. */
export interface RuleCase {
  /** By selector: how a series goes while all is well, and while it is not. */
  readonly series: Series;
  readonly labels: Readonly<Record<string, string>>;
  /** What the templates make of the value, where a text shows it. */
  readonly value?: (step: number) => string;
}

const subnet = { subnet: 's' };
const target = (component: string, name = component) => ({ subnet: 's', component, name });
const node = target('node', 'n1');

const write = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
const one = (metric: string, labels: Readonly<Record<string, string>>): string => `${metric}{${write(labels)}}`;

const success = (labels: Readonly<Record<string, string>>, check: string): string =>
  one('subnet_check_success', { ...labels, check });
const fails: Series[string] = [constant(1), constant(0)];
const stays = (value: number): Series[string] => [constant(value), constant(value)];

const height = (name: string, block = 'latest'): string =>
  one('subnet_node_block_number', { subnet: 's', name, block });
const up = (name: string): string => one('subnet_node_up', { subnet: 's', name });

/** A failing check, and nothing else that the rule uses. */
const byCheck = (labels: Readonly<Record<string, string>>, check: string): RuleCase => ({
  series: { [success(labels, check)]: fails },
  labels,
});

const byFailure = (labels: Readonly<Record<string, string>>, failure: string): RuleCase => ({
  series: { [one('subnet_known_failure', { ...labels, failure })]: [constant(0), constant(1)] },
  labels,
});

/** Two instances of a scraped subnetd have labels that no alert of a subnet may show. */
const self = { instance: 'a:10545', job: 'subnetd' };

/** One for each alert; the compiler wants them all. */
export const ruleCases: Readonly<Record<AlertName, RuleCase>> = {
  SubnetHalted: {
    series: {
      [one('subnet_nodes', { ...subnet, ...self })]: stays(4),
      ...Object.fromEntries(
        ['n1', 'n2', 'n3', 'n4'].flatMap((name) => [
          [success({ ...target('node', name), ...self }, 'latest_block'), fails],
          [one('subnet_node_log_block_number', { subnet: 's', name, ...self }), [rising(100, 5), stand]],
          [one('subnet_node_up', { subnet: 's', name, ...self }), stays(1)],
        ]),
      ),
    },
    labels: subnet,
    value: () => '4',
  },
  SubnetFinalityStalled: {
    series: { [height('n1')]: [rising(103, 5), rising(103, 5)], [height('n1', 'committed')]: [rising(100, 5), stand] },
    labels: subnet,
    // The scrape at step 170 fails.
    value: (step) => String(5 * (step === 170 ? 169 : step) - 292),
  },
  SubnetQuorumAtRisk: {
    series: {
      [one('subnet_nodes', subnet)]: stays(4),
      [success(node, 'latest_block')]: fails,
      [success(target('node', 'n2'), 'latest_block')]: stays(1),
      [height('n1')]: [rising(100, 5), absent],
      [one('subnet_node_log_block_number', { subnet: 's', name: 'n1' })]: [rising(100, 5), stand],
    },
    labels: subnet,
    value: () => '1',
  },
  SubnetNodeDown: { series: { [up('n1')]: fails }, labels: node },
  SubnetNodeStalled: {
    series: { [height('n1')]: [rising(100, 5), stand], [success(node, 'latest_block')]: fails },
    labels: node,
    value: () => '395',
  },
  SubnetNodeBehind: {
    series: {
      [height('n1')]: [rising(1000, 5), (step) => 975 + 5 * step],
      [height('n2')]: [rising(1000, 5), rising(1000, 5)],
      [success(node, 'latest_block')]: fails,
      [success(target('node', 'n2'), 'latest_block')]: stays(1),
    },
    labels: node,
    value: () => '25',
  },
  SubnetNodeTellsNoBlock: {
    series: { [height('n1')]: [rising(100, 5), absent], [success(node, 'latest_block')]: fails, [up('n1')]: stays(1) },
    labels: node,
  },
  SubnetNodePeersMissing: {
    series: {
      [success(node, 'peers')]: fails,
      [one('subnet_node_peers', { subnet: 's', name: 'n1' })]: [constant(3), constant(2)],
      [one('subnet_node_peers_expected', { subnet: 's', name: 'n1' })]: stays(3),
      [up('n2')]: stays(1),
    },
    labels: node,
  },
  SubnetNodeLogFault: byCheck(node, 'log_block'),
  SubnetBootnodeMissesNode: {
    series: {
      [success(target('bootnode'), 'messages')]: fails,
      [one('subnet_bootnode_nodes_seen', subnet)]: [constant(4), constant(3)],
      [one('subnet_bootnode_nodes_expected', subnet)]: stays(4),
      [up('n2')]: stays(1),
    },
    labels: target('bootnode'),
  },
  SubnetRelayerStopped: byCheck(target('relayer'), 'submissions'),
  SubnetServiceDown: byCheck(target('frontend'), 'http'),
  SubnetStatsStale: {
    series: { [success(target('stats'), 'history_data')]: stays(1), [success(target('stats'), 'block_data')]: fails },
    labels: target('stats'),
  },
  SubnetFrontendErrors: byCheck(target('frontend'), 'console'),
  SubnetContainerDown: {
    series: {
      [success(node, 'container')]: fails,
      [one('subnet_container_running', node)]: fails,
      [one('subnet_container_restarts_total', node)]: stays(0),
    },
    labels: node,
  },
  SubnetContainerRestarting: {
    series: {
      [success(node, 'container')]: fails,
      // No scrape finds it running.
      [one('subnet_container_running', node)]: [constant(1), constant(0)],
      [one('subnet_container_restarts_total', node)]: [stand, grow(1)],
      [one('subnet_container_restart_planned', node)]: [constant(1), constant(0)],
    },
    labels: node,
  },
  SubnetContainerMemoryNearLimit: {
    series: {
      [one('subnet_container_memory_bytes', node)]: [constant(5e8), constant(95e7)],
      [one('subnet_container_memory_limit_bytes', node)]: stays(1e9),
    },
    labels: node,
    value: () => '95%',
  },
  SubnetLogFileLarge: {
    series: { [one('subnet_log_file_bytes', node)]: [constant(1e9), constant(16 * 1024 ** 3)] },
    labels: node,
    value: () => '16Gi',
  },
  SubnetCheckDegraded: {
    series: { [one('subnet_check_degraded', { ...node, check: 'peers' })]: [constant(0), constant(1)] },
    labels: node,
  },
  SubnetIpcPathTooLong: byFailure(node, 'ipc_path_too_long'),
  SubnetContainerOutOfMemory: byFailure(target('frontend'), 'out_of_memory'),
  SubnetNodeHeadFell: byFailure(node, 'head_regression'),
  SubnetNodeMinerStopped: byFailure(node, 'miner_loop_stopped'),
  SubnetNodeMasternodeUpdateFailed: byFailure(node, 'masternode_update_failed'),
  SubnetNodeAddressInUse: byFailure(node, 'address_in_use'),
  SubnetNodeDatabaseLost: byFailure(node, 'database_lost'),
  SubnetRelayerDead: byFailure(target('relayer'), 'relayer_dead'),
  SubnetRelayerRedisDead: byFailure(target('relayer'), 'relayer_redis_dead'),
  SubnetRelayerIdle: byFailure(target('relayer'), 'relayer_idle'),
  SubnetRelayerWalletEmpty: byFailure(target('relayer'), 'wallet_without_funds'),
  SubnetStatsWithoutContract: byFailure(target('stats'), 'stats_without_contract'),
  SubnetFrontendWithoutRegistry: byFailure(target('frontend'), 'frontend_without_registry'),
  SubnetdDown: { series: { [one('up', self)]: fails }, labels: { instance: 'a:10545' } },
  SubnetdDockerDown: {
    series: {
      [one('subnet_container_engine_info', { ...node, ...self, engine: 'machine1' })]: stays(1),
      [one('subnet_container_engine_info', { ...target('node', 'n2'), ...self, engine: 'machine2' })]: stays(1),
      [one('subnet_container_engine_info', { ...target('relayer'), ...self, engine: 'machine2' })]: stays(1),
      [one('subnet_container_engine_info', { ...node, subnet: 'other', ...self, engine: 'machine1' })]: stays(1),
      [one('subnetd_docker_up', { ...self, engine: 'machine1' })]: stays(1),
      [one('subnetd_docker_up', { ...self, engine: 'machine2' })]: fails,
    },
    labels: { ...subnet, engine: 'machine2' },
    value: () => '2',
  },
  SubnetdCheckStale: {
    series: {
      [one('subnet_check_last_run_timestamp_seconds', { ...node, check: 'peers' })]: [rising(0, 10), stand],
      [one('subnet_check_interval_seconds', { ...node, check: 'peers' })]: stays(10),
    },
    labels: node,
    value: (step) => `${Math.floor((10 * step - 590) / 60)}m ${(10 * step - 590) % 60}s`,
  },
  SubnetdRoundsLate: {
    series: {
      [one('subnetd_rounds_late_total', { subnet: 's', round: 'rpc' })]: [stand, grow(1)],
      [one('subnetd_round_duration_seconds_count', { subnet: 's', round: 'rpc' })]: [grow(4), grow(3)],
    },
    labels: subnet,
    value: () => '25%',
  },
  SubnetdReloadFailed: {
    series: { [one('subnetd_config_last_reload_successful', self)]: fails },
    labels: { instance: 'a:10545' },
  },
  SubnetdLogSourceDown: {
    series: { [one('subnet_log_source_up', { ...node, source: 'file' })]: fails },
    labels: node,
  },
  SubnetdAlertsNotSent: {
    series: {
      [one('subnetd_alerts_failed_total', self)]: [stand, grow(1)],
      [one('subnetd_alerts_dropped_total', self)]: stays(0),
    },
    labels: { instance: 'a:10545' },
    value: () => '30',
  },
  SubnetdDatabaseDown: { series: { [one('subnetd_database_up', self)]: fails }, labels: { instance: 'a:10545' } },
  SubnetdWatchdog: { series: {}, labels: {} },
};
