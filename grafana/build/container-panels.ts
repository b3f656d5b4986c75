import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { graph, stat, timeline } from './panels.ts';

const BY = 'subnet, name';

/** What Docker tells of the targets of a selector. The ids begin at `id`. */
export const containerPanels = (id: number, selector: string): readonly Panel[] => [
  timeline(
    {
      id,
      title: 'Containers that run',
      what: 'Each container, by Docker. One that runs is not yet one whose program works.',
      width: 8,
      queries: { '{{subnet}} {{name}}': `min by (${BY}) (subnet_container_running{${selector}})` },
    },
    ['runs', 'does not run'],
  ),
  graph({
    id: id + 1,
    title: 'Memory',
    what: 'Memory without the file cache that the kernel would give back at once, and the limit where there is one.',
    unit: 'bytes',
    width: 8,
    queries: {
      '{{subnet}} {{name}}': `max by (${BY}) (subnet_container_memory_bytes{${selector}})`,
      '{{subnet}} {{name}} limit': `min by (${BY}) (subnet_container_memory_limit_bytes{${selector}})`,
    },
  }),
  graph({
    id: id + 2,
    title: 'Memory of its limit',
    what: 'At 100 % the kernel kills a process of the container.',
    unit: 'percentunit',
    width: 8,
    queries: {
      '{{subnet}} {{name}}': `max by (${BY}) (subnet_container_memory_bytes{${selector}} / subnet_container_memory_limit_bytes{${selector}})`,
    },
  }),
  graph({
    id: id + 3,
    title: 'Restarts and kills for want of memory',
    what: 'Starts after the first, and kills, within the interval of the graph. A container that starts over and over is one whose program ends over and over: look at the exit code and at the known failures.',
    unit: 'short',
    width: 12,
    queries: {
      '{{subnet}} {{name}} restarts': `max by (${BY}) (increase(subnet_container_restarts_total{${selector}}[$__rate_interval]))`,
      '{{subnet}} {{name}} out of memory': `max by (${BY}) (increase(subnet_container_oom_kills_total{${selector}}[$__rate_interval]))`,
    },
  }),
  timeline(
    {
      id: id + 4,
      title: 'Known failures',
      what: 'Ends of a program whose cause is known: red from the end that shows it until the program has run for ten minutes. The page docs/known-failures.md says what each is and what to do.',
      width: 12,
      queries: {
        '{{subnet}} {{name}} {{failure}}': `1 - max by (${BY}, failure) (subnet_known_failure{${selector}})`,
      },
    },
    ['not seen', 'seen'],
  ),
  stat({
    id: id + 5,
    title: 'Since the start of the container',
    what: 'How long each container has run, or when it was started last if it does not run.',
    unit: 's',
    width: 12,
    queries: {
      '{{subnet}} {{name}}': `time() - max by (${BY}) (subnet_container_start_timestamp_seconds{${selector}})`,
    },
    steps: [
      [null, 'orange'],
      [300, 'green'],
    ],
  }),
  stat({
    id: id + 6,
    title: 'Last exit code',
    what: 'How each container ended last, if it did. 137 is a kill, by `docker stop` as well; it alone is no sign of too little memory. A fatal error of a node may end in 0.',
    unit: 'none',
    width: 12,
    queries: { '{{subnet}} {{name}}': `max by (${BY}) (subnet_container_last_exit_code{${selector}})` },
  }),
];
