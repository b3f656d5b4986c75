import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from './faults.ts';
import { SHARDS } from './fleet.ts';
import type { Step } from './plan.ts';
import type { Soak } from './start-soak.ts';
import { beginSpan, endSpan, type Span, setListed, setMood } from './truth.ts';

/** Does what a plan says, and writes down in the truth when it was done. */
export function createActor({ truth, nodes, daemons, postgres, alertmanager, webhook, writeInventory }: Soak) {
  const { now } = webhook;
  const changeMood = (step: Extract<Step, { episode: unknown }>) => {
    const { episode } = step;
    const { subnet } = episode;
    const mood = step.do === 'begin' ? FAULTS[episode.fault].mood : 'well';
    const spans = truth.episodes.get(episode) ?? [];
    truth.episodes.set(episode, spans);
    if (step.do === 'begin') beginSpan(spans, now());
    else endSpan(spans, now());
    setMood(truth, subnet, episode.nodes, mood, now());
    nodes.set({ nodes: episode.nodes, mood });
  };
  const list = (changed: readonly number[], isListed: boolean) => {
    setListed(truth, changed, isListed, now());
    writeInventory();
  };
  const during = async (spans: Span[], downS: number, end: () => Promise<void>, start: () => Promise<void>) => {
    beginSpan(spans, now());
    await end();
    await sleep(downS * 1_000);
    await start();
    endSpan(spans, now());
  };
  const kill = async (shard: number, downS: number) => {
    const daemon = daemons[shard];
    const lives = truth.lives[shard];
    if (daemon === undefined || lives === undefined) return;
    endSpan(lives, now());
    await daemon.kill('SIGKILL');
    await sleep(downS * 1_000);
    await daemon.start();
    beginSpan(lives, now());
  };
  const act = async (step: Step): Promise<void> => {
    switch (step.do) {
      case 'list':
      case 'unlist':
        return list(step.nodes, step.do === 'list');
      case 'kill':
        return kill(step.shard, step.downS);
      case 'postgres':
        return during(truth.postgresDown, step.downS, () => postgres.halt(step.signal), postgres.resume);
      case 'alertmanager':
        return during(truth.alertmanagerDown, step.downS, () => alertmanager.halt(), alertmanager.start);
      default:
        return changeMood(step);
    }
  };
  return {
    /** All shards are ready. */
    begin: () => {
      for (let shard = 0; shard < SHARDS; shard += 1) beginSpan(truth.lives[shard] ?? [], now());
    },
    /** Does all steps at their times. What takes long does not delay the next, unless both are about the same part. */
    run: async (steps: readonly Step[]): Promise<void> => {
      const started = now();
      const busy = new Map<string, Promise<void>>();
      for (const step of steps) {
        await sleep(Math.max(0, started + step.at * 1_000 - now()));
        const part = step.do === 'kill' ? `shard ${step.shard}` : step.do;
        const done = (busy.get(part) ?? Promise.resolve()).then(() => act(step));
        busy.set(part, done);
        // A part that does not come back ends the run.
        if (!['kill', 'postgres', 'alertmanager'].includes(step.do)) await done;
      }
      await Promise.all(busy.values());
    },
    /** Ends all faults, and lists all nodes. */
    heal: () => {
      for (const [episode, spans] of truth.episodes)
        if (spans.at(-1)?.to === Number.POSITIVE_INFINITY) changeMood({ at: 0, do: 'end', episode });
      list([...truth.nodes.keys()], true);
    },
  };
}
