import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/lib/process.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Something that nobody holds, in a later turn: until its own ends, V8 keeps what a reference was made to. */
async function abandoned(): Promise<WeakRef<object>> {
  const reference = new WeakRef({ of: 'the start' });
  await turn();
  return reference;
}

test('what nobody holds is collected at once, in a process that was started without a flag for it', async () => {
  const reference = await abandoned();
  expect(globalThis.gc).toBeUndefined();
  collectGarbage();
  expect(reference.deref()).toBeUndefined();
  expect(globalThis.gc).toBeUndefined();
});
