import { expect, test } from 'vitest';
import { createReloads } from '../../src/inventory/create-reloader.ts';

test('reloads run one at a time, and one that waits serves everybody who asks meanwhile', async () => {
  const log: string[] = [];
  const reload = createReloads(async (why) => {
    log.push(`begin ${why}`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${why}`);
    return [why];
  });
  const first = reload('first');
  await Promise.resolve();
  const answers = await Promise.all([first, reload('second'), reload('third')]);
  expect(answers).toEqual([['first'], ['second'], ['second']]);
  expect(log).toEqual(['begin first', 'end first', 'begin second', 'end second']);
  expect(await reload('fourth')).toEqual(['fourth']);
});
