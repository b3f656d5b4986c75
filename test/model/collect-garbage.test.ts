import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { collectGarbage } from '../../src/model/collect-garbage.ts';
import { runCli } from '../support/cli.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.unstubAllGlobals());

/** Something that nobody holds, in a later turn: until its own ends, V8 keeps what a reference was made to. */
async function abandoned(): Promise<WeakRef<object>> {
  const reference = new WeakRef({ of: 'the start' });
  await turn();
  return reference;
}

test('what nobody holds is collected at once', async () => {
  setFlagsFromString('--expose-gc');
  vi.stubGlobal('gc', runInNewContext('gc'));
  const reference = await abandoned();
  collectGarbage();
  expect(reference.deref()).toBeUndefined();
});

test('a process that was started without the flag goes on without', async () => {
  vi.stubGlobal('gc', undefined);
  const reference = await abandoned();
  collectGarbage();
  expect(reference.deref()).toEqual({ of: 'the start' });
});

test('bin/subnetd starts a process that can collect it', async () => {
  const report = encodeURIComponent("process.stderr.write('gc: ' + typeof gc)");
  const { stderr } = await runCli(['version'], { NODE_OPTIONS: `--import=data:text/javascript,${report}` });
  expect(stderr).toContain('gc: function');
});
