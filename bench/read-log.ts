import { createTail } from '../src/watch/logs/file/create-tail.ts';
import { createLogReader } from '../src/watch/logs/match/create-log-reader.ts';
import { packs } from '../src/watch/logs/packs.ts';

/**
 * A child process that reads the log of a node to its end: `node bench/read-log.ts FILE [PATTERN]` with one pattern of the
 * node pack, or all. Prints how many lines there were, and of each pattern how often it matched and the last height, as JSON.
 */
const [path = '', name] = process.argv.slice(2);
const found: Record<string, { count: number; height?: number }> = {};
let lines = 0;
const reader = createLogReader({
  pack: name === undefined ? packs.node : packs.node.filter((pattern) => pattern.name === name),
  own: [],
  timezone: 'UTC',
  now: Date.now,
  onHit: ({ pattern, value }) => {
    found[pattern] ??= { count: 0 };
    found[pattern].count++;
    if (value !== undefined) found[pattern].height = Number(value);
  },
});
const tail = createTail({ path, inode: '' }, 0);
await tail.drain((text, start, end) => {
  lines++;
  reader.read(text, start, end);
});
await tail.close();
process.stdout.write(JSON.stringify({ lines, found }));
