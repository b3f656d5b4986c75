import { expect, onTestFinished } from 'vitest';
import { eventually, startCli } from './cli.ts';
import { readStatus } from './read-status.ts';

/** Runs the demo and expects every check to pass at every second after all have passed. */
export async function expectGreenDemo(seconds: number): Promise<void> {
  const demo = startCli(['demo', '--listen', '127.0.0.1:0']);
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  const [, url = ''] = await demo.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/);
  const expectAllPass = async () => {
    const status = await readStatus(url);
    const checks = status.subnets.flatMap(({ targets }) => targets.flatMap((target) => target.checks));
    expect(checks.length).toBeGreaterThanOrEqual(29);
    expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  };
  // The browser takes longest to start, but on a busy machine another first probe may time out and wait for its next round.
  await eventually(expectAllPass, 120_000, 500);
  await demo.waitFor(/pass .*frontend console/);
  for (let second = 0; second < seconds; second++) {
    await expectAllPass();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  demo.child.kill('SIGTERM');
  expect((await demo.finished).code).toBe(0);
}
