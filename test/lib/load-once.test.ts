import { expect, test } from 'vitest';
import { loadOnce } from '../../src/lib/promises.ts';

test('something is loaded once, and a failed load is tried again at the next call', async () => {
  const outcomes = ['no descriptor', undefined, undefined];
  let loads = 0;
  const loaded = loadOnce(async () => {
    const failure = outcomes[loads];
    loads += 1;
    if (failure !== undefined) throw new Error(failure);
    return `load ${loads}`;
  });
  expect(loaded.started()).toBeUndefined();
  await expect(Promise.all([loaded.get(), loaded.get()])).rejects.toThrow('no descriptor');
  expect(loads).toBe(1);
  expect(loaded.started()).toBeUndefined();
  expect(await Promise.all([loaded.get(), loaded.get()])).toEqual(['load 2', 'load 2']);
  expect(await loaded.started()).toBe('load 2');
  expect(loads).toBe(2);
});
