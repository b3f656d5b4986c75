import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FleetView } from '../../model/fleet-view.ts';
import type { Shard } from '../../model/shard.ts';
import { createRoundSeries } from './create-round-series.ts';
import { runInTurns } from './create-scrapes.ts';
import { addTo, Counter, Histogram, Registry } from './prom-client.ts';
import { addShardMetrics } from './shard-metrics.ts';
import { type ExpositionFormat, formatRegistry } from './text-formats.ts';

/** The metrics of subnetd itself. */
export type OwnMetrics = ReturnType<typeof createOwnMetrics>;

/** Values read at each scrape. Undefined leaves the sample out; times are Unix milliseconds. */
export interface OwnState {
  readonly enginesUp: () => ReadonlyMap<string, boolean | undefined>;
  readonly isDatabaseUp: () => boolean;
  /** Whether this instance holds each lock of the database that it stands for. */
  readonly locks: () => ReadonlyMap<string, boolean>;
  readonly lastReload: () => { readonly successful: boolean; readonly successAt?: number; readonly hash: number };
  /** Messages that the log has written since the start, by level. */
  readonly logMessages: ReadonlyMap<string, number>;
  /** Counts of pushed alerts since the start. */
  readonly alerts: () => Readonly<Record<'sent' | 'failed' | 'dropped', number>>;
  /** Parts of the history that the database did not take. */
  readonly historyDropped: () => number;
  /** Errors that only a bug in subnetd explains, by the part that broke. */
  readonly internalErrors: ReadonlyMap<string, number>;
  /** File descriptors; undefined if the system does not show them. */
  readonly openDescriptors: () => number | undefined;
  readonly maxDescriptors: () => number | undefined;
  /** The shard of this instance, and its fleet; absent for one that watches all. */
  readonly shard?: Shard | undefined;
  readonly fleet?: () => FleetView | undefined;
  /** Of the HTTP server. */
  readonly connections: () => Readonly<Record<'open' | 'max' | 'dropped', number>>;
}

/** Version and commit, as `subnetd version` prints them. */
export interface Build {
  readonly version: string;
  readonly commit: string;
}

/** Node.js reads this from a file, which it cannot open while no descriptor is left. */
function readResidentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

const LAG_WINDOW_MS = 10_000;

/** The longest delay of the event loop in the last whole window and in the current one, in seconds. */
function watchEventLoop(): { readonly lagSeconds: () => number; readonly stop: () => void } {
  const resolution = 20;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let last = 0;
  const current = () => Math.max(0, histogram.max / 1e9 - resolution / 1000);
  const timer = setInterval(() => {
    last = current();
    histogram.reset();
  }, LAG_WINDOW_MS);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    histogram.disable();
  };
  return { lagSeconds: () => Math.max(last, current()), stop };
}

/** The daemon's own metrics, on a registry of their own. */
export function createOwnMetrics(build: Build, state: OwnState) {
  const registry = new Registry();
  const registers = [registry];
  const loop = watchEventLoop();

  const { info, gauge, gauges, counter, counters } = addTo(registry);

  info('subnetd_build_info', 'Version, commit and Node.js of this subnetd; always 1.', {
    version: build.version,
    commit: build.commit,
    runtime: process.version,
  });
  if (state.shard !== undefined) addShardMetrics(registry, state.shard, state.fleet ?? (() => undefined));
  gauge(
    'subnetd_config_last_reload_successful',
    'Whether the last load of the inventory succeeded (1) or not (0).',
    () => Number(state.lastReload().successful),
  );
  gauge(
    'subnetd_config_last_reload_success_timestamp_seconds',
    'When the inventory was last loaded successfully, in Unix seconds.',
    () => {
      const { successAt } = state.lastReload();
      return successAt === undefined ? undefined : successAt / 1000;
    },
  );
  gauge(
    'subnetd_config_hash',
    'The first 48 bits of the SHA-256 of the inventory file as it was last loaded, as a number.',
    () => state.lastReload().hash,
  );
  gauges(
    'subnetd_docker_up',
    'Whether the Docker Engine answers (1) or not (0); absent when no target names a container on it.',
    'engine',
    state.enginesUp,
  );
  gauge('subnetd_database_up', 'Whether the database of the platform API answers (1) or not (0).', () =>
    Number(state.isDatabaseUp()),
  );
  gauges(
    'subnetd_lock_held',
    'Whether this instance holds a database lock (1), and so does the work that only one instance does, or not (0).',
    'lock',
    state.locks,
  );
  gauge('subnetd_event_loop_lag_seconds', 'The longest delay of the event loop in the last 10 to 20 seconds.', () =>
    loop.lagSeconds(),
  );
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', readResidentMemory);
  gauge(
    'process_start_time_seconds',
    'When the process started, in Unix seconds.',
    () => performance.timeOrigin / 1000,
  );
  counter('process_cpu_seconds_total', 'CPU time of the process, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  counter(
    'subnetd_alerts_sent_total',
    'Alerts that an Alertmanager or a channel accepted, counted for each of them and each resend.',
    () => state.alerts().sent,
  );
  counter(
    'subnetd_alerts_failed_total',
    'Alerts that an Alertmanager or a channel did not accept, counted for each attempt.',
    () => state.alerts().failed,
  );
  counter(
    'subnetd_alerts_dropped_total',
    'Alerts that were never accepted: too many waited for an Alertmanager, or they ended while a channel failed.',
    () => state.alerts().dropped,
  );
  counter(
    'subnetd_history_dropped_total',
    'Changes, uptimes and minutes of the history dropped because too many waited for the database.',
    state.historyDropped,
  );
  counters(
    'subnetd_internal_errors_total',
    'Errors that only a bug in subnetd explains, by the part that broke; the log has each.',
    'part',
    () => state.internalErrors,
  );
  counters(
    'subnetd_log_messages_total',
    'Messages that subnetd wrote to its log, by level.',
    'level',
    () => state.logMessages,
  );
  gauge('subnetd_open_fds', 'Open file descriptors.', state.openDescriptors);
  gauge('subnetd_max_fds', 'Maximum number of open file descriptors.', state.maxDescriptors);
  gauge('subnetd_http_connections', 'Open connections to the HTTP server.', () => state.connections().open);
  gauge(
    'subnetd_http_connections_max',
    'Maximum number of open connections to the HTTP server.',
    () => state.connections().max,
  );
  counter(
    'subnetd_http_connections_dropped_total',
    'Connections closed to make room for new ones, and new ones refused.',
    () => state.connections().dropped,
  );

  const rounds = createRoundSeries();
  const requests = new Counter({
    name: 'subnetd_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'subnetd_http_request_duration_seconds',
    help: 'How long HTTP requests took.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  return {
    roundFinished: rounds.finished,
    roundLate: rounds.late,
    requestFinished: (method: string, route: string, status: number, seconds: number): void => {
      requests.labels(method, route, String(status)).inc();
      requestSeconds.labels(method, route).observe(seconds);
    },
    /** Drops the series of rounds that no longer run. */
    keepRounds: rounds.keep,
    render: async (format: ExpositionFormat): Promise<string> => {
      const others = formatRegistry(await registry.getMetricsAsJSON(), format, performance.timeOrigin);
      return others + (await runInTurns(rounds.write(format, performance.timeOrigin)));
    },
    stop: loop.stop,
  };
}
