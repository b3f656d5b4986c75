import { expect, it } from 'vitest';
import { collectGarbage } from '../../../src/lib/process.ts';
import { createSlots } from '../../../src/lib/promises.ts';
import type { NodeTarget } from '../../../src/model/target.ts';
import { createRound } from '../../../src/watch/monitor/create-round.ts';
import { eventually } from '../../support/cli.ts';

/** A round of one target, which nothing here holds. Each of its probes hangs until the test ends it. */
function startRound() {
  const target: NodeTarget = {
    ...{ subnet: 'one', component: 'node', name: 'n1', rpc: 'http://127.0.0.1:1' },
    ...{ logFiles: [], patterns: [], consoleExec: false, expectedPeers: 0 },
  };
  const slots = createSlots(2);
  const ends: (() => void)[] = [];
  const late: string[] = [];
  const round = createRound({
    ...{ subnet: 'one', name: 'rpc', schedule: { kind: 'every', ms: 20 }, timeoutMs: 1_000 },
    targets: [target],
    slots,
    probe: () => new Promise<void>((resolve) => void ends.push(resolve)),
    awakeMs: () => 60_000,
    onFinished: () => {},
    onLate: (_subnet, _round, why) => late.push(why),
  });
  round.start();
  return { round, slots, ends, late, target: new WeakRef(target) };
}

it('a target that leaves while it waits to be probed again is not remembered', async () => {
  const { round, slots, ends, late, target } = startRound();
  // It is due for the second time.
  await eventually(() => expect(late).toContain('overlap'));
  const free = slots.acquire();
  const last = slots.acquire();
  await free;
  ends.shift()?.();
  await last;
  round.continueWith({ targets: [], probe: async () => {} });
  slots.release();
  slots.release();
  await eventually(() => {
    collectGarbage();
    // A failed assertion about the target itself would hold it.
    expect(target.deref() === undefined).toBe(true);
  }, 20_000);
  expect(ends).toEqual([]);
  await round.stop();
});
