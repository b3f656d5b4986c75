import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { toRunbook } from './links.ts';
import { graph, stat, timeline } from './panels.ts';
import { RECORDED } from './queries.ts';

const BY = 'subnet, name';

/** Panels of the containers of a selector's targets, by Docker. Their ids begin at `id`. */
export const containerPanels = (id: number, selector: string, subnetd: string): readonly Panel[] => [
  timeline(
    {
      id,
      title: 'Containers that run',
      what: 'Each container, by Docker. A container may run although its program does not work.',
      width: 8,
      queries: { '{{subnet}} {{name}}': `min by (${BY}) (subnet_container_running{${selector}})` },
    },
    ['runs', 'does not run'],
  ),
  graph({
    id: id + 1,
    title: 'Memory',
    what: 'Memory without the inactive file cache, and the limit if there is one.',
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
    max: 1,
    width: 8,
    queries: {
      '{{subnet}} {{name}}': `max by (${BY}) (${RECORDED.memory}{${selector}})`,
    },
    links: [toRunbook(subnetd, 'SubnetContainerMemoryNearLimit', ['subnet', 'name'])],
  }),
  graph({
    id: id + 3,
    title: 'Restarts and OOM kills',
    what: 'Starts after the first, and OOM kills, within the interval of the graph. If a container restarts in a loop, its program ends in a loop: check the exit code and the known failures.',
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
      what: 'Failures with a known cause: red from their sign until the program has run for ten minutes without it. The page docs/known-failures.md explains each and its fix.',
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
    what: 'How long ago each container last started.',
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
    what: 'The last exit code of each container, if it has ended. 137 is a kill, also by `docker stop`; alone it does not prove an OOM kill. A node may exit with 0 after a fatal error.',
    unit: 'none',
    width: 12,
    queries: { '{{subnet}} {{name}}': `max by (${BY}) (subnet_container_last_exit_code{${selector}})` },
  }),
];
