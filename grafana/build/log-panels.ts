import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { graph, timeline } from './panels.ts';

/** Panels of the logs of a selector's targets. Their ids begin at `id`. */
export const logPanels = (id: number, selector: string): readonly Panel[] => [
  timeline(
    {
      id,
      title: 'Logs that can be read',
      what: 'Each source of a log: red while it cannot be read. Its checks are unknown then.',
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
    what: 'Lines read. None means that the target is silent, or that nobody writes to the source any more.',
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
    what: 'The time since the last match of each pattern. It should stay small for a sign of life, and grow for an error.',
    unit: 's',
    width: 8,
    queries: {
      '{{subnet}} {{name}} {{pattern}}': `time() - max by (subnet, name, pattern) (subnet_log_last_match_timestamp_seconds{${selector}})`,
    },
  }),
  graph({
    id: id + 4,
    title: 'Size of log files',
    what: 'The total size of the files of each target. A file that grows without end fills the disk and stops the node.',
    unit: 'bytes',
    width: 8,
    queries: { '{{subnet}} {{name}}': `max by (subnet, name) (subnet_log_file_bytes{${selector}})` },
  }),
];
