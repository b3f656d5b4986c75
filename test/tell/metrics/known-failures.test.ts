import { expect, test } from 'vitest';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { renderPage } from '../../support/render-page.ts';
import { serviceTarget, settings } from '../../support/views.ts';

const START = 1_795_255_000_000;

test('a known failure is 1 for ten minutes after its last sign, even when it is over, and the others are 0', () => {
  const target = { ...serviceTarget('relayer'), logFiles: [{ path: '/r', timezone: 'UTC' }] } as const;
  const board = createBoard();
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [target], settings };
  board.load({ subnets: [subnet], engines: {}, alertmanager: { urls: [] } }, START);
  const sign = { means: 'error', count: 1, at: START, order: 1, what: 'no coins', own: false } as const;
  const shown = (submittedAt?: number) => {
    const relayer = { byMode: {}, submissions: 1, ...(submittedAt && { submittedAt }) };
    const seen = { sources: {}, patterns: { no_funds: sign }, relayer };
    board.recordRun(target, 'logs', { kind: 'logs', seen }, 0, START + 9_000);
    return renderPage(board.snapshot(), () => 10).match(/^subnet_known_failure\{.*/gm);
  };
  const named = (failure: string, value: number) =>
    `subnet_known_failure{subnet="d",component="relayer",name="relayer",failure="${failure}"} ${value}`;
  for (const lines of [shown(), shown(START + 1)]) {
    expect(lines).toContain(named('wallet_without_funds', 1));
    expect(lines).toContain(named('relayer_dead', 0));
  }
});
