import type { FaultName } from '../src/demo/faults.ts';
import type { LogPattern } from '../src/model/log.ts';
import type { Component } from '../src/model/target.ts';
import type { CheckName } from '../src/model/verdict.ts';
import { packs } from '../src/watch/logs/packs.ts';
import { knownFailures } from '../src/watch/rules/known-failures.ts';

/** A row of the specification's tables of checks and failures, with all that covers it. */
export interface SpecificationRow {
  /** The row, as section 4 of the specification has it, and its healthy sign or its symptom. */
  readonly row: string;
  readonly sign: string;
  readonly component: Component;
  readonly check: CheckName;
  /** The log lines that count, or what is checked instead of a log. */
  readonly looksFor: readonly LogPattern[] | string;
  readonly remedy: string;
  readonly faults: readonly FaultName[];
  readonly metric: string;
  /** The file of a test that shows it, on the real part where the row speaks of one. */
  readonly test: string;
}

const CONTAINER_LOGS = 'test/watch/monitor/container-logs.test.ts';

/** The patterns of a component that are meant, in the order of its pack. */
function patterns(component: Component, isMeant: (pattern: LogPattern) => boolean): readonly LogPattern[] {
  const found = packs[component].filter(isMeant);
  if (found.length === 0) throw new Error(`the pack of ${component} has no such pattern`);
  return found;
}

function named(component: Component, ...names: readonly string[]): readonly LogPattern[] {
  const missing = names.filter((name) => !packs[component].some((pattern) => pattern.name === name));
  if (missing.length > 0) throw new Error(`the pack of ${component} has no pattern ${missing.join(', ')}`);
  return patterns(component, ({ name }) => names.includes(name));
}

const fixOf = (name: string): string => {
  const failure = knownFailures.find((one) => one.name === name);
  if (failure === undefined) throw new Error(`there is no known failure ${name}`);
  return failure.fix;
};

/** Every row, in the order of the specification. */
export const specificationRows: readonly SpecificationRow[] = [
  {
    row: 'Latest block',
    sign: 'no error, and block numbers increase over time',
    component: 'node',
    check: 'latest_block',
    looksFor: 'the answer to `<consensus>_getV2BlockByNumber` with `latest`',
    remedy: 'start the nodes that are down; restart a node that alone is stalled',
    faults: ['node-stalled', 'node-down', 'node-behind', 'subnet-halted', 'rpc-error-inside-result', 'rpc-garbage'],
    metric: 'subnet_node_block_number',
    test: 'test/cli/command-line.test.ts',
  },
  {
    row: 'Peers',
    sign: 'as many as there are nodes, minus one',
    component: 'node',
    check: 'peers',
    looksFor: 'the answer to `admin_peers`, else to `net_peerCount`',
    remedy: 'start the nodes that do not answer; open the p2p ports between nodes that do not see each other',
    faults: ['peer-missing', 'admin-not-exposed'],
    metric: 'subnet_node_peers',
    test: 'test/watch/probes/ipc-transport.test.ts',
  },
  {
    row: "The node's console",
    sign: 'the same by getV2Block and admin.peers',
    component: 'node',
    check: 'latest_block',
    looksFor: 'the answers on the IPC socket (`ipc`), or of `XDC attach` in the container (`consoleExec`)',
    remedy: 'what the reason says: open the socket to subnetd, or start the container',
    faults: ['node-down'],
    metric: 'subnet_node_block_number',
    test: 'test/watch/probes/attach-prober.test.ts',
  },
  {
    row: 'Node',
    sign: 'with log level 4 (default 2), log lines carry blockNum and it increases over time',
    component: 'node',
    check: 'log_block',
    looksFor: patterns('node', ({ name, means }) => means === 'progress' || name === 'log_level'),
    remedy:
      'degraded: set LOG_LEVEL=3 in the env file of the node and recreate it; stalled: check its peers, and that two thirds of the nodes run',
    faults: ['log-level-low', 'node-stalled', 'node-down', 'subnet-halted'],
    metric: 'subnet_node_log_block_number',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Bootnode',
    sign: 'the log has messages from all subnet nodes',
    component: 'bootnode',
    check: 'messages',
    looksFor: named('bootnode', 'received'),
    remedy: 'start the node that the reason names, and open UDP from its p2p port to the bootnode',
    faults: ['bootnode-misses-a-node', 'node-down'],
    metric: 'subnet_bootnode_nodes_seen',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Relayer',
    sign: 'the log shows blocks submitted periodically',
    component: 'relayer',
    check: 'submissions',
    looksFor: patterns(
      'relayer',
      ({ name, means }) =>
        means === 'progress' || ['attempt', 'modes', 'exited', 'redis_exited', 'fork'].includes(name),
    ),
    remedy: 'what the reason says: fund the wallet, correct the address of a chain, restart the container',
    faults: ['relayer-silent', 'relayer-dead-container-up', 'relayer-forking'],
    metric: 'subnet_relayer_submissions_total',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Stats server, block data',
    sign: 'its debug log folder shows block data being received',
    component: 'stats',
    check: 'block_data',
    looksFor: named('stats', 'block_data'),
    remedy: 'check that the nodes run and that STATS_SECRET is the same on both sides',
    faults: ['stats-stale', 'subnet-halted', 'service-down'],
    metric: 'subnet_stats_last_block_data_timestamp_seconds',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Stats server, history data',
    sign: 'its debug log folder shows history data being received',
    component: 'stats',
    check: 'history_data',
    looksFor: named('stats', 'history_data', 'started'),
    remedy: 'restart a node: it sends its history when it connects',
    faults: ['stats-stale'],
    metric: 'subnet_stats_last_history_data_timestamp_seconds',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Frontend, logs',
    sign: 'no errors in logs',
    component: 'frontend',
    check: 'logs',
    looksFor: patterns('frontend', ({ means }) => means === 'error' || means === 'fatal'),
    remedy: 'what the reason says: more memory for a build that was killed, access to the registry for serve',
    faults: ['frontend-error', 'oom-kill'],
    metric: 'subnet_frontend_errors_total',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Frontend, console',
    sign: 'no errors in the browser developer console',
    component: 'frontend',
    check: 'console',
    looksFor: 'errors on the console, uncaught exceptions and failed requests in a headless Chromium',
    remedy:
      'check that the stats server answers at the address that the page was built with; open the page with the developer tools',
    faults: ['console-error', 'oom-kill'],
    metric: 'subnet_frontend_errors_total',
    test: 'test/cli/browser.test.ts',
  },
  {
    row: 'Known failure 1',
    sign: 'a fatal protocol-stack error on binding the IPC file (invalid argument)',
    component: 'node',
    check: 'log_block',
    looksFor: named('node', 'ipc_path_too_long', 'ipc_path_long'),
    remedy: fixOf('ipc_path_too_long'),
    faults: ['ipc-path-too-long'],
    metric: 'subnet_known_failure',
    test: CONTAINER_LOGS,
  },
  {
    row: 'Known failure 2',
    sign: 'a container dies with SIGKILL or exit code 137',
    component: 'frontend',
    check: 'container',
    looksFor: named('frontend', 'build_killed'),
    remedy: fixOf('out_of_memory'),
    faults: ['oom-kill'],
    metric: 'subnet_known_failure',
    test: 'test/watch/monitor/docker.test.ts',
  },
];

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${cell(text.trim())}\``;

/** What lines are looked for; patterns that have it in common are named together. */
function formatLines(looksFor: SpecificationRow['looksFor']): string {
  if (typeof looksFor === 'string') return cell(looksFor);
  const named = Map.groupBy(looksFor, ({ literal, mark }) => code(literal || `/${mark?.source}/`));
  return [...named].map(([shown, some]) => `${some.map(({ name }) => name).join(', ')}: ${shown}`).join('<br>');
}

/** The rows as a table of the documentation. */
export const specificationTable = (): string =>
  [
    '| specification, section 4 | check | looks for | what to do | demo fault | metric | shown by |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...specificationRows.map(
      ({ row, sign, check, looksFor, remedy, faults, metric, test }) =>
        `| **${row}**: ${sign} | [${check}](#${check}) | ${formatLines(looksFor)} | ${cell(remedy)} | ${faults.map(code).join(', ')} | ${code(metric)} | [${test}](../${test}) |`,
    ),
  ].join('\n');
