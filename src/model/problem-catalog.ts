import type { ProblemSeverity } from './severity.ts';
import type { CheckName } from './verdict.ts';

/** What is fixed for every problem of a name. */
export interface ProblemKind {
  /** The alert that reports it, which is also the name of its runbook. */
  readonly alert: string;
  readonly severity: ProblemSeverity;
  /** How long it must be found before it is open. Until then it is suspected: shown, but not paged. */
  readonly confirmMs: number;
  /** How long it must not be found any more before it is over. */
  readonly clearMs: number;
  /** The checks of its subject that show whether it is there; for a whole subnet, those of its nodes. */
  readonly judgedBy: readonly CheckName[];
  /** A probe of the subnet as a whole shows it, so nothing has to be known of its subject. */
  readonly isProbed?: boolean;
  /** Of a whole subnet: it is about its nodes, so that what pages for them pages for it. */
  readonly isAboutNodes?: true;
}

const SECOND = 1_000;
const MINUTE = 60_000;

/** The problem of a failing check that nothing else explains. Undefined where another finder names it: heights and containers. */
export const PROBLEM_OF_CHECK = {
  latest_block: undefined,
  peers: 'peers_missing',
  log_block: 'node_log_fault',
  messages: 'bootnode_misses_node',
  submissions: 'relayer_stopped',
  http: 'service_down',
  block_data: 'stats_stale',
  history_data: 'stats_stale',
  logs: 'frontend_errors',
  console: 'frontend_errors',
  container: undefined,
} as const satisfies Readonly<Record<CheckName, string | undefined>>;

/** The checks whose failure is this problem: it is over when they pass. */
const failureOf = (problem: (typeof PROBLEM_OF_CHECK)[CheckName]): readonly CheckName[] =>
  (Object.keys(PROBLEM_OF_CHECK) as CheckName[]).filter((check) => PROBLEM_OF_CHECK[check] === problem);

const subnet = { severity: 'critical', clearMs: 2 * MINUTE, judgedBy: ['latest_block'] } as const;
const node = { severity: 'warning', confirmMs: 20 * SECOND, clearMs: 2 * MINUTE, judgedBy: ['latest_block'] } as const;
const container = { ...node, judgedBy: ['container'] } as const;
const service = { ...node, confirmMs: 30 * SECOND } as const;
/** A relayer that stops is confirmed as soon as the end of its program is, so that the page comes before the ticket. */
const relayer = { ...node, severity: 'critical', judgedBy: failureOf('relayer_stopped') } as const;
/** What the parent chain and its contract say by themselves. The next reading, half a minute later, confirms the first. */
const parent = { ...node, confirmMs: 45 * SECOND, judgedBy: [], isProbed: true } as const;
/** What the keys of the nodes bring. */
const key = {
  ...subnet,
  alert: 'SubnetMasternodeMissing',
  severity: 'warning',
  // As quorum_at_risk, which one key without a node brings, so that both are one message.
  confirmMs: 20 * SECOND,
  isAboutNodes: true,
} as const;
/** What subnetd finds when it reads a log, whatever the lines say. */
const log = { severity: 'warning', clearMs: 2 * MINUTE, judgedBy: [] } as const;
/** Signs of a known failure are remembered for minutes by themselves. */
const failure = { severity: 'warning', confirmMs: 20 * SECOND, clearMs: MINUTE, judgedBy: [] } as const;
/** The alert of all that is worth a change in how a subnet is set up. */
const SETUP_ALERT = 'SubnetSetupDrift';

const setup = {
  alert: SETUP_ALERT,
  severity: 'info',
  confirmMs: MINUTE,
  clearMs: 2 * MINUTE,
  judgedBy: [],
} as const;

/** What anyone can reach, and could take or break something with. */
const exposed = { ...setup, alert: 'SubnetExposed', severity: 'warning' } as const;

/** Every problem that the diagnosis can find, by name. */
export const problemCatalog = {
  subnet_halted: { ...subnet, alert: 'SubnetHalted', confirmMs: 0 },
  quorum_at_risk: { ...subnet, alert: 'SubnetQuorumAtRisk', confirmMs: 20 * SECOND },
  finality_stalled: { ...subnet, alert: 'SubnetFinalityStalled', confirmMs: 30 * SECOND },
  chain_forked: { ...subnet, alert: 'SubnetChainForked', confirmMs: 0 },
  chain_replaced: {
    ...subnet,
    alert: 'SubnetChainReplaced',
    severity: 'info',
    confirmMs: 20 * SECOND,
    judgedBy: [],
  },
  node_down: { ...node, alert: 'SubnetNodeDown' },
  node_hanging: { ...node, alert: 'SubnetNodeDown' },
  /** A node that is cut off counts its peers for some 30 s more. */
  node_stalled: { ...node, alert: 'SubnetNodeStalled', confirmMs: 45 * SECOND },
  node_behind: { ...node, alert: 'SubnetNodeBehind', confirmMs: 3 * MINUTE },
  node_without_block: { ...node, alert: 'SubnetNodeTellsNoBlock', confirmMs: 30 * SECOND },
  rpc_closed: { ...node, alert: 'SubnetNodeTellsNoBlock', confirmMs: 30 * SECOND },
  node_partitioned: { ...node, alert: 'SubnetNodePartitioned', judgedBy: ['peers'] },
  peers_missing: {
    ...node,
    alert: 'SubnetNodePeersMissing',
    confirmMs: 2 * MINUTE,
    judgedBy: failureOf('peers_missing'),
  },
  other_chain: { ...node, alert: 'SubnetNodeOtherChain' },
  height_not_credible: { ...node, alert: 'SubnetNodeHeightNotCredible' },
  node_not_voting: { ...node, alert: 'SubnetNodeNotVoting', confirmMs: MINUTE },
  masternode_missing: key,
  /** Until then the vote that is missing shows, and pages. */
  key_shared: key,
  /** A pool or a log that has both votes is proof enough. */
  double_vote: { ...subnet, alert: 'SubnetDoubleVote', severity: 'warning', confirmMs: 0, judgedBy: [] },
  node_clock_skewed: { ...node, alert: 'SubnetNodeClockSkewed', confirmMs: MINUTE, judgedBy: ['log_block'] },
  disk_filling: { ...node, alert: 'SubnetDiskFilling', confirmMs: 2 * MINUTE, judgedBy: [] },
  upgrade_missing: { ...node, alert: 'SubnetUpgradeMissing', confirmMs: MINUTE, judgedBy: [] },
  masternode_penalised: { ...node, alert: 'SubnetMasternodePenalised' },
  next_epoch_at_risk: {
    ...subnet,
    alert: 'SubnetNextEpochAtRisk',
    severity: 'warning',
    confirmMs: MINUTE,
    judgedBy: [],
  },
  /** It is of a quarter of an hour, or longer. */
  node_lags: { ...node, alert: 'SubnetNodeLags', confirmMs: MINUTE, judgedBy: [] },
  node_log_fault: {
    ...node,
    alert: 'SubnetNodeLogFault',
    confirmMs: 2 * MINUTE,
    judgedBy: failureOf('node_log_fault'),
  },
  container_down: { ...container, alert: 'SubnetContainerDown' },
  container_paused: { ...container, alert: 'SubnetContainerDown' },
  container_restarting: { ...container, alert: 'SubnetContainerRestarting', confirmMs: 30_000 },
  /** Several at once: what a halt comes from, so it is told beside it. A node that ended by a failure of its own is told as that. */
  containers_crashed: { ...container, alert: 'SubnetContainersCrashed' },
  container_memory_near_limit: { ...container, alert: 'SubnetContainerMemoryNearLimit', confirmMs: 10 * MINUTE },
  memory_filling: { ...container, alert: 'SubnetContainerMemoryNearLimit', confirmMs: 10 * MINUTE, judgedBy: [] },
  log_file_large: { ...container, alert: 'SubnetLogFileLarge', confirmMs: 10 * MINUTE, judgedBy: [] },
  bootnode_misses_node: {
    ...service,
    alert: 'SubnetBootnodeMissesNode',
    confirmMs: 2 * MINUTE,
    judgedBy: failureOf('bootnode_misses_node'),
  },
  bootnode_unused: {
    ...node,
    alert: 'SubnetBootnodeUnused',
    severity: 'info',
    confirmMs: MINUTE,
    judgedBy: [],
  },
  relayer_stopped: { ...relayer, alert: 'SubnetRelayerStopped' },
  contract_missing: { ...relayer, alert: 'SubnetContractMissing' },
  parent_unreachable: { ...relayer, alert: 'SubnetParentUnreachable' },
  checkpoint_behind: { ...parent, alert: 'SubnetCheckpointBehind', severity: 'critical', confirmMs: 90 * SECOND },
  /** Its next readings come after five seconds each. */
  checkpoint_refused: { ...parent, alert: 'SubnetCheckpointRefused', severity: 'critical', confirmMs: 16 * SECOND },
  contract_of_other_chain: { ...parent, alert: 'SubnetContractOfOtherChain', severity: 'critical' },
  parent_other_chain: { ...parent, alert: 'SubnetParentOtherChain', severity: 'critical' },
  parent_behind: { ...parent, alert: 'SubnetParentBehind', confirmMs: MINUTE },
  parent_unseen: { ...parent, alert: 'SubnetdParentUnseen', confirmMs: 2 * MINUTE },
  /** Its readings come once a minute. */
  packets_stuck: { ...parent, alert: 'SubnetPacketsStuck', confirmMs: MINUTE + 10 * SECOND },
  wallet_low: { ...parent, alert: 'SubnetRelayerWalletLow' },
  /** A balance needs no second reading. */
  wallet_nearly_empty: {
    ...parent,
    alert: 'SubnetRelayerWalletNearlyEmpty',
    severity: 'critical',
    confirmMs: 20 * SECOND,
  },
  service_down: { ...service, alert: 'SubnetServiceDown', confirmMs: 16 * SECOND, judgedBy: failureOf('service_down') },
  stats_stale: { ...service, alert: 'SubnetStatsStale', confirmMs: MINUTE, judgedBy: failureOf('stats_stale') },
  frontend_errors: { ...service, alert: 'SubnetFrontendErrors', judgedBy: failureOf('frontend_errors') },
  log_source_down: { ...log, alert: 'SubnetdLogSourceDown', confirmMs: 2 * MINUTE },
  /** One loss counts for ten minutes, so it opens with a second one within them. */
  log_lines_lost: { ...log, alert: 'SubnetdLogLinesLost', severity: 'info', confirmMs: 10 * MINUTE },
  check_degraded: {
    alert: 'SubnetCheckDegraded',
    severity: 'info',
    confirmMs: 15 * MINUTE,
    clearMs: 2 * MINUTE,
    judgedBy: [],
  },
  consensus_differs: setup,
  rpc_exposed: exposed,
  account_exposed: exposed,
  docker_exposed: exposed,
  monitor_exposed: exposed,
  rpc_open: setup,
  account_unlocked: setup,
  hosts_wildcard: setup,
  origins_wildcard: setup,
  queues_open: setup,
  monitor_open: setup,
  /** A rolling upgrade takes a while. */
  client_versions_differ: { ...setup, confirmMs: 30 * MINUTE },
  images_differ: { ...setup, confirmMs: 30 * MINUTE },
  ports_published: setup,
  containers_unlisted: setup,
  deployment_differs: { ...setup, confirmMs: 30 * MINUTE },
  container_misnamed: setup,
  engine_off: setup,
  docker_clock_skewed: setup,
  log_rotation_missing: setup,
  log_rotation_small: setup,
  bootnode_log_quiet: setup,
  /** A node that answers slowly is asked again after five minutes, and that reading must confirm it. */
  node_slow: { ...setup, confirmMs: 10 * MINUTE },
  monitor_offline: { ...subnet, alert: 'SubnetdOffline', severity: 'warning', confirmMs: 20 * SECOND },
  never_reached: { ...subnet, alert: 'SubnetdOffline', severity: 'warning', confirmMs: 45 * SECOND },
  monitor_suspended: {
    alert: 'SubnetdSuspended',
    severity: 'info',
    confirmMs: 0,
    clearMs: MINUTE,
    judgedBy: [],
  },
  ipc_path_too_long: { ...failure, alert: 'SubnetIpcPathTooLong' },
  out_of_memory: { ...failure, alert: 'SubnetContainerOutOfMemory' },
  /** Its second end confirms the first one. */
  silent_restart_loop: { ...failure, alert: 'SubnetContainerRestarting', confirmMs: 10 * SECOND },
  head_regression: { ...failure, alert: 'SubnetNodeHeadFell', severity: 'info' },
  miner_loop_stopped: { ...failure, alert: 'SubnetNodeMinerStopped' },
  masternode_update_failed: { ...failure, alert: 'SubnetNodeMasternodeUpdateFailed' },
  address_in_use: { ...failure, alert: 'SubnetNodeAddressInUse' },
  disk_full: { ...failure, alert: 'SubnetDiskFull', severity: 'critical' },
  disk_unwritable: { ...failure, alert: 'SubnetNodeLogFault' },
  database_lost: { ...failure, alert: 'SubnetNodeDatabaseLost' },
  wrong_genesis: { ...failure, alert: 'SubnetNodeLogFault' },
  folder_in_use: { ...failure, alert: 'SubnetNodeLogFault' },
  unknown_flag: { ...failure, alert: 'SubnetNodeLogFault' },
  unlock_failed: { ...failure, alert: 'SubnetNodeLogFault' },
  too_many_open_files: { ...failure, alert: 'SubnetNodeLogFault' },
  stats_refused: { ...failure, confirmMs: 25 * SECOND, alert: 'SubnetNodeLogFault' },
  rpc_not_bound: { ...failure, alert: 'SubnetNodeLogFault' },
  cannot_sign: { ...failure, alert: 'SubnetNodeLogFault' },
  processing_dead: { ...failure, alert: 'SubnetNodeLogFault' },
  database_corrupt: { ...failure, alert: 'SubnetNodeLogFault' },
  disk_nearly_full: { ...failure, alert: 'SubnetNodeLogFault' },
  bad_block: { ...failure, alert: 'SubnetNodeLogFault' },
  snapshot_lost: { ...failure, alert: 'SubnetNodeSnapshotLost' },
  relayer_dead: { ...failure, alert: 'SubnetRelayerDead' },
  relayer_redis_dead: { ...failure, alert: 'SubnetRelayerRedisDead' },
  relayer_idle: { ...failure, alert: 'SubnetRelayerIdle' },
  wallet_without_funds: { ...failure, alert: 'SubnetRelayerWalletEmpty', severity: 'critical' },
  stats_without_contract: { ...failure, alert: 'SubnetStatsWithoutContract' },
  frontend_without_registry: { ...failure, alert: 'SubnetFrontendWithoutRegistry' },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemName = keyof typeof problemCatalog;

/** What will fail, if nobody acts. */
export const FORECASTS: readonly ProblemName[] = [
  'wallet_low',
  'wallet_nearly_empty',
  'disk_filling',
  'memory_filling',
  'next_epoch_at_risk',
];

/** By component: the problems that page in place of all warnings of its targets, so that there is one message for one cause. */
export const PAGES_FOR: Readonly<Record<string, readonly ProblemName[]>> = {
  node: ['subnet_halted', 'quorum_at_risk', 'monitor_offline'],
  relayer: [
    'relayer_stopped',
    'contract_missing',
    'parent_unreachable',
    'checkpoint_behind',
    'contract_of_other_chain',
    'parent_other_chain',
  ],
};

/** Whether a problem pages in place of the warnings of a component. */
export const pagesFor = (component: string, problem: string): boolean =>
  PAGES_FOR[component]?.some((name) => name === problem) ?? false;

/** Whether a problem says that nothing is seen of a subnet, which says nothing about the subnet. */
export const isBlind = (problem: ProblemName): boolean => problem === 'monitor_offline' || problem === 'never_reached';

/** Whether a problem says that the set-up is worth a change, while everything runs. */
export const isOfSetup = (problem: ProblemName): boolean => problemCatalog[problem].alert === SETUP_ALERT;

const entries = Object.entries(problemCatalog) as readonly [ProblemName, ProblemKind][];

/** The problems that an alert reports. */
export const problemsOfAlert = (alert: string): readonly ProblemName[] =>
  entries.flatMap(([name, kind]) => (kind.alert === alert ? [name] : []));
