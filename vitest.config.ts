import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { findTests } from './test/support/find-tests.ts';
import { createWaitingFirst } from './test/support/waiting-first.ts';

/** Files that mostly wait for real programs and real time, and about how many seconds on a quiet machine. */
const WAITING: Readonly<Record<string, number>> = {
  'tell/notify/daemon': 130,
  'tell/notify/restart': 50,
  'tell/notify/acknowledge': 130,
  'tell/notify/heartbeats': 78,
  'demo/verdicts': 165,
  'demo/client-words': 260,
  'tell/alerts/notifications': 215,
  'tell/alerts/moved-subnets': 20,
  'fleet/hot-pair': 190,
  'fleet/hot-pair-views': 225,
  'fleet/hot-pair-outage': 270,
  'fleet/move': 140,
  'fleet/whole-fleet': 35,
  'image/image': 115,
  'demo/green': 65,
  'web/pages/browser': 100,
  'web/pages/built-pages': 28,
  'watch/probes/browser': 65,
  'watch/logs/container/follow-log': 55,
  'prometheus/scrape': 60,
  'watch/logs/file/kept-positions': 45,
  'cli/browser': 30,
  'platform/portal/browser': 50,
  'platform/portal/life': 75,
  'platform/api/daemon': 35,
  'watch/probes/recorded-pages': 22,
  'grafana/queries': 22,
  'watch/logs/file/rotation': 10,
  'cli/backup': 25,
  'cli/command-line': 55,
  'tell/notify/create-push': 20,
  'watch/docker/engine': 18,
  'tell/history/daemon': 45,
  'tell/incidents/daemon': 45,
  'watch/monitor/log-restarts': 18,
  'store/postgres-restart': 15,
  'store/election': 88,
  'watch/probes/killed-browser': 60,
  'store/election-processes': 45,
  'watch/logs/log-watches': 15,
  'tell/alerts/rules': 20,
  'store/slow-disk': 20,
  'store/half-open': 27,
  'store/retention': 18,
  'watch/monitor/hanging-nodes': 30,
  'platform/mail/mailer': 16,
  'watch/monitor/endless-requests': 15,
  'tell/history/stored-history': 12,
  'tell/incidents/start-incidents': 12,
  'watch/monitor/event-storm': 10,
  'deploy/package': 20,
  'deploy/systemd': 20,
  'deploy/release': 10,
  'deploy/first-run': 8,
  'web/connections': 12,
  'web/basic-auth': 10,
  'web/status-picture': 8,
  'watch/docker/ssh': 25,
  'watch/monitor/many-nodes': 15,
  'watch/monitor/container-restarts': 13,
  'watch/monitor/container-logs': 25,
  'watch/probes/attach-prober': 13,
  'cli/stop': 12,
  'cli/run': 25,
  'cli/descriptors': 30,
  'watch/monitor/docker': 11,
  'store/sqlite-outage': 10,
  'store/busy-postgres': 10,
  'cli/suspended': 10,
  'daemon/app': 18,
  'watch/logs/file/rewritten-files': 6,
  'cli/rolling-restart': 18,
  'cli/doctor': 8,
  'cli/health': 8,
  'store/lost-connection': 8,
  'cli/reload': 18,
  'watch/monitor/clock-set': 4,
  'watch/logs/container/changed-streams': 4,
  'watch/monitor/log-wakes': 4,
  'watch/logs/container/silent-stream': 3,
};

const eachTest = {
  // Each file is a process: this keeps its compiled libraries, where bin/subnetd keeps those of the program.
  env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/subnetd` },
  // Tests that run at once within one file all wait for most of their time.
  maxConcurrency: 8,
  // Only a bound: a machine on which much else runs needs long for what is quick by itself.
  testTimeout: 120_000,
  // Node.js runs the tests as it runs the program: no module is mocked, so nothing has to be transformed.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // None: a test that fails once has found something. CI, on a machine that others may use, repeats it once and says so.
  retry: Number(process.env.SUBNETD_TEST_RETRIES ?? 0),
  expect: { poll: { timeout: 30_000 } },
  hookTimeout: 120_000,
};

export default createConfig(['unit', 'parts']);

/** The configuration of these tests: those that start no other program, and those that do. */
export function createConfig(kinds: readonly ('unit' | 'parts')[]): ViteUserConfig {
  const found = findTests(import.meta.dirname);
  const files = kinds.flatMap((kind) => found[kind]);
  const sharing = files.filter((file) => found.sharing.includes(file));
  // Each process loads the program once, so where little waits there are few. With ten, two processors were idle for a fifth of the run;
  // with fourteen, on a slow machine, what waits for a bounded time waited in vain.
  const workers = kinds.includes('parts')
    ? { longest: 7, shortest: 2, others: 2 }
    : { longest: 3, shortest: 0, others: 2 };
  return defineConfig({
    test: {
      // A process takes many files of the first kind: to start one and load the program costs more than most of them do.
      projects: [
        { test: { ...eachTest, name: 'sharing', include: sharing, isolate: false } },
        { test: { ...eachTest, name: 'own', include: files.filter((file) => !sharing.includes(file)) } },
      ],
      globalSetup: kinds.includes('parts') ? 'test/support/global-setup.ts' : 'test/support/name-the-rest.ts',
      sequence: { sequencer: createWaitingFirst(WAITING, workers) },
      maxWorkers: workers.longest + workers.shortest + workers.others,
    },
  });
}
