import type { LogFacts, PatternFacts } from '../../model/facts.ts';
import type { Component } from '../../model/target.ts';
import { type Metric, type Metrics, ofTargets, perNode, perSubnet, perTarget, timeOf, toMetric } from './family.ts';

type SourceFacts = NonNullable<LogFacts['sources']['file']>;

const perSource = (help: string, value: (facts: SourceFacts) => number): Metric =>
  toMetric(
    help,
    ofTargets('subnet, component, name', 'source', ({ facts: { logs } }, add) => {
      for (const source of ['container', 'file'] as const) {
        const found = logs?.sources[source];
        if (found !== undefined) add(source, value(found));
      }
    }),
  );

/** Of patterns that a line has matched. */
const perPattern = (help: string, value: (facts: PatternFacts) => number): Metric =>
  toMetric(
    help,
    ofTargets('subnet, component, name', 'pattern', ({ facts: { logs } }, add) => {
      for (const pattern in logs?.patterns) {
        const found = logs.patterns[pattern];
        if (found !== undefined && found.count > 0) add(pattern, value(found));
      }
    }),
  );

/** A metric of the subnet from the log of one of its single components. */
const single = (help: string, component: Component, value: (logs: LogFacts) => number | undefined): Metric =>
  toMetric(
    help,
    ofTargets('subnet', '', ({ target, facts: { logs } }, add) => {
      if (logs !== undefined && target.component === component) add('', value(logs));
    }),
  );

/** The frontend's errors: matches of all patterns that mean an error. */
const countErrors = ({ patterns }: LogFacts): number =>
  Object.values(patterns).reduce(
    (sum, { means, count }) => sum + (means === 'error' || means === 'fatal' ? count : 0),
    0,
  );

/** Every metric from logs. No text of a log is in a label. */
export const logMetrics: Metrics = {
  subnet_node_log_block_number: perNode(
    'The greatest height in the log of the node since its last start.',
    ({ facts }) => facts.logs?.node?.height,
  ),
  subnet_node_clock_skew_seconds: perNode(
    "How far the node's clock is ahead of subnetd's, by its log, to about a second.",
    ({ facts: { logs } }) => (logs?.clockAheadMs === undefined ? undefined : Math.round(logs.clockAheadMs / 100) / 10),
  ),
  subnet_log_source_up: perSource('Whether the log can be read (1) or not (0).', ({ up }) => Number(up)),
  subnet_log_lines_total: perSource('Lines read since subnetd started.', ({ lines }) => lines),
  subnet_log_matches_total: perPattern('Lines that matched the pattern since subnetd started.', ({ count }) => count),
  subnet_log_last_match_timestamp_seconds: timeOf(
    perPattern('When the last line that matched the pattern was printed, in Unix seconds.', ({ at }) => at),
  ),
  subnet_log_file_bytes: perTarget(
    'The total size of the log files that are read.',
    ({ facts }) => facts.logs?.fileBytes,
  ),
  subnet_bootnode_nodes_seen: perSubnet(
    'Nodes of the inventory from which the bootnode received a message within its window.',
    ({ targets }) => targets.find(({ target }) => target.component === 'bootnode')?.heardNodes?.length,
  ),
  subnet_bootnode_nodes_expected: perSubnet('Nodes from which the bootnode should receive messages.', ({ targets }) =>
    targets.some(({ target }) => target.component === 'bootnode')
      ? targets.filter(({ target }) => target.component === 'node').length
      : undefined,
  ),
  subnet_relayer_submissions_total: single(
    'Successful submissions in the log since subnetd started.',
    'relayer',
    ({ relayer }) => relayer?.submissions ?? 0,
  ),
  subnet_relayer_last_submission_timestamp_seconds: timeOf(
    single(
      'When the relayer last logged a submission of blocks, in Unix seconds.',
      'relayer',
      ({ relayer }) => relayer?.submittedAt,
    ),
  ),
  subnet_stats_last_block_data_timestamp_seconds: timeOf(
    single(
      'When the stats server last received a block from a node, in Unix seconds.',
      'stats',
      ({ stats }) => stats?.block?.at,
    ),
  ),
  subnet_stats_last_history_data_timestamp_seconds: timeOf(
    single(
      'When the stats server last received a history from a node, in Unix seconds.',
      'stats',
      ({ patterns }) => patterns.history_data?.at,
    ),
  ),
  subnet_frontend_errors_total: toMetric(
    'Errors of the frontend since subnetd started, by source.',
    ofTargets('subnet', 'source', ({ target, facts: { logs, page } }, add) => {
      if (target.component !== 'frontend') return;
      add('log', logs && countErrors(logs));
      // With a browser, no error seen yet is a zero.
      add('console', page?.errors ?? (target.browser && 0));
    }),
  ),
};
