import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startDaemon } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const SECONDS = 20;
const run = promisify(execFile);

const { cleanups, pathOf } = useCleanups();

it.each([4_100, 8_000])(
  'while %d connections send nothing, or one byte of a header a second, probes and scrapes are answered',
  async (count) => {
    writeFileSync(
      pathOf('subnetd.yaml'),
      "subnets: [{ name: devnet, consensus: XDPoS, nodes: [{ name: a, rpc: 'http://127.0.0.1:1' }] }]\n",
    );
    const daemon = await startDaemon(pathOf('subnetd.yaml'));
    cleanups.push(() => daemon.child.kill());
    const open = new Set<Socket>();
    let isOver = false;
    const add = (isDrip: boolean) => {
      const socket = connect(Number(new URL(daemon.url).port), '127.0.0.1');
      open.add(socket);
      socket.on('error', () => {});
      socket.on('connect', () => isDrip && socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: '));
      const timer = isDrip ? setInterval(() => socket.write('a'), 1_000) : undefined;
      // What is closed comes back.
      socket.on('close', () => {
        clearInterval(timer);
        open.delete(socket);
        if (!isOver) setTimeout(() => !isOver && add(isDrip), 100);
      });
      return once(socket, 'connect').catch(() => {});
    };
    cleanups.push(() => {
      isOver = true;
      for (const socket of open) socket.destroy();
    });
    for (let i = 0; i < count; i += 100)
      await Promise.all(Array.from({ length: Math.min(100, count - i) }, (_, at) => add((i + at) % 2 === 0)));

    const answers: number[] = [];
    let slowest = 0;
    for (let second = 0; second < SECONDS; second += 1)
      for (const path of ['/livez', '/metrics']) {
        const started = performance.now();
        // A process of its own: this one is busy with its connections.
        const curl = ['-s', '-m', '10', '-o', '/dev/null', '-w', '%{http_code}', `${daemon.url}${path}`];
        answers.push(
          await run('curl', curl).then(
            ({ stdout }) => Number(stdout),
            ({ code }) => -code,
          ),
        );
        slowest = Math.max(slowest, performance.now() - started);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    console.log({ count, open: open.size, slowestMs: Math.round(slowest) });
    expect(answers).toEqual(answers.map(() => 200));
    expect(daemon.output().match(/too many HTTP connections are open/g)).toHaveLength(1);
  },
  300_000,
);
