import { expect, test } from 'vitest';
import { createLogCollector } from '../../../src/watch/logs/create-log-collector.ts';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { toLatin1 } from '../../../src/watch/logs/match/line-form.ts';
import { packs } from '../../../src/watch/logs/packs.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { readRecording } from '../../support/recordings.ts';
import { renderPage } from '../../support/render-page.ts';
import { serviceTarget, settings } from '../../support/views.ts';

const START = 1_795_255_000_000;

/** What the page says of the errors in the log of a frontend, whose runs begin a minute after each other and print a line each 5 ms. */
function countErrors(...runs: readonly (readonly string[])[]): string {
  const target = serviceTarget('frontend');
  const { addHit, read, stop } = createLogCollector({ ...{ target, fold: foldLogHit, begun: 0 }, onNews: () => {} });
  const reader = createLogReader({
    ...{ pack: packs.frontend, own: [], timezone: 'UTC', now: () => START + 600_000 },
    onHit: (hit) => addHit({ ...hit, counted: true }),
  });
  for (const [run, lines] of runs.entries())
    for (const [index, line] of lines.map(toLatin1).entries())
      reader.read(line, 0, line.length, START + run * 60_000 + index * 5);
  stop();
  const board = createBoard();
  board.load(
    {
      subnets: [{ name: 'd', consensus: 'XDPoS', targets: [target], settings }],
      engines: {},
      alertmanager: { urls: [] },
    },
    START,
  );
  board.foldObservation(target, { kind: 'logs', seen: read() }, START);
  return renderPage(board.snapshot(), () => 10).match(/^subnet_frontend_errors_total\{.*log.*/m)?.[0] ?? '';
}

const linesOf = (name: string) => readRecording(name).split('\n');
const heap = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
const page = ' HTTP  11/21/2026 9:00:00 AM 192.0.2.1 Returned 500 in 3 ms';

test.each([
  ['a build that was killed, which the shell and yarn say', [linesOf('frontend-build-sigkill.log')], 1],
  ['a build that fails, which vite and yarn say', [linesOf('frontend-build-failed.log')], 1],
  [
    'a full heap, which Node.js, the shell and yarn say',
    [[heap, 'Aborted', 'error Command failed with exit code 134.']],
    1,
  ],
  ['a build that was killed, which npm says twice', [['npm ERR! errno 137', 'npm ERR! Exit status 137']], 1],
  ['two runs that were killed', [linesOf('frontend-build-sigkill.log'), linesOf('frontend-build-sigkill.log')], 2],
  ['two pages that could not be delivered', [[page, page]], 2],
])('%s is as many errors of the frontend as there were', (_what, runs, errors) => {
  expect(countErrors(...runs)).toBe(`subnet_frontend_errors_total{subnet="d",source="log"} ${errors}`);
});
