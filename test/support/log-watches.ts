import { onTestFinished } from 'vitest';
import { type Clock, createProcessClock } from '../../src/lib/clock.ts';
import { createDockerLinks } from '../../src/watch/docker/links.ts';
import { createLogWatches } from '../../src/watch/logs/create-log-watches.ts';
import { createMemoryPositions } from '../../src/watch/monitor/create-kept-values.ts';
import { foldLogHit } from '../../src/watch/rules/fold-logs.ts';

/** Log watches that forget everything when the test ends. */
export function useLogWatches(clock: Clock = createProcessClock()) {
  const watches = createLogWatches({
    docker: createDockerLinks(() => {}),
    positions: createMemoryPositions(),
    clock,
    fold: foldLogHit,
    onNews: () => {},
  });
  onTestFinished(watches.stop);
  return watches;
}
