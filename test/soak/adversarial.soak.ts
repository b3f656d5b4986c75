import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { hash } from 'bcrypt';
import { expect, it, onTestFinished } from 'vitest';
import { startApiDaemon } from '../support/api-daemon.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type HostileRequest, hostileHeads, hostileRequests, warmUps } from '../support/hostile-shapes.ts';

/** Nothing that a caller without a credential sends may hold the event loop for longer. */
const GOAL_MS = 50;
/** A request that never ends, such as to `/events`, is closed after this. */
const ANSWER_WITHIN_MS = 400;
/** Each shape is sent so often; its block is the median. Collections of the heap, and other programs, disturb single ones. */
const TIMES = 3;
const WARM_UPS = 5;
const SHOWN = 40;

const REPORTER = new URL('../support/report-blocks.ts', import.meta.url);

/** The longest blocks of an event loop since the last question: of the wall clock, and of the processor's time alone. */
interface Blocks {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** A daemon that tells how long its event loop was blocked. */
async function startWatched(environment: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const socketPath = folder.path('blocks.sock');
  const daemon = await startApiDaemon({
    NODE_OPTIONS: `--import=${REPORTER.href}`,
    REPORT_BLOCKS: socketPath,
    SUBNETD_RATE_LIMIT: '0',
    SUBNETD_SIGNIN_LIMIT: '0',
    SUBNETD_TRUSTED_PROXIES: '127.0.0.0/8',
    SUBNETD_CORS_ORIGINS: 'https://a.example',
    ...environment,
  });
  onTestFinished(async () => void (await daemon.end()));
  const { hostname, port } = new URL(daemon.url);
  return {
    /** Sends bytes and reads until the answer ends; resolves to its first line. */
    send: (bytes: Buffer) =>
      new Promise<string>((resolve) => {
        const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
        let answer = '';
        socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
        socket.on('data', (chunk) => {
          if (answer === '') answer = String(chunk).split('\r\n', 1)[0] ?? '';
        });
        socket.on('error', () => {}).on('close', () => resolve(answer));
      }),
    readBlocks: async (): Promise<Blocks> => JSON.parse(await text(connect(socketPath))),
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Sends each request and prints the longest blocks. What each entrance loads for its first request is loaded before. */
async function measure(
  { send, readBlocks }: Awaited<ReturnType<typeof startWatched>>,
  requests: readonly HostileRequest[],
): Promise<void> {
  for (let time = 0; time < WARM_UPS; time += 1) for (const bytes of warmUps()) await send(bytes);
  const rows: (HostileRequest & Blocks & { readonly status: string })[] = [];
  for (const request of requests) {
    const blocks: Blocks[] = [];
    let answer = '';
    for (let time = 0; time < TIMES; time += 1) {
      await readBlocks();
      answer = await send(request.bytes);
      blocks.push(await readBlocks());
    }
    const [cpuMs, wallMs] = [median(blocks.map((one) => one.cpuMs)), median(blocks.map((one) => one.wallMs))];
    rows.push({ ...request, cpuMs, wallMs, status: answer.slice(9, 12) });
  }
  rows.sort((one, other) => other.cpuMs - one.cpuMs);
  const lines = rows
    .slice(0, SHOWN)
    .map(
      ({ cpuMs, wallMs, status, entrance, shape }) =>
        `${cpuMs.toFixed(1).padStart(8)} ${wallMs.toFixed(1).padStart(8)}  ${status.padEnd(4)} ${entrance.padEnd(32)} ${shape}`,
    );
  process.stdout.write(
    `${rows.length} shapes, ${TIMES} times each; the goal is ${GOAL_MS} ms of the processor, without what other programs took
  CPU ms  wall ms  HTTP entrance                         shape\n${lines.join('\n')}\n`,
  );
  expect(rows.filter(({ cpuMs }) => cpuMs > GOAL_MS).map(({ entrance, shape }) => `${entrance}, ${shape}`)).toEqual([]);
}

it(`nothing that is sent without a credential holds the event loop for more than ${GOAL_MS} ms`, async () => {
  await measure(await startWatched({}), hostileRequests());
});

it('nor does a head that a public daemon with users refuses', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const web = folder.path('web.yml');
  writeFileSync(web, `basic_auth_users: { me: '${await hash('pass word', 4)}' }\n`);
  const daemon = await startWatched({ SUBNETD_WEB_CONFIG: web, SUBNETD_PUBLIC: 'true' });
  await measure(daemon, hostileHeads(['/', '/?full', '/badge/devnet.svg', '/feed.atom', '/metrics', '/incidents']));
});

it('a block that is there shows', async () => {
  const { readBlocks } = await startWatched({ REPORT_BLOCKS_AND_BLOCK_MS: '200' });
  await readBlocks();
  await expect.poll(async () => (await readBlocks()).cpuMs, { timeout: 10_000 }).toBeGreaterThan(GOAL_MS);
});
