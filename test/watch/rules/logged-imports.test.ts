import { expect, test } from 'vitest';
import { isSampled } from '../../../src/model/lag.ts';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../src/watch/logs/match/line-form.ts';
import { nodePack } from '../../../src/watch/logs/packs/node-pack.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';

const NUMBER = Array.from({ length: 100 }, (_, index) => 100_000 + index).find(isSampled) ?? 0;

/** What is kept of the import in some lines. */
function readImport(lines: readonly string[], counted = true) {
  let state = {};
  const { read } = createLogReader({
    ...{ pack: nodePack, own: [], timezone: 'UTC', now: () => Date.UTC(2026, 10, 21, 7, 0, 30) },
    onHit: (hit, line) => {
      state = foldLogHit('node', state, { ...hit, counted }, line);
    },
  });
  for (const line of lines.map(toLatin1)) read(line, 0, line.length);
  return (state as ReturnType<typeof foldLogHit>).node?.imported;
}

const segment = (elapsed: string, number: string | number = NUMBER) =>
  `INFO [11-21|07:00:00] Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=${elapsed} mgasps=0.000 number=${number} hash=1a2b3c…9f8e7d cache=12.31kB`;
const AT = Date.UTC(2026, 10, 21, 7);

test.each([
  ['1.204ms', 1.204],
  ['655.002µs', 0.655],
  ['12ms', 12],
  ['1.5s', 1_500],
  ['1m2.5s', 62_500],
])('an import that took %s took %d ms', (elapsed, ms) => {
  const imported = readImport([segment(elapsed)]);
  expect(imported).toMatchObject({ number: NUMBER, at: AT });
  expect(imported?.tookMs).toBeCloseTo(ms, 3);
});

test('an import of XDPoSChain counts in each form of its log, and one that does not say how long it took', () => {
  const [commas, hash] = [NUMBER.toLocaleString('en'), '0xcc01'];
  const lines = [
    segment('"1.597ms"', commas).replace('07:00:00]', '07:00:00.000]'),
    `t=2026-11-21T07:00:00+0000 lvl=info msg="Imported new chain segment" blocks=1 elapsed=1.597ms number=${commas} hash=${hash}`,
    `{"t":"2026-11-21T07:00:00+0000","lvl":"info","msg":"Imported new chain segment","blocks":1,"elapsed":"1.597ms","number":"${commas}"}`,
  ];
  for (const line of lines) expect(readImport([line])).toEqual({ number: NUMBER, at: AT, tookMs: 1.597 });
  expect(readImport([segment('x').replace('elapsed=x ', '')])).toEqual({ number: NUMBER, at: AT, tookMs: undefined });
});

test('an import counts although another line has shown its block before', () => {
  const first = `DEBUG[11-21|07:00:00] [processQC] update x.highestQuorumCert   blockNum=${NUMBER} round=9`;
  expect(readImport([first, segment('1ms')])?.number).toBe(NUMBER);
});

test('blocks that are not compared, lines of before and other lines are no imports', () => {
  const other = Array.from({ length: 100 }, (_, index) => NUMBER + index).find((one) => !isSampled(one));
  expect(readImport([segment('1ms', other)])).toBeUndefined();
  expect(readImport([segment('1ms')], false)).toBeUndefined();
  expect(
    readImport([segment('1ms').replace('Imported new chain segment', 'Committing new block      ')]),
  ).toBeUndefined();
});
