import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { findTests } from './test/support/find-tests.ts';
import { createWaitingFirst } from './test/support/waiting-first.ts';

/** Files that mostly wait for real programs and real time, and about how many seconds on a quiet machine. */
const WAITING: Readonly<Record<string, number>> = {
  'notify/daemon': 130,
  'notify/restart': 50,
  'demo/verdicts': 165,
  'demo/client-words': 260,
  'alerts/notifications': 215,
  'alerts/moved-subnets': 20,
  'fleet/hot-pair': 190,
  'fleet/hot-pair-views': 225,
  'fleet/hot-pair-outage': 270,
  'fleet/move': 140,
  'fleet/whole-fleet': 35,
  'image/image': 115,
  'demo/green': 65,
  'pages/browser': 100,
  'probes/browser': 65,
  'docker/follow-log': 55,
  'prometheus/scrape': 60,
  'logs/tail/kept-positions': 45,
  'commands/browser': 30,
  'portal/browser': 50,
  'portal/life': 75,
  'platform/daemon': 35,
  'probes/recorded-pages': 22,
  'grafana/queries': 22,
  'logs/tail/rotation': 10,
  'commands/backup': 25,
  'commands/command-line': 55,
  'notify/create-push': 20,
  'docker/engine': 18,
  'history/daemon': 45,
  'incidents/daemon': 45,
  'monitor/log-restarts': 18,
  'db/postgres-restart': 15,
  'db/election': 88,
  'probes/killed-browser': 60,
  'db/election-processes': 45,
  'logs/log-watches': 15,
  'alerts/rules': 20,
  'db/slow-disk': 20,
  'db/half-open': 27,
  'db/retention': 18,
  'monitor/hanging-nodes': 30,
  'mail/mailer': 16,
  'monitor/endless-requests': 15,
  'history/stored-history': 12,
  'incidents/start-incidents': 12,
  'monitor/event-storm': 10,
  'deploy/first-run': 8,
  'http/connections': 12,
  'http/basic-auth': 10,
  'http/status-picture': 8,
  'docker/ssh': 25,
  'monitor/many-nodes': 15,
  'monitor/container-restarts': 13,
  'monitor/container-logs': 25,
  'probes/attach-prober': 13,
  'commands/stop': 12,
  'commands/run': 25,
  'commands/descriptors': 30,
  'monitor/docker': 11,
  'db/sqlite-outage': 10,
  'db/busy-postgres': 10,
  'commands/suspended': 10,
  app: 18,
  'logs/tail/rewritten-files': 6,
  'commands/rolling-restart': 18,
  'commands/doctor': 8,
  'commands/health': 8,
  'db/lost-connection': 8,
  'commands/reload': 18,
  'monitor/clock-set': 4,
  'docker/changed-streams': 4,
  'monitor/log-wakes': 4,
  'docker/silent-stream': 3,
};

const eachTest = {
  // Each file is a process: this keeps its compiled libraries, where bin/subnetd keeps those of the program.
  env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/subnetd` },
  // Tests that run at once within one file all wait for most of their time.
  maxConcurrency: 8,
  // Only a bound: a machine on which much else runs needs long for what is quick by itself.
  testTimeout: 60_000,
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
