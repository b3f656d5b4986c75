import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Status } from '../../src/web/to-status.ts';
import { createActor } from './act.ts';
import { judgeAlerts, type Notification } from './judge-alerts.ts';
import { createSampleJudge } from './judge-samples.ts';
import { raiseSession } from './parts.ts';
import { planSoak } from './plan.ts';
import { drawResources, renderReport } from './render-report.ts';
import { type ProcessSample, sampleProcess, sampleTables, type TableSample } from './resources.ts';
import { describeAlerts, describeWrong, findFailures, type Run } from './soak-run.ts';
import { type Soak, startSoak } from './start-soak.ts';

/** `npm run soak:fleet -- --minutes 60 --seed 1 --out docs/soak.md`: the soak of a whole fleet, and its report. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'docs/soak.md' },
  },
});
const seconds = Number(values.minutes) * 60;
const seed = Number(values.seed);

const SAMPLE_EVERY_MS = 4_000;
const RESOURCES_EVERY_MS = 20_000;
/** Problems clear for two minutes, and alerts fire for three more. */
const SETTLE_WITHIN_MS = 8 * 60_000;

/** What starts on a machine of few processors is slow for a while. */
const WARM_UP_MS = 40_000;

const print = (text: string) => void process.stderr.write(`${text}\n`);

/** The commit that runs, with a note when files differ from it. */
function readCommit(): string {
  const git = (...words: readonly string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', 'src') === '' ? '' : ' with changes'}`;
}

/** Does it again and again until `over` is done. */
async function every(ms: number, over: AbortSignal, work: () => Promise<void>) {
  while (!over.aborted) {
    const next = performance.now() + ms;
    await work();
    await sleep(Math.max(0, next - performance.now()), undefined, { signal: over }).catch(() => {});
  }
}

/** Compares the status of each shard that is ready with the truth. */
function createSampler({ daemons, truth, webhook }: Soak) {
  const judge = createSampleJudge(truth);
  const unanswered: string[] = [];
  let slowestMs = 0;
  const lifeOf = (shard: number) => truth.lives[shard]?.at(-1);
  const sampleOne = async (shard: number) => {
    const life = lifeOf(shard);
    if (life === undefined || life.to < webhook.now()) return;
    const asked = performance.now();
    try {
      const response = await fetch(`${daemons[shard]?.url}/status.json`, { signal: AbortSignal.timeout(5_000) });
      const status = (await response.json()) as Status;
      slowestMs = Math.max(slowestMs, performance.now() - asked);
      if (lifeOf(shard) === life && life.to > webhook.now()) judge.take(shard, status, webhook.now());
    } catch (error) {
      if (lifeOf(shard) === life && life.to > webhook.now())
        unanswered.push(`shard ${shard} at ${Math.round(webhook.now() / 1_000)} s: ${error}`);
    }
  };
  return {
    sample: async () => {
      for (const shard of daemons.keys()) await sampleOne(shard);
    },
    unanswered,
    slowestMs: () => slowestMs,
    result: judge.result,
  };
}

const toNotifications = ({ webhook }: Soak): readonly Notification[] =>
  webhook.messages.flatMap(({ at, alerts }) => alerts.map(({ status, labels }) => ({ at, status, labels })));

/** Waits until Alertmanager shows no alert and has notified of each end, which it does some time later; how long that took. */
async function settle(soak: Soak): Promise<number> {
  const { alertmanager, webhook, truth } = soak;
  const begun = webhook.now();
  for (;;) {
    const left = await alertmanager.alerts();
    const isOver = left.length === 0 && judgeAlerts(truth, toNotifications(soak)).withoutEnd.length === 0;
    const passed = webhook.now() - begun;
    if (isOver || passed > SETTLE_WITHIN_MS) return passed;
    await sleep(2_000);
  }
}

async function runSoak(soak: Soak): Promise<Run> {
  const { webhook, daemons, nodes, database, truth, prometheus } = soak;
  const steps = planSoak(seed, seconds, soak.subnets);
  const actor = createActor(soak);
  const sampler = createSampler(soak);
  const processes: (readonly (ProcessSample | undefined)[])[] = [];
  const tables: TableSample[] = [];
  const loads: number[] = [];
  const over = new AbortController();
  const printed = new Set<string>();
  /** What a run of an hour shows already before its end: that an alert is missed or endless is known only then. */
  const printNew = () => {
    const { doubled, unwanted, late } = judgeAlerts(truth, toNotifications(soak));
    for (const one of [...sampler.result().tooLong.map(describeWrong), ...doubled, ...unwanted, ...late]) {
      // How long it was, or how often, may still grow.
      const subject = one.replace(/(?: for up to|: \d| at \d).*/, '');
      if (!printed.has(subject)) print(one);
      printed.add(subject);
    }
  };
  actor.begin();
  const startedAt = webhook.now();
  const loops = [
    every(SAMPLE_EVERY_MS, over.signal, sampler.sample),
    every(RESOURCES_EVERY_MS, over.signal, async () => {
      const at = webhook.now() - startedAt;
      loads.push(loadavg()[0] ?? 0);
      const pids = [...daemons.map((daemon) => daemon.child()?.pid), nodes.child.pid];
      processes.push(pids.map((pid) => sampleProcess(pid, at)));
      const sizes = await sampleTables(database, at);
      if (sizes !== undefined) tables.push(sizes);
    }),
    every(60_000, over.signal, async () => {
      const { samples, wrong, worst } = sampler.result();
      const longest = [...worst.values()].map(({ compared, forMs }) => `${compared} ${Math.round(forMs / 1_000)} s`);
      printNew();
      print(
        `${Math.round(webhook.now() / 1_000)} s: ${samples} samples, ${wrong} wrong; longest: ${longest.join(', ')}`,
      );
    }),
  ];
  await Promise.race([
    // A part that breaks ends the run.
    Promise.all(loops),
    actor.run(steps).then(() => sleep(Math.max(0, seconds * 1_000 - (webhook.now() - startedAt)))),
  ]);
  const lastedMs = webhook.now() - startedAt;
  actor.heal();
  for (const failure of describeAlerts(judgeAlerts(truth, toNotifications(soak)))) print(`so far ${failure}`);
  const settledAfterMs = await settle(soak);
  over.abort();
  await Promise.all(loops);
  return {
    ...{ seed, seconds, lastedMs, settledAfterMs, steps, truth, processes, tables },
    samples: sampler.result(),
    unanswered: sampler.unanswered,
    slowestAnswerMs: sampler.slowestMs(),
    loads,
    alerts: judgeAlerts(truth, toNotifications(soak)),
    stillFiring: (await soak.alertmanager.alerts()).map(({ labels }) => JSON.stringify(labels)),
    scrapes: {
      count: (await prometheus.value('sum(count_over_time(up[2h]))')) ?? 0,
      seconds: (await prometheus.value('max(max_over_time(scrape_duration_seconds[2h]))')) ?? 0,
      series: (await prometheus.value('sum(max_over_time(scrape_samples_scraped[2h]))')) ?? 0,
    },
  };
}

// The parts end with this process.
process.once('SIGTERM', () => process.exit(1));
process.once('exit', raiseSession(process));
const soak = await startSoak();
await sleep(WARM_UP_MS);
print(`seed ${seed}, ${seconds} s; logs in ${soak.folder}`);
try {
  const run = await runSoak(soak);
  const failures = findFailures(run);
  mkdirSync(join(dirname(values.out), 'images'), { recursive: true });
  writeFileSync(values.out, renderReport(run, failures, readCommit()));
  for (const [file, image] of Object.entries(drawResources(run))) writeFileSync(join(dirname(values.out), file), image);
  for (const failure of failures) print(`FAILED ${failure}`);
  print(`${failures.length === 0 ? 'all held' : `${failures.length} failures`}; the report is ${values.out}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await soak.stop(process.exitCode !== 0);
}
