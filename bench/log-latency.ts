import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, median, pathOf, round, startFakeNodes, stop } from './measure.ts';

const LINES = 60;
const PATTERN = 'refused_reorg';
const LINE = 'WARN [11-21|07:42:00] Stop reorg, blockchain is under forking attack old committed num=1234\n';

const agent = new http.Agent({ keepAlive: true });

const scrape = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/metrics', agent }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', () => resolve(''));
  });

const COUNT = new RegExp(`^subnet_log_matches_total\\{[^}]*pattern="${PATTERN}"[^}]*\\} (\\d+)$`, 'm');
const readCount = async (port: number): Promise<number> => Number(COUNT.exec(await scrape(port))?.[1] ?? 0);

/**
 * Milliseconds from when a line is written until `/metrics` of the daemon counts it, the scrape that shows it included. `target` is
 * what the inventory says of the log, `rest` what it says beside the subnet.
 */
export async function benchLatency(folder: string, target: string, rest: string, write: (line: string) => void) {
  const { urls, stop: stopNodes } = await startFakeNodes(1, 3);
  const config = join(folder, 'subnetd.yaml');
  const nodeTarget = `{ name: n, rpc: '${urls[0]}', ${target} }`;
  writeFileSync(config, `subnets: [{ name: d, nodes: [${nodeTarget}] }]\n${rest}\n`);
  const port = await freePort();
  const words = ['run', '--config', config, '--listen', `127.0.0.1:${port}`];
  const child = spawn(pathOf('../bin/subnetd'), words, { stdio: 'ignore' });
  try {
    while (!/^subnet_log_source_up\{.*\} 1$/m.test(await scrape(port))) {
      if (child.exitCode !== null) throw new Error('the daemon has ended');
      await sleep(20);
    }
    const waits: number[] = [];
    const scrapes: number[] = [];
    for (let line = 0; line <= LINES; line++) {
      await sleep(50 + 37 * (line % 7));
      const before = await readCount(port);
      const begun = performance.now();
      write(LINE);
      let asked = begun;
      do {
        if (performance.now() - begun > 10_000) throw new Error('a line has not come into /metrics within 10 s');
        asked = performance.now();
      } while ((await readCount(port)) === before);
      // The first one warms up.
      if (line > 0) {
        waits.push(performance.now() - begun);
        scrapes.push(performance.now() - asked);
      }
    }
    return {
      medianMillis: round(median(waits), 1),
      slowestMillis: round(Math.max(...waits), 1),
      ofItOneScrapeMillis: round(median(scrapes), 1),
      lines: LINES,
      goal: 50,
    };
  } finally {
    await stop(child);
    await stopNodes();
  }
}

/** With the log in a file. */
export function benchFileLatency(folder: string) {
  const path = join(folder, 'latency.log');
  writeFileSync(path, '');
  return benchLatency(folder, `logFiles: ['${path}']`, '', (line) => appendFileSync(path, line));
}
