import { expect, test } from 'vitest';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../src/watch/logs/match/line-form.ts';
import { nodePack } from '../../../src/watch/logs/packs/node-pack.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';

const AT = Date.UTC(2026, 10, 21, 7);

/** How many seconds after 07:00 the log shows that the node started and had its first new block. */
function readStart(lines: readonly string[]) {
  let state: ReturnType<typeof foldLogHit> = {};
  const { read } = createLogReader({
    ...{ pack: nodePack, own: [], timezone: 'UTC', now: () => AT + 90_000 },
    onHit: (hit, line) => {
      state = foldLogHit('node', state, { ...hit, counted: true }, line);
    },
  });
  for (const line of lines.map(toLatin1)) read(line, 0, line.length);
  const secondsOf = (at: number | undefined) => (at === undefined ? undefined : (at - AT) / 1_000);
  return [secondsOf(state.node?.startedAt), secondsOf(state.node?.joinedAt)];
}

const at = (second: number, text: string) => `INFO [11-21|07:00:${String(second).padStart(2, '0')}] ${text}`;
const block = (second: number, number: number) =>
  at(second, `Imported new chain segment               blocks=1 txs=0 elapsed=1ms number=${number} hash=1a2b3c…9f8e7d`);
const head = (second: number, number: number) =>
  at(second, `Loaded most recent local full block      number=${number} hash=1a2b3c…9f8e7d td=9`);
const started = (second: number) =>
  at(second, 'Starting peer-to-peer node               instance=XDC/v2.7.0-devnet/linux-amd64/go1.25.8');

test('a node follows the chain again with its first new block after its start', () => {
  expect(readStart([started(1), block(4, 90), block(6, 91)])).toEqual([1, 4]);
  // The blocks that it has lost at its end count as new, but not the head that it loads.
  expect(readStart([block(2, 99), started(20), head(21, 95), block(31, 96), block(33, 100)])).toEqual([20, 31]);
  expect(readStart([block(2, 99), started(20), head(21, 99), block(31, 99), block(33, 100)])).toEqual([20, 33]);
});

test('after another start it has yet to show one', () => {
  expect(readStart([started(1), block(4, 90), at(20, 'Got interrupt, shutting down...'), started(30)])).toEqual([
    30,
    undefined,
  ]);
});
