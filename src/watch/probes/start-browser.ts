import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { lookup } from 'node:dns/promises';
import { constants } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { PageObservation } from '../../model/observation.ts';
import type { BrowserRef } from '../../model/target.ts';

type Why = (PageObservation & { kind: 'no-browser' })['why'];

/** A running browser, with its process id and its folder when it was started here; or why there is none. */
export type Started =
  | {
      readonly ok: true;
      readonly browser: Browser;
      readonly pid?: number | undefined;
      readonly folder?: string;
      /** Was it killed because a page had it send too much? */
      readonly isFlooded?: () => boolean;
    }
  | { readonly ok: false; readonly why: Why };

/**
 * Parts of Chromium that are off, by the names in its source. Of two lists Chromium takes the last, which is ours, so the
 * first lines are Playwright's own. The popups of the address bar are pages that Chromium loads for each window, and so for
 * each visit: they took two thirds of its processor time.
 */
export const FEATURES_OFF: readonly string[] = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  ...['PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/**
 * Keeps Chromium small, and from contacting anybody but the page: no updates, reports, translations, safe browsing or
 * search engines. Playwright adds similar flags.
 */
const FLAGS: readonly string[] = [
  ...['--disable-background-networking', '--disable-component-update', '--disable-domain-reliability'],
  ...['--disable-sync', '--disable-breakpad', '--disable-crash-reporter', '--disable-default-apps', '--no-pings'],
  ...['--disable-client-side-phishing-detection', '--safebrowsing-disable-auto-update', '--dns-prefetch-disable'],
  ...['--no-first-run', '--no-default-browser-check', '--metrics-recording-only', '--disable-extensions'],
  ...['--disable-search-engine-choice-screen', '--disable-gpu', '--mute-audio', '--disable-notifications'],
  ...['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--js-flags=--max-old-space-size=256'],
  `--disable-features=${FEATURES_OFF.join()}`,
  ...['--gcm-checkin-url=http://127.0.0.1:9/', '--gcm-registration-url=http://127.0.0.1:9/'],
];

/** Why a program cannot be started from this path, as far as that can be checked. */
async function checkExecutable(executablePath: string): Promise<Why | undefined> {
  const code = await access(executablePath, constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === undefined) return undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'not-executable';
}

/**
 * The id of the browser's process, whose group holds all its children. Undefined when the browser does not report it.
 */
async function pidOf(browser: Browser): Promise<number | undefined> {
  try {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo.find(({ type }) => type === 'browser')?.id;
  } catch {
    return undefined;
  }
}

/** Removes the folder of a browser that has ended. */
export async function removeFolder(folder: string | undefined): Promise<void> {
  // Its last processes may still write there.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
}

/** Far more than Chromium reports of anything; a page can make it report a text as long as its memory allows. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** The number of the pipe on which Chromium answers Playwright, which would collect a message of any length. */
const ANSWERS = 4;

/** Kills a browser that sends a longer message. Messages end with a zero byte. Returns whether that has happened. */
function limitMessages(child: ChildProcess | undefined): () => boolean {
  let size = 0;
  let isOver = false;
  child?.stdio[ANSWERS]?.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(0);
    size = end === -1 ? size + chunk.length : chunk.length - end - 1;
    if (size <= MAX_MESSAGE_BYTES || isOver) return;
    isOver = true;
    child.kill('SIGKILL');
  });
  return () => isOver;
}

/** The processes that are started while `work` runs: Playwright does not say which one is its browser. */
async function collectProcesses<T>(work: () => Promise<T>) {
  const processes: ChildProcess[] = [];
  const collect = (message: unknown) => void processes.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', collect);
  try {
    return { value: await work(), processes };
  } finally {
    unsubscribe('child_process', collect);
  }
}

async function launch(executablePath: string, timeout: number): Promise<Started> {
  const why = await checkExecutable(executablePath);
  if (why !== undefined) return { ok: false, why };
  // A browser that is killed leaves what it has in the temporary folder.
  const folder = await mkdtemp(join(tmpdir(), 'subnetd-browser-'));
  try {
    const { value: browser, processes } = await collectProcesses(() =>
      chromium.launch({
        executablePath,
        timeout,
        headless: true,
        // Chromium refuses to run as root with its sandbox. For other users the sandbox always stays on.
        chromiumSandbox: process.getuid?.() !== 0,
        args: [...FLAGS],
        // Our own environment holds secrets, and we handle the signals.
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: tmpdir(), TMPDIR: folder, LANG: 'C.UTF-8' },
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
      }),
    );
    const pid = await pidOf(browser);
    const isFlooded = limitMessages(processes.find((one) => one.pid === pid));
    return { ok: true, browser, pid, folder, isFlooded };
  } catch (error) {
    await removeFolder(folder);
    const { message, name } = error as Error;
    if (/no usable sandbox|sandbox_host_linux|--no-sandbox to/i.test(message)) return { ok: false, why: 'sandbox' };
    return { ok: false, why: name === 'TimeoutError' ? 'timeout' : 'no-start' };
  }
}

/** The address with the IP of its host: Chromium refuses to be called by any name but localhost. */
async function withIpAddress(cdpUrl: string): Promise<string> {
  const url = new URL(cdpUrl);
  // With TLS the certificate needs the name, so the server there must allow it.
  if (url.protocol !== 'http:' || url.hostname === 'localhost' || isIP(url.hostname.replace(/^\[|\]$/g, '')))
    return cdpUrl;
  const { address, family } = await lookup(url.hostname);
  url.hostname = family === 6 ? `[${address}]` : address;
  return url.href;
}

async function connect(cdpUrl: string, timeout: number): Promise<Started> {
  try {
    const address = await withIpAddress(cdpUrl);
    return { ok: true, browser: await chromium.connectOverCDP(address, { timeout, noDefaults: true }) };
  } catch (error) {
    return { ok: false, why: (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable' };
  }
}

/** Starts the browser or connects to it. Never rejects; takes about `timeoutMs` at most. */
export const startBrowser = (ref: BrowserRef, timeoutMs: number): Promise<Started> =>
  'executablePath' in ref ? launch(ref.executablePath, timeoutMs) : connect(ref.cdpUrl, timeoutMs);
