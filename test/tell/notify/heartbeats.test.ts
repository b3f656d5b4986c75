import { readFile, writeFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { startHeartbeats } from '../../../src/tell/notify/start-heartbeats.ts';
import { eventually, startDaemon } from '../../support/cli.ts';
import { startNode } from '../../support/fake-node.ts';
import { startHookReceiver } from '../../support/hook-receiver.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** Only a bound: a busy machine needs long for what is quick by itself. */
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000 });

const TOKEN = 's3cr3t-t0ken';

async function startReceiver() {
  const receiver = await startHookReceiver();
  cleanups.push(receiver.stop);
  const urlFile = pathOf('url');
  await writeFile(urlFile, `${receiver.url}/ping/${TOKEN}\n`);
  return { receiver, urlFile };
}

/** Heartbeats on a clock that a test moves, with the lines of their log. */
function start() {
  let now = 1_000;
  const lines: unknown[] = [];
  const note = (...words: readonly unknown[]) => void lines.push(...words);
  const heartbeats = startHeartbeats({ log: { warn: note, info: note }, now: () => now, onBug: note });
  cleanups.push(heartbeats.stop);
  return {
    lines,
    set: heartbeats.set,
    /** Seconds pass, in each of which the probes run. */
    run: async (seconds: number, settled: () => void) => {
      for (let left = seconds; left > 0; left -= 1) {
        now += 1_000;
        heartbeats.running();
      }
      await until(settled);
    },
  };
}

it('a heartbeat is a GET at its interval, and stays away when nothing calls it', async () => {
  const { receiver, urlFile } = await startReceiver();
  const { set, run, lines } = start();
  set([{ urlFile, everyMs: 60_000 }]);
  await run(1, () => expect(receiver.requests).toHaveLength(1));
  const [first] = receiver.requests;
  expect([first?.path, first?.text, first?.headers['user-agent']]).toEqual([`/ping/${TOKEN}`, '', 'subnetd']);
  set([{ urlFile, everyMs: 60_000 }]);
  await run(59, () => expect(receiver.requests).toHaveLength(1));
  // The first may still be on its way, and the next begins only then.
  await until(async () => {
    await run(1, () => {});
    expect(receiver.requests).toHaveLength(2);
  });
  expect(lines).toEqual([]);
  set([]);
  await run(600, () => expect(receiver.requests).toHaveLength(2));
});

it('a heartbeat that fails is tried again after ten seconds, and said once, without its address', async () => {
  const { receiver, urlFile } = await startReceiver();
  const { set, run, lines } = start();
  receiver.answer = { status: 404, body: TOKEN };
  set([{ urlFile, everyMs: 60_000 }]);
  await run(1, () => expect(lines).toHaveLength(2));
  expect(lines).toEqual([
    { why: 'heartbeat 1 does not know this address; correct heartbeat[0].urlFile (status 404)' },
    'a heartbeat cannot be sent; subnetd tries again',
  ]);
  await until(async () => {
    await run(10, () => {});
    expect(receiver.requests.length).toBeGreaterThan(1);
  });
  receiver.answer = { status: 200 };
  await until(async () => {
    await run(10, () => {});
    expect(lines.slice(2)).toEqual([{ heartbeat: 1 }, 'the heartbeat is sent again']);
  });
  expect(JSON.stringify(lines)).not.toContain(TOKEN);
});

it('a heartbeat whose file is gone names the file', async () => {
  const { set, run, lines } = start();
  set([{ urlFile: pathOf('none'), everyMs: 60_000 }]);
  await run(1, () => expect(lines).toHaveLength(2));
  expect(lines[0]).toEqual({
    why: `heartbeat 1 cannot be used: heartbeat[0].urlFile: ${pathOf('none')} cannot be read (ENOENT); correct the path or its mode`,
  });
});

it('stays away while the daemon is stopped or its loop is blocked, comes back, and ends with it', async () => {
  const { receiver, urlFile } = await startReceiver();
  const node = await startNode();
  cleanups.push(node.stop);
  const block = pathOf('block.cjs');
  // Blocks the loop until a file is there.
  await writeFile(
    block,
    "process.on('SIGUSR2', () => { while (!require('node:fs').existsSync(process.env.UNBLOCK)); });\n",
  );
  const config = pathOf('subnetd.yaml');
  const devnet = { name: 'devnet', consensus: 'XDPoS', nodes: [{ name: 'a', rpc: node.url }] };
  await writeFile(config, stringify({ subnets: [devnet], heartbeat: [{ urlFile, every: '10s' }] }));
  const unblock = pathOf('unblock');
  const daemon = await startDaemon(config, { NODE_OPTIONS: `--require=${block}`, UNBLOCK: unblock });
  cleanups.push(() => {
    daemon.child.kill('SIGKILL');
    return daemon.finished;
  });
  const LONG_MS = 60_000;
  /** One more arrives. */
  const beats = async () => {
    const before = receiver.requests.length;
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(before), LONG_MS);
  };
  /** Longer than an interval passes without one. */
  const silence = async () => {
    // What was on its way may still arrive.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const before = receiver.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 13_000));
    expect(receiver.requests).toHaveLength(before);
  };
  await beats();
  daemon.child.kill('SIGSTOP');
  await silence();
  daemon.child.kill('SIGCONT');
  await beats();
  daemon.child.kill('SIGUSR2');
  await silence();
  await writeFile(unblock, '');
  await beats();
  daemon.child.kill('SIGKILL');
  await silence();
  expect(daemon.output()).not.toContain(TOKEN);
  expect(await readFile(urlFile, 'utf8')).toContain(TOKEN);
}, 180_000);
