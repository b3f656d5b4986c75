import type { LogFacts, PatternFacts } from '../../model/facts.ts';
import type { LogSource } from '../../model/log.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { type Family, familiesFrom, type ListSample, timeOf } from './family.ts';

const perSource = (logs: LogFacts, value: (source: LogSource) => number): readonly ListSample[] =>
  (['container', 'file'] as const)
    .filter((source) => logs.sources[source] !== undefined)
    .map((source) => ({ labels: `,source="${source}"`, value: value(source) }));

const perPattern = (logs: LogFacts, value: (facts: PatternFacts) => number): readonly ListSample[] =>
  Object.entries(logs.patterns)
    .filter(([, { count }]) => count > 0)
    .map(([name, facts]) => ({ labels: `,pattern="${name}"`, value: value(facts) }));

const SOURCE_LABELS = 'subnet, component, name, source';
const PATTERN_LABELS = 'subnet, component, name, pattern';

const list = (
  name: string,
  type: Family['type'],
  help: string,
  labels: string,
  values: (logs: LogFacts, state: TargetState) => readonly ListSample[],
  of: 'target' | 'subnet' = 'target',
): Family => ({
  name,
  type,
  help,
  labels,
  samples: [{ per: 'list', of, values: (state) => (state.facts.logs ? values(state.facts.logs, state) : []) }],
});

const ofSubnet = (value: number | undefined, labels = ''): readonly ListSample[] =>
  value === undefined ? [] : [{ labels, value }];

/** A metric of the subnet from the log of one of its single components. */
const single = (
  name: string,
  type: Family['type'],
  help: string,
  component: TargetState['target']['component'],
  value: (logs: LogFacts) => number | undefined,
): Family =>
  list(
    name,
    type,
    help,
    'subnet',
    (logs, { target }) => (target.component === component ? ofSubnet(value(logs)) : []),
    'subnet',
  );

/** The frontend's errors: matches of all patterns that mean an error. */
const countErrors = ({ patterns }: LogFacts): number =>
  Object.values(patterns).reduce(
    (sum, { means, count }) => sum + (means === 'error' || means === 'fatal' ? count : 0),
    0,
  );

/** Every metric from logs. No text of a log is in a label. */
export const logFamilies: readonly Family[] = [
  ...familiesFrom('logs', [
    {
      name: 'subnet_node_log_block_number',
      type: 'gauge',
      help: 'The greatest height in the log of the node since its last start.',
      samples: [{ per: 'node', value: ({ facts }) => facts.logs?.node?.height }],
    },
    {
      name: 'subnet_node_clock_skew_seconds',
      type: 'gauge',
      help: "How far the node's clock is ahead of subnetd's, by its log, to about a second.",
      samples: [
        {
          per: 'node',
          value: ({ facts: { logs } }) =>
            logs?.clockAheadMs === undefined ? undefined : Math.round(logs.clockAheadMs / 100) / 10,
        },
      ],
    },
    list('subnet_log_source_up', 'gauge', 'Whether the log can be read (1) or not (0).', SOURCE_LABELS, (logs) =>
      perSource(logs, (source) => Number(logs.sources[source]?.up ?? false)),
    ),
    list('subnet_log_lines_total', 'counter', 'Lines read since subnetd started.', SOURCE_LABELS, (logs) =>
      perSource(logs, (source) => logs.sources[source]?.lines ?? 0),
    ),
    list(
      'subnet_log_matches_total',
      'counter',
      'Lines that matched the pattern since subnetd started.',
      PATTERN_LABELS,
      (logs) => perPattern(logs, ({ count }) => count),
    ),
    timeOf(
      list(
        'subnet_log_last_match_timestamp_seconds',
        'gauge',
        'When the last line that matched the pattern was printed, in Unix seconds.',
        PATTERN_LABELS,
        (logs) => perPattern(logs, ({ at }) => at),
      ),
    ),
    {
      name: 'subnet_log_file_bytes',
      type: 'gauge',
      help: 'The total size of the log files that are read.',
      samples: [{ per: 'target', value: ({ facts }) => facts.logs?.fileBytes }],
    },
  ]),
  {
    name: 'subnet_bootnode_nodes_seen',
    type: 'gauge',
    help: 'Nodes of the inventory from which the bootnode received a message within its window.',
    samples: [
      {
        per: 'subnet',
        value: ({ targets }) => targets.find(({ target }) => target.component === 'bootnode')?.heardNodes,
      },
    ],
  },
  {
    name: 'subnet_bootnode_nodes_expected',
    type: 'gauge',
    help: 'Nodes from which the bootnode should receive messages.',
    samples: [
      {
        per: 'subnet',
        value: ({ targets }) =>
          targets.some(({ target }) => target.component === 'bootnode')
            ? targets.filter(({ target }) => target.component === 'node').length
            : undefined,
      },
    ],
  },
  ...familiesFrom('logs', [
    single(
      'subnet_relayer_submissions_total',
      'counter',
      'Successful submissions in the log since subnetd started.',
      'relayer',
      ({ relayer }) => relayer?.submissions ?? 0,
    ),
    timeOf(
      single(
        'subnet_relayer_last_submission_timestamp_seconds',
        'gauge',
        'When the relayer last logged a submission of blocks, in Unix seconds.',
        'relayer',
        ({ relayer }) => relayer?.submittedAt,
      ),
    ),
    timeOf(
      single(
        'subnet_stats_last_block_data_timestamp_seconds',
        'gauge',
        'When the stats server last received a block from a node, in Unix seconds.',
        'stats',
        ({ stats }) => stats?.block?.at,
      ),
    ),
    timeOf(
      single(
        'subnet_stats_last_history_data_timestamp_seconds',
        'gauge',
        'When the stats server last received a history from a node, in Unix seconds.',
        'stats',
        ({ stats }) => stats?.historyAt,
      ),
    ),
  ]),
  {
    name: 'subnet_frontend_errors_total',
    type: 'counter',
    help: 'Errors of the frontend since subnetd started, by source.',
    labels: 'subnet, source',
    samples: [
      {
        per: 'list',
        of: 'subnet',
        values: ({ target, facts: { logs, page } }) =>
          target.component === 'frontend'
            ? [
                ...ofSubnet(logs && countErrors(logs), ',source="log"'),
                // With a browser, no error seen yet is a zero.
                ...ofSubnet(page?.errors ?? (target.browser && 0), ',source="console"'),
              ]
            : [],
      },
    ],
  },
];
