import { commandToSeeLog } from '../model/commands-to-type.ts';
import type { PageObservation } from '../model/observation.ts';
import type { ServiceTarget } from '../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../model/verdict.ts';
import type { View } from './view.ts';

const NO_BROWSER: Readonly<Record<(PageObservation & { kind: 'no-browser' })['why'], string>> = {
  missing:
    'there is no program at browser.executablePath; install Chromium (on Debian: apt-get install chromium) or correct the path',
  'not-executable': 'the file at browser.executablePath may not be run by subnetd; correct the path or its mode',
  'no-start':
    'the program at browser.executablePath does not start as a headless Chromium; run it by hand with --headless --dump-dom about:blank and read what it says',
  sandbox:
    'Chromium finds no sandbox that it may use; allow unprivileged user namespaces, or run the browser elsewhere and give its address as browser.cdpUrl',
  unreachable:
    'no browser answers at browser.cdpUrl; start it there with --remote-debugging-port, or correct the address',
  timeout:
    'the browser did not answer in time; check the load of its machine, and what listens at browser.cdpUrl if that is given',
  died: 'the browser ended during the visit and is started again with the next one; check the memory of its machine',
};

type NoPage = PageObservation & { kind: 'no-page' };

const NO_PAGE: Readonly<Record<NoPage['why'], (page: NoPage) => string>> = {
  unreachable: () => 'nothing answers at its url as a web server does; the check http says why',
  status: ({ status }) => `it answers HTTP ${status}; the check http says what to do`,
  timeout: () =>
    'it does not end loading in time; look at which request hangs, with the developer tools of a browser (F12)',
  redirects: () =>
    'it sends the browser on and on without an end; write the final address into the inventory, or fix the page',
  dialogs: () =>
    'it opens one dialog after the other, which no page of a subnet does; see what the url in the inventory leads to',
  'too-large': () => 'it loads more data than any healthy one does; see what the url in the inventory leads to',
  crashed: () => 'it crashed the browser; check the memory that it needs',
  'no-html': () => 'it is a download and no page; see what the url in the inventory leads to',
};

const countOf = (count: number, one: string, many: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** Did the last visit to the page find no error on its console, no uncaught exception and no failed request? */
export function judgePage({ target, facts }: View<ServiceTarget>): Judgement {
  if (facts.page === undefined) return unknown('the page of the frontend has not been visited yet');
  const { observation } = facts.page;
  if (observation.kind === 'no-browser')
    return unknown(`the page of the frontend cannot be visited: ${NO_BROWSER[observation.why]}`);
  if (observation.kind === 'no-page')
    return fail(`the page of the frontend is not well: ${NO_PAGE[observation.why](observation)}`);
  const { consoleErrors, exceptions, failedRequests } = observation;
  const found = [
    ...countOf(failedRequests, 'failed request', 'failed requests'),
    ...countOf(exceptions, 'uncaught exception', 'uncaught exceptions'),
    ...countOf(consoleErrors, 'error on its console', 'errors on its console'),
  ];
  if (found.length === 0) return pass('the page of the frontend opens without an error');
  const next =
    failedRequests > 0
      ? 'see that the stats server answers at the address that the page was built with (VITE_SUBNET_URL), then open the page with the developer tools (F12) for the rest'
      : `open the page with the developer tools (F12) to see which, and ${commandToSeeLog(target)}`;
  return fail(`the page of the frontend has ${found.join(', ')}; ${next}`);
}
