import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, program, startCli, temporaryFolder } from '../support/cli.ts';

const INVENTORY = `
subnets:
  - name: devnet
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }]
    checks: { rpc: { schedule: every 1s, timeout: 1s } }
`;

/** What the program ends with once nobody reads its output any more. */
async function endUnread(words: readonly string[], begun: RegExp, then: NodeJS.Signals | undefined) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const running = startCli(words, {
    SUBNETD_CONFIG: config,
    SUBNETD_LISTEN: '127.0.0.1:0',
    SUBNETD_DATABASE_URL: `sqlite:${folder.path('subnetd.db')}`,
  });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.waitFor(begun);
  running.child.stdout?.destroy();
  if (then !== undefined) running.child.kill(then);
  return running.finished;
}

test.each<readonly [string, readonly string[], RegExp, NodeJS.Signals | undefined]>([
  ['demo', ['demo'], /the status of every check/, undefined],
  ['demo --config-only', ['demo', '--config-only'], /subnets:/, 'SIGTERM'],
  ['run, with the next line of its log', ['run'], /"listening"/, 'SIGHUP'],
  ['run that is told to end', ['run'], /"listening"/, 'SIGTERM'],
  ['demo --list-faults', ['demo', '--list-faults', '--json'], /node-stalled/, undefined],
])(
  '%s ends quietly when nobody reads what it prints',
  async (_what, words, begun, signal) => {
    const { code, stderr } = await endUnread(words, begun, signal);
    expect([code, stderr]).toEqual([0, '']);
  },
  120_000,
);

test('a command whose output finds no space says so, without a stack', () => {
  const { status, stderr } = spawnSync('sh', ['-c', 'exec "$0" explain > /dev/full', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    'subnetd: stdout cannot be written (ENOSPC), so some output is lost; free space there, and run it again\n',
  ]);
});

/** A port that nobody has just now. */
const findPort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

test('a daemon whose log finds no space lives on', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const config = folder.path('subnetd.yaml');
  writeFileSync(config, INVENTORY);
  const listen = `127.0.0.1:${await findPort()}`;
  const env = {
    SUBNETD_CONFIG: config,
    SUBNETD_LISTEN: listen,
    SUBNETD_DATABASE_URL: `sqlite:${folder.path('subnetd.db')}`,
  };
  const running = startCli(['run'], env, ['sh', '-c', 'exec "$@" > /dev/full', 'sh']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await eventually(async () => expect((await fetch(`http://${listen}/readyz`)).status).toBe(200));
  running.child.kill('SIGTERM');
  expect(await running.finished).toEqual({ code: 0, stdout: '', stderr: '' });
}, 120_000);
