import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Loaded into a daemon by `--import`: tells who connects to the socket `REPORT_BLOCKS` the longest blocks since the last question. */
const path = process.env.REPORT_BLOCKS;

if (path !== undefined && isMainThread && process.argv.includes('run')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let cpuAt = cpuMs();
  let longestCpuMs = 0;
  // The time of the processor between two turns leaves out what other programs took of it.
  setInterval(() => {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - cpuAt);
    cpuAt = now;
  }, 1).unref();
  // For the test of this file.
  const blockMs = Number(process.env.REPORT_BLOCKS_AND_BLOCK_MS ?? 0);
  if (blockMs > 0) setInterval(() => blockFor(blockMs), 5 * blockMs).unref();
  rmSync(path, { force: true });
  createServer((socket) => {
    // After the turn that is being measured.
    setTimeout(() => {
      socket.end(JSON.stringify({ wallMs: delay.max / 1e6, cpuMs: longestCpuMs }));
      delay.reset();
      longestCpuMs = 0;
    }, 3);
  })
    .listen(path)
    .unref();
}

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
