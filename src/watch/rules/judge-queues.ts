import { formatAgo, formatDuration } from '../../lib/duration.ts';
import { SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import { failsNow, hasJobs, type QueueFacts } from '../../model/observation.ts';
import type { ServiceTarget } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, unknown } from '../../model/verdict.ts';
import type { View } from './view.ts';

/** A relayer that has just started has no jobs yet. */
const START_MS = 60_000;

const nameOf = ({ mode }: QueueFacts): string => mode.toUpperCase();

/** A queue of a mode in use that is paused: its jobs wait, and nothing else shows why. */
export function findPaused({ facts }: Pick<View, 'facts'>): Finding | undefined {
  const paused = facts.service?.queues?.find((queue) => queue.isPaused && hasJobs(queue));
  return (
    paused && {
      seen: `the queue ${nameOf(paused)} of the relayer is paused, with ${paused.waiting} jobs waiting, so it submits nothing`,
      fix: 'restart its container, which begins with new queues',
    }
  );
}

/** A queue whose last jobs failed lately, and after this time. Its log may not show it. */
export function findFailing(
  { facts, settings, now }: Pick<View, 'facts' | 'settings' | 'now'>,
  after = Number.NEGATIVE_INFINITY,
): Finding | undefined {
  const isRecent = (at = 0) => at > after && now - at < settings.logs.errorWindowMs;
  const failing = facts.service?.queues?.find((queue) => failsNow(queue) && isRecent(queue.failedAt));
  return (
    failing && {
      seen: `the last jobs of the queue ${nameOf(failing)} failed, ${formatAgo(failing.failedAt ?? now, now)} (${failing.failed} failed, ${failing.completed} completed since its start)`,
    }
  );
}

function findLate(queue: QueueFacts, { settings, now }: View<ServiceTarget>): Finding | undefined {
  const limitMs = settings.logs.submissionsWithinMs ?? SUBMITS_WITHIN_MS[queue.mode];
  const silentMs = now - (queue.completedAt ?? queue.since);
  if (silentMs < limitMs) return undefined;
  const { active, waiting } = queue;
  return {
    seen: `the queue ${nameOf(queue)} of the relayer has completed no job for ${formatDuration(silentMs)} (limit ${formatDuration(limitMs)}; ${active} active, ${waiting} waiting, ${queue.failed} failed)`,
    fix: 'restart its container',
  };
}

/** Whether the relayer works, by its queues only: a witness in the place of a log that cannot be read, as `unread` says. */
export function judgeQueues(view: View<ServiceTarget>, unread: Judgement): Judgement {
  const { service } = view.facts;
  if (!service?.observation.ok || service.queues === undefined || service.queues.length === 0) return unread;
  const more = unread.fix ?? 'name its container or logFiles in the inventory, so that its log is read';
  const working = service.queues.filter(hasJobs);
  const since = Math.max(...service.queues.map((queue) => queue.since));
  const ageMs = view.now - since;
  if (working.length === 0)
    return ageMs < START_MS
      ? unknown('the queues of the relayer are empty, as shortly after its start', more)
      : fail(
          `the queues of the relayer have been empty for ${formatDuration(ageMs)}, so it runs in no mode`,
          'deploy the checkpoint contract, set CHECKPOINT_CONTRACT in common.env and restart it',
        );
  const found = findFailing(view) ?? working.map((queue) => findLate(queue, view)).find((late) => late !== undefined);
  if (found !== undefined) return fail(found.seen, `${found.fix ?? 'read its log, which should name why'}; ${more}`);
  const names = working.map(nameOf).join(', ');
  const last = working.flatMap(({ completedAt }) => completedAt ?? []);
  const seen =
    last.length === 0
      ? `the queues of the relayer (${names}) show no failed job`
      : `the queues of the relayer (${names}) completed a job ${formatAgo(Math.max(...last), view.now)}`;
  return degraded(`${seen}; whether it submitted blocks, only its log and its contract show`, more);
}
