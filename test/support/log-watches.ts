import { onTestFinished } from 'vitest';
import { createDockerLinks } from '../../src/docker/links.ts';
import { createLogWatches } from '../../src/logs/create-log-watches.ts';
import { createMemoryPositions } from '../../src/logs/tail/create-memory-positions.ts';
import { createProcessClock } from '../../src/model/clock.ts';
import { foldLogHit } from '../../src/rules/fold-logs.ts';

/** Log watches that forget everything when the test ends. */
export function useLogWatches() {
  const watches = createLogWatches({
    docker: createDockerLinks(() => {}),
    positions: createMemoryPositions(),
    clock: createProcessClock(),
    fold: foldLogHit,
    onNews: () => {},
  });
  onTestFinished(watches.stop);
  return watches;
}
