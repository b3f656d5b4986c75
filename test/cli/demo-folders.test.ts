import { mkdirSync, readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, NO_BROWSER, runCli, startCli } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

const DEMO = ['demo', '--listen', '127.0.0.1:0'];

it.each([[DEMO], [[...DEMO, '--config-only']]])(
  '%j leaves no folder behind when a signal ends its start',
  async (words) => {
    const TMPDIR = pathOf('temporary');
    mkdirSync(TMPDIR);
    const running = startCli(words, { ...NO_BROWSER, TMPDIR });
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await eventually(() => expect(readdirSync(TMPDIR)).not.toEqual([]), 60_000, 2);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([0, '']);
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
  90_000,
);

it.each([[DEMO], [[...DEMO, '--config-only']]])(
  '%j says which folder cannot be written',
  async (words) => {
    const TMPDIR = pathOf('missing');
    const { code, stdout, stderr } = await runCli(words, { ...NO_BROWSER, TMPDIR });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^subnetd demo: the temporary folder \S+missing cannot be written \(ENOENT: [^\n]*\); free space there, or name another folder in TMPDIR\n$/,
    );
  },
  60_000,
);
