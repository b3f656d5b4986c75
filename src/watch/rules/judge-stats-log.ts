import { formatAgo, formatDuration } from '../../lib/duration.ts';
import type { LogFacts } from '../../model/facts.ts';
import type { ServiceTarget } from '../../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { readLog, readSince } from './find-log-fault.ts';
import type { View } from './view.ts';

/** A node answers the stats server's request for its history within seconds of the start. */
const HISTORY_GRACE_MS = 60_000;

/** A failure of reading or of the program, which is judged before any data line. */
function judgeBefore(view: View<ServiceTarget>): Judgement | LogFacts {
  const logs = readLog(view, 'the debug log of the stats server');
  if (!('verdict' in logs) && logs.stats?.isStdout && logs.stats.block === undefined)
    return unknown(
      'this is what the stats server prints to stdout',
      'name the files of logs/debug in logFiles, which hold its data lines',
    );
  return logs;
}

/** Does the stats server get new blocks? Nodes repeat the last one when the chain is stalled, so the number must rise. */
export function judgeBlockData(view: View<ServiceTarget>): Judgement {
  const logs = judgeBefore(view);
  if ('verdict' in logs) return logs;
  const { facts, settings, now } = view;
  const { blockDataWithinMs } = settings.logs;
  const block = logs.stats?.block;
  const since = readSince(facts, now);
  if (block === undefined)
    return now - since < blockDataWithinMs
      ? unknown('the debug log of the stats server has shown no block yet, and has time to')
      : fail(
          `no node has sent the stats server a block for ${formatDuration(now - since)}`,
          'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes',
        );
  const age = now - block.risenAt;
  if (age < blockDataWithinMs)
    return pass(`the stats server got block ${block.number} ${formatAgo(block.risenAt, now)}`);
  return now - block.at < blockDataWithinMs
    ? fail(
        `the stats server gets block ${block.number} again and again for ${formatDuration(age)}`,
        'check the nodes, as the chain is stalled',
      )
    : fail(
        `the stats server has got no block for ${formatDuration(now - block.at)}`,
        'check that the nodes run and reach it at STATS_SERVICE_ADDRESS',
      );
}

/** Has a node sent its history since the stats server started? It comes once per connection. */
export function judgeHistoryData(view: View<ServiceTarget>): Judgement {
  const logs = judgeBefore(view);
  if ('verdict' in logs) return logs;
  const { now, facts } = view;
  const observation = facts.container?.observation;
  const container = observation?.kind === 'found' ? observation.container.startedAt : undefined;
  const { historyAt, startedAt = container } = logs.stats ?? {};
  // The container's and the log's times differ in resolution: a line may carry the second before.
  if (historyAt !== undefined && (startedAt === undefined || historyAt >= startedAt - 1_000))
    return pass(`a node sent its history to the stats server ${formatAgo(historyAt, now)}`);
  if (startedAt === undefined)
    return unknown('neither the start of the stats server nor a history is in the log that can be read');
  return now - startedAt < HISTORY_GRACE_MS
    ? unknown('the stats server has just started, and no node has sent its history yet')
    : fail(
        `no node has sent its history since the stats server started ${formatAgo(startedAt, now)}`,
        'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes',
      );
}
