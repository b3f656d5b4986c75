import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { graph, timeline } from './panels.ts';

/** What the logs of the targets of a selector tell. The ids begin at `id`. */
export const logPanels = (id: number, selector: string): readonly Panel[] => [
  timeline(
    {
      id,
      title: 'Logs that can be read',
      what: 'Each source of a log: red while it cannot be read, when no check of logs can be judged by it.',
      width: 12,
      queries: {
        '{{subnet}} {{name}} {{source}}': `min by (subnet, name, source) (subnet_log_source_up{${selector}})`,
      },
    },
    ['read', 'not read'],
  ),
  graph({
    id: id + 1,
    title: 'Lines a second',
    what: 'Lines that are read. None at all is silence of the target, or a source that nobody writes to any more.',
    unit: 'suffix: /s',
    width: 12,
    queries: {
      '{{subnet}} {{name}} {{source}}': `max by (subnet, name, source) (rate(subnet_log_lines_total{${selector}}[$__rate_interval]))`,
    },
  }),
  graph({
    id: id + 2,
    title: 'Matches of patterns',
    what: 'Lines that matched a pattern, within the interval of the graph. The page docs/log-patterns.md says what each means.',
    unit: 'short',
    width: 8,
    queries: {
      '{{subnet}} {{name}} {{pattern}}': `max by (subnet, name, pattern) (increase(subnet_log_matches_total{${selector}}[$__rate_interval]))`,
    },
  }),
  graph({
    id: id + 3,
    title: 'Since the last match',
    what: 'The time since a line matched each pattern last. For a sign of life it should stay small, for an error grow.',
    unit: 's',
    width: 8,
    queries: {
      '{{subnet}} {{name}} {{pattern}}': `time() - max by (subnet, name, pattern) (subnet_log_last_match_timestamp_seconds{${selector}})`,
    },
  }),
  graph({
    id: id + 4,
    title: 'Size of log files',
    what: 'The files that are read, all together for each target. One that grows without end fills the disk and stops the node.',
    unit: 'bytes',
    width: 8,
    queries: { '{{subnet}} {{name}}': `max by (subnet, name) (subnet_log_file_bytes{${selector}})` },
  }),
];
