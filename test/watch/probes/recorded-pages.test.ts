import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceTarget } from '../../../src/model/target.ts';
import { type Browser, createBrowser } from '../../../src/watch/probes/browser.ts';
import { foldPage } from '../../../src/watch/rules/fold.ts';
import { judgePage } from '../../../src/watch/rules/judge-services.ts';
import { findChromium } from '../../support/chromium.ts';
import { closedAddress, pageWith, servePages } from '../../support/pages.ts';
import { asRead, serviceTarget, settings } from '../../support/views.ts';

interface RecordedEvent {
  readonly kind: string;
  readonly url?: string;
  readonly type?: string;
  readonly status?: number;
  readonly text?: string;
}

/** What a real explorer did in a browser, in each of these situations, as a recorder saw it. */
const recorded = JSON.parse(
  readFileSync(new URL('../../fixtures/frontend-console.json', import.meta.url), 'utf8'),
) as readonly { readonly scenario: string; readonly events: readonly RecordedEvent[] }[];

/** What happened on the first page; its own document and the messages that only repeat a failed request left out. */
function firstPage(scenario: string): readonly RecordedEvent[] {
  const { events = [] } = recorded.find((one) => one.scenario === scenario) ?? {};
  const end = events.findIndex(({ kind }) => kind === 'navigate');
  return events
    .slice(1, end === -1 ? undefined : end)
    .filter(({ text = '' }) => !/^(Failed to load resource|Access to XMLHttpRequest)/.test(text));
}

const statement = ({ kind, url = '', type, text }: RecordedEvent, backend: string): string => {
  const { pathname, host } = url === '' ? { pathname: '', host: '' } : new URL(url);
  const address = host.endsWith(':5214') ? pathname : backend + pathname;
  if (type === 'stylesheet') return '';
  if (kind === 'response' || kind === 'requestfailed') return `fetch(${JSON.stringify(address)}).catch(() => {});`;
  return kind === 'console'
    ? `console.error(${JSON.stringify(text)});`
    : `setTimeout(() => { throw new Error(${JSON.stringify(text)}) });`;
};

/** A page that does the same, with a stats server that answers, or does not, as the recorded one. */
async function rebuild(scenario: string): Promise<string> {
  const events = firstPage(scenario);
  const isXhr = ({ kind, type }: RecordedEvent) => kind === 'requestfailed' && type === 'xhr';
  const silent = events.some(isXhr) && scenario !== 'cors-missing';
  const statuses = Map.groupBy(
    events.filter(({ kind }) => kind === 'response'),
    ({ url = '' }) => new URL(url).pathname,
  );
  const paths = new Set(events.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).pathname])));
  const answers = [...paths].map((path) => [
    path,
    (_: unknown, response: import('node:http').ServerResponse) => {
      const { status = 200 } = statuses.get(path)?.shift() ?? {};
      const cors = scenario === 'cors-missing' ? {} : { 'access-control-allow-origin': '*' };
      response.writeHead(status, { 'content-type': 'application/json', ...cors }).end('{}');
    },
  ]);
  const answering = await servePages(Object.fromEntries(answers));
  const gone = await closedAddress();
  const statements = events.map((event) => statement(event, silent && isXhr(event) ? gone : answering));
  const fonts = events.find(({ type }) => type === 'stylesheet')?.url;
  return servePages({
    ...Object.fromEntries(answers),
    '/': pageWith(`<link rel="stylesheet" href="${fonts}">`, `<script>${statements.join('\n')}</script>`),
  });
}

let browser: Browser;
beforeAll(() => {
  browser = createBrowser({ executablePath: findChromium() });
});
afterAll(() => browser.stop());

const RESULTS: readonly (readonly [scenario: string, verdict: string, reason: RegExp])[] = [
  ['all-well-home', 'pass', /without an error/],
  ['all-well', 'pass', /without an error/],
  ['chain-stalled', 'pass', /without an error/],
  ['no-node-connected', 'fail', /2 errors on its console/],
  ['parent-dies-while-open', 'fail', /3 failed requests, 3 uncaught exceptions/],
  ['parent-down', 'fail', /5 failed requests, 3 uncaught exceptions, 2 errors/],
  ['backend-dies-while-open', 'fail', /4 failed requests, 4 uncaught exceptions/],
  ['backend-down-at-open', 'fail', /5 failed requests, 4 errors.*VITE_SUBNET_URL/],
  ['backend-address-gone', 'fail', /5 failed requests, 4 errors/],
  ['subnet-rpc-down', 'fail', /failed requests/],
  ['cors-missing', 'fail', /5 failed requests/],
  ['vite-url-missing', 'fail', /2 errors on its console/],
];

test('every recorded situation is here', () => {
  expect(RESULTS.map(([scenario]) => scenario)).toEqual(recorded.map(({ scenario }) => scenario));
});

test.each(RESULTS)(
  'a page that does what the explorer did in %s: %s',
  async (scenario, verdict, reason) => {
    const target = serviceTarget('frontend') as ServiceTarget;
    const observation = await browser.visit(await rebuild(scenario), [], 20_000);
    const facts = { page: foldPage(undefined, observation) };
    const judged = judgePage({
      target,
      facts,
      subnet: [],
      settings,
      consensus: 'XDPoS',
      now: 0,
      toWall: (at: number) => at,
    });
    expect(asRead(judged)).toEqual({ verdict, reason: expect.stringMatching(reason) });
  },
  40_000,
);
