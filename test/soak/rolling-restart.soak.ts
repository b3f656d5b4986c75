import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { HistoryChange } from '../../src/model/history.ts';
import { block } from '../demo/rpc.ts';
import { NO_BROWSER, program, startCli } from '../support/cli.ts';

const NODES = 'subnet1 subnet2 subnet3 subnet4';

/** One masternode that is down costs its timeout, and what interrupts that begins it again. */
const ONE_DOWN_S = 25;

/** As docs/rolling-upgrade.md shows it, at the real pace. */
it('four nodes of the demo are restarted by the loop of the documentation, and no block is missed', async () => {
  const demo = startCli(['demo', '--listen', '127.0.0.1:0'], NO_BROWSER);
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  const [, url = ''] = await demo.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/);
  const [, rpc = ''] = await demo.waitFor(/subnet1 +(http:\S+)/);
  const [, docker = ''] = await demo.waitFor(/docker +(http:\S+)/);
  const begin = (await block(rpc, 'latest')).Number ?? 0;
  const restart = `curl --silent --fail --request POST ${docker}/containers/demo-$n-1/restart`;
  const loop = `for n in ${NODES}; do ${program} safe-to-restart $n --url ${url} --wait 10m && ${restart} || exit 1; done`;
  const shell = spawn('sh', ['-c', loop], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void shell.kill());
  expect((await once(shell, 'close'))[0]).toBe(0);
  const settled = startCli(['safe-to-restart', 'subnet1', '--url', url, '--wait', '10m']);
  expect((await settled.finished).code).toBe(0);

  const end = (await block(rpc, 'latest')).Number ?? 0;
  const numbers = Array.from({ length: end - begin + 1 }, (_, index) => begin + index);
  const times: number[] = [];
  for (const number of numbers) times.push((await block(rpc, `0x${number.toString(16)}`)).Timestamp ?? 0);
  expect(Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)))).toBeLessThanOrEqual(
    ONE_DOWN_S,
  );
  const history = (await (await fetch(`${url}/history.json`)).json()) as { readonly changes: readonly HistoryChange[] };
  expect(JSON.stringify(history)).not.toContain('subnet_halted');
  demo.child.kill('SIGTERM');
  expect((await demo.finished).code).toBe(0);
});
