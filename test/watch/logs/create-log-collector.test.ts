import { expect, onTestFinished, test } from 'vitest';
import type { LogHit } from '../../../src/model/log.ts';
import { createLogCollector } from '../../../src/watch/logs/create-log-collector.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { diagnosed, diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { nodeTarget } from '../../support/views.ts';

const START = 1_000_000;

test.each([
  { readAfterStart: 6_000, seenAfterStart: -1 },
  { readAfterStart: 59_999, seenAfterStart: -1 },
  { readAfterStart: 60_000, seenAfterStart: 60_000 },
  { readAfterStart: -5_000, seenAfterStart: -5_000 },
])(
  'a sign that is read before the line of a start is of the run before, read $readAfterStart ms after it',
  ({ readAfterStart, seenAfterStart }) => {
    const { addHit, read, stop } = createLogCollector({
      ...{ target: nodeTarget('n1'), fold: foldLogHit, begun: 0 },
      onNews: () => {},
    });
    onTestFinished(stop);
    const hit = (pattern: string, means: LogHit['means'], at: number): LogHit => ({
      pattern,
      means,
      at,
      counted: true,
    });
    addHit(hit('too_many_open_files', 'error', START + readAfterStart));
    addHit(hit('node_started', 'note', START));
    expect(read().node?.startedAt).toBe(START);
    expect(read().patterns.too_many_open_files?.at).toBe(START + seenAfterStart);
    addHit(hit('too_many_open_files', 'error', START + 70_000));
    expect(read().patterns.too_many_open_files?.at).toBe(START + 70_000);
  },
);

test('a sign keeps its moment when a start from before it is read late, as in a folder that is back', () => {
  const { addHit, read, stop } = createLogCollector({
    ...{ target: nodeTarget('n1'), fold: foldLogHit, begun: 0 },
    onNews: () => {},
  });
  onTestFinished(stop);
  const known = diagnosedNode('n1', ['n1', 'n2']);
  const said = () => {
    const logs = { ...known.facts.logs, ...read(), sources: known.facts.logs?.sources ?? {} };
    const found = diagnosed([{ ...known, facts: { ...known.facts, logs } }]);
    return found.find(({ problem }) => problem === 'disk_full')?.evidence.match(/last [^.]*UTC\)/)?.[0];
  };
  addHit({ pattern: 'disk_full', means: 'fatal', at: NOW - 17_000, counted: false });
  expect(said()).toBe('last 17s ago (02:46:23 UTC)');
  addHit({ pattern: 'node_started', means: 'note', at: NOW - 66_000, counted: false });
  expect(said()).toBe('last 17s ago (02:46:23 UTC)');
});
