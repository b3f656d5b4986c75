import { createDockerLink } from '../src/watch/docker/links.ts';
import { followLog } from '../src/watch/logs/container/follow-log.ts';
import { createLogReader } from '../src/watch/logs/match/create-log-reader.ts';
import { packs } from '../src/watch/logs/packs.ts';
import { createMemoryPositions } from '../src/watch/monitor/create-kept-values.ts';

/**
 * A child process that follows the log of a container: `node bench/follow-log.ts SOCKET NAME LINES`. After so many lines it
 * prints how long that took since it has found the container once, and the memory that it has by then, as JSON.
 */
const [socketPath = '', name = '', lines = '0'] = process.argv.slice(2);
const docker = createDockerLink(() => {});
docker.setAddress({ socketPath });
const find = (signal: AbortSignal) => docker.findLog({ name }, signal);
await find(AbortSignal.timeout(60_000));

const last = Number(lines);
let read = 0;
let matches = 0;
const resident: number[] = [];
const done = Promise.withResolvers<void>();
const reader = createLogReader({
  pack: packs.node,
  own: [],
  timezone: 'UTC',
  now: Date.now,
  onHit: () => void matches++,
});
const begun = performance.now();
const { user, system } = process.cpuUsage();
const { stop } = followLog({
  source: 'bench',
  positions: createMemoryPositions(),
  find,
  openLog: docker.openLog,
  openTail: docker.openTail,
  startAt: 0,
  onLine: (text, start, end, at) => {
    reader.read(text, start, end, at);
    if (++read % 10_000 === 0) resident.push(process.memoryUsage.rss() / 1e6);
    if (read === last) done.resolve();
  },
  onState: () => {},
});
await done.promise;
const millis = performance.now() - begun;
const cpu = process.cpuUsage({ user, system });
const quarters = [0, 1, 2, 3].map((quarter) =>
  Math.max(...resident.slice((quarter * resident.length) / 4, ((quarter + 1) * resident.length) / 4)),
);
process.stdout.write(JSON.stringify({ millis, cpuSeconds: (cpu.user + cpu.system) / 1e6, matches, quarters }));
await stop();
docker.stop();
