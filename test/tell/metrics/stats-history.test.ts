import { expect, test } from 'vitest';
import { createLogCollector } from '../../../src/watch/logs/create-log-collector.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { renderPage } from '../../support/render-page.ts';
import { serviceTarget, settings } from '../../support/views.ts';

const START = 1_795_255_000_000;

test('the time of the last history stays over a restart of the stats server until the next one comes', () => {
  const target = serviceTarget('stats');
  const { addHit, read, stop } = createLogCollector({ ...{ target, fold: foldLogHit, begun: 0 }, onNews: () => {} });
  stop();
  const board = createBoard();
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [target], settings };
  board.load({ subnets: [subnet], engines: {}, alertmanager: { urls: [] } }, START);
  const timeAfter = (pattern: string, at: number) => {
    addHit({ pattern, means: 'state', at, counted: true });
    board.foldObservation(target, { kind: 'logs', seen: read() }, START + 60_000);
    const [, time] = /^subnet_stats_last_history_data_timestamp_seconds\{.*\} (.*)/m.exec(page()) ?? [];
    return time === undefined ? undefined : Number(time) * 1_000 - START;
  };
  const page = () => renderPage(board.snapshot(), () => 10);
  expect(timeAfter('started', START)).toBeUndefined();
  expect(timeAfter('history_data', START + 1_000)).toBe(1_000);
  expect(timeAfter('started', START + 20_000)).toBe(1_000);
  expect(timeAfter('history_data', START + 21_000)).toBe(21_000);
});
