import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';

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
