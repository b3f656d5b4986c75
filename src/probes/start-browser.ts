import { lookup } from 'node:dns/promises';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import type { PageObservation } from '../model/observation.ts';
import type { BrowserRef } from '../model/target.ts';

type Why = (PageObservation & { kind: 'no-browser' })['why'];

/** A browser that answers, with the id of its process when it was started here; or why there is none. */
export type Started =
  | { readonly ok: true; readonly browser: Browser; readonly pid?: number }
  | { readonly ok: false; readonly why: Why };

/**
 * Keeps Chromium from asking anybody but the page: no updates, no reports, no translations, no safe browsing, no search
 * engine; and keeps it small. Playwright adds its own flags of this kind.
 */
const FLAGS: readonly string[] = [
  ...['--disable-background-networking', '--disable-component-update', '--disable-domain-reliability'],
  ...['--disable-sync', '--disable-breakpad', '--disable-crash-reporter', '--disable-default-apps', '--no-pings'],
  ...['--disable-client-side-phishing-detection', '--safebrowsing-disable-auto-update', '--dns-prefetch-disable'],
  ...['--no-first-run', '--no-default-browser-check', '--metrics-recording-only', '--disable-extensions'],
  ...['--disable-search-engine-choice-screen', '--disable-gpu', '--mute-audio', '--disable-notifications'],
  ...['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--js-flags=--max-old-space-size=256'],
  ...['--gcm-checkin-url=http://127.0.0.1:9/', '--gcm-registration-url=http://127.0.0.1:9/'],
];

/** What a program at the path lacks to be started, if that can be seen. */
async function lack(executablePath: string): Promise<Why | undefined> {
  const code = await access(executablePath, constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === undefined) return undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'not-executable';
}

/** The browser's process, whose group holds all its children; undefined where the browser does not tell. */
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

async function launch(executablePath: string, timeout: number): Promise<Started> {
  const why = await lack(executablePath);
  if (why !== undefined) return { ok: false, why };
  try {
    const browser = await chromium.launch({
      executablePath,
      timeout,
      headless: true,
      // Chromium refuses to start for root with its sandbox on; for anybody else it is never left out.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [...FLAGS],
      // Our own environment holds secrets, and the signals are ours.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: tmpdir(), LANG: 'C.UTF-8' },
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
    });
    const pid = await pidOf(browser);
    return { ok: true, browser, pid };
  } catch (error) {
    const { message, name } = error as Error;
    if (/no usable sandbox|sandbox_host_linux|--no-sandbox to/i.test(message)) return { ok: false, why: 'sandbox' };
    return { ok: false, why: name === 'TimeoutError' ? 'timeout' : 'no-start' };
  }
}

/** The address with an IP in place of a name, as Chromium refuses to be called by any name but localhost. */
async function withAddress(cdpUrl: string): Promise<string> {
  const url = new URL(cdpUrl);
  // By TLS the name is part of the certificate, and whoever serves it there has to let it pass.
  if (url.protocol !== 'http:' || url.hostname === 'localhost' || isIP(url.hostname.replace(/^\[|\]$/g, '')))
    return cdpUrl;
  const { address, family } = await lookup(url.hostname);
  url.hostname = family === 6 ? `[${address}]` : address;
  return url.href;
}

async function connect(cdpUrl: string, timeout: number): Promise<Started> {
  try {
    const address = await withAddress(cdpUrl);
    return { ok: true, browser: await chromium.connectOverCDP(address, { timeout, noDefaults: true }) };
  } catch (error) {
    return { ok: false, why: (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable' };
  }
}

/** Starts the browser, or connects to it; never rejects, and takes about `timeoutMs` at most. */
export const startBrowser = (ref: BrowserRef, timeoutMs: number): Promise<Started> =>
  'executablePath' in ref ? launch(ref.executablePath, timeoutMs) : connect(ref.cdpUrl, timeoutMs);
