import { expect, test } from 'vitest';
import type { Target } from '../../../src/model/target.ts';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { patternsOf } from '../../../src/watch/logs/watch-container-log.ts';
import { nodeTarget } from '../../support/views.ts';

const own = (name: string, match: string) => ({ name, match, means: 'error' as const });

/** What lines of its container's log mean for a target. */
function read(more: Partial<Target>, ...lines: readonly string[]) {
  const { pack, own } = patternsOf({ ...nodeTarget('n1'), ...more } as Target);
  const hits: string[] = [];
  const onHit = ({ pattern, means }: { pattern: string; means: string }) => hits.push(`${pattern} ${means}`);
  const reader = createLogReader({ pack, own, timezone: 'UTC', now: () => 0, onHit });
  for (const line of lines) reader.read(line, 0, line.length);
  return hits;
}

const logFiles = [{ path: '/xdc.log', timezone: 'UTC' }];
const CRASH = 'panic: send on closed channel';
const GENESIS = 'INFO [11-21|07:42:00] Writing custom genesis block ';

test.each([[[]], [logFiles]])('an own pattern replaces that of the pack, with files %j too', (logFiles) => {
  const patterns = [own('panic', '^panic: (?:other)')];
  expect(read({ logFiles }, CRASH)).toEqual(['panic fatal']);
  expect(read({ logFiles, patterns }, CRASH)).toEqual([]);
});

test('with files, the container is read for fatal lines and for what is printed nowhere else', () => {
  const heights = 'INFO [11-21|07:42:00] Imported new chain segment               blocks=1 number=1234';
  expect(read({ logFiles }, heights, CRASH, GENESIS)).toEqual(['panic fatal', 'genesis_written state']);
  const patterns = [own('mine', 'custom'), own('genesis_written', 'custom genesis')];
  expect(read({ logFiles, patterns }, heights, CRASH, GENESIS)).toEqual(['panic fatal', 'genesis_written error']);
});
