import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { PageObservation } from '../../../src/model/observation.ts';
import { type Browser, createBrowser } from '../../../src/watch/probes/browser.ts';
import { findChromium, listDescendants, type Process } from '../../support/chromium.ts';
import { pageWith, servePages } from '../../support/pages.ts';
import { useFolder } from '../../support/recordings.ts';

const TIMEOUT_MS = 20_000;
const nothing = { kind: 'visited', consoleErrors: 0, exceptions: 0, failedRequests: 0 };

let browser: Browser;
let before: ReadonlySet<number>;

const ours = (): readonly Process[] => listDescendants(process.pid).filter(({ pid }) => !before.has(pid));
const isMain = ({ parent, state }: Process) => parent === process.pid && state !== 'Z';
const isOf =
  (type: string) =>
  ({ command }: Process) =>
    command.includes(`--type=${type}`);

beforeAll(() => {
  before = new Set(listDescendants(process.pid).map(({ pid }) => pid));
});

test.each<readonly [string, (one: Process) => boolean, NodeJS.Signals, Partial<PageObservation>]>([
  ['whole browser is killed', isMain, 'SIGKILL', { kind: 'no-browser', why: 'died' }],
  ['renderer is killed', isOf('renderer'), 'SIGKILL', { kind: 'no-page', why: 'crashed' }],
  ['zygotes are killed, so that no renderer can start', isOf('zygote'), 'SIGKILL', { kind: 'no-page', why: 'timeout' }],
  ['browser is frozen', isMain, 'SIGSTOP', { kind: 'no-page', why: 'timeout' }],
])(
  'a visit whose %s ends with a reason, the next one opens its page, and nothing is left of either',
  async (_, isHit, signal, expected) => {
    const folder = useFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    browser = createBrowser({ executablePath: findChromium() });
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const url = await servePages({
      '/': pageWith(''),
      '/hangs': pageWith('', '<img src="/never">'),
      '/never': () => resolve(),
    });
    const visiting = browser.visit(`${url}/hangs`, [], TIMEOUT_MS);
    // A machine that is too slow for the page to begin shows it here.
    expect(await Promise.race([asked, visiting])).toBe(undefined);
    const hit = ours().filter(isHit);
    expect(hit).not.toEqual([]);
    for (const { pid } of hit) process.kill(pid, signal);
    expect(await visiting).toEqual(expected);
    expect(await browser.visit(`${url}/`, [], TIMEOUT_MS)).toEqual(nothing);
    await browser.stop();
    await vi.waitFor(
      () => expect(ours().filter(({ parent, state }) => parent === process.pid || state !== 'Z')).toEqual([]),
      {
        timeout: 30_000,
      },
    );
    const left = () => readdirSync(folder).filter((name) => /playwright|chromium|subnetd/i.test(name));
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 30_000 });
  },
  150_000,
);

afterAll(() => browser.stop());
