import { formatAgo, formatDuration, formatMoment } from '../../lib/duration.ts';
import { formatCount } from '../../lib/words.ts';
import type { LogFacts } from '../../model/facts.ts';
import type { PageObservation } from '../../model/observation.ts';
import { findContainer, findStart, START_MS } from '../../model/restart-cause.ts';
import type { ServiceTarget } from '../../model/target.ts';
import { type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { judgeFault } from './explain-fault.ts';
import { knownUntil, readLog, readSince } from './find-log-fault.ts';
import type { View } from './view.ts';

const SERVICE_NAMES = { relayer: 'the relayer', stats: 'the stats server', frontend: 'the frontend' } as const;

/** Does the body of the service's answer show that it is healthy? */
export function judgeHttp({ target, facts, now }: View<ServiceTarget>): Judgement {
  const who = SERVICE_NAMES[target.component];
  if (facts.service === undefined) return unknown(`${who} has not been checked yet`);
  const { observation } = facts.service;
  if (observation.ok) {
    const { note } = observation.value;
    return pass(`${who} answers as it should${note === undefined ? '' : `, but says that ${note}`}`);
  }
  const startedAt = findStart(facts.container, now);
  return startedAt === undefined
    ? judgeFault(`${who} is unhealthy`, observation.fault, target)
    : unknown(`${who} was started ${formatAgo(startedAt, now)} and does not answer as it should yet`);
}

/** A failure of reading or of the program, which is judged before any data line. */
function judgeBefore(view: View<ServiceTarget>): Judgement | LogFacts {
  const logs = readLog(view, 'the debug log of the stats server');
  if (!('verdict' in logs) && logs.patterns.stdout_banner && logs.stats?.block === undefined)
    return unknown(
      'this is what the stats server prints to stdout',
      'name the files of logs/debug in logFiles, which hold its data lines',
    );
  return logs;
}

/** Does the stats server get new blocks? Nodes repeat the last one when the chain is stalled, so the number must rise. */
export function judgeBlockData(view: View<ServiceTarget>): Judgement {
  const logs = judgeBefore(view);
  if ('verdict' in logs) return logs;
  const { facts, settings, now } = view;
  const { blockDataWithinMs } = settings.logs;
  const { block } = logs.stats ?? {};
  const until = knownUntil(logs, now);
  const quietMs = until - (block?.at ?? readSince(facts, now));
  if (quietMs >= blockDataWithinMs)
    return fail(
      `the stats server has got no block for ${formatDuration(quietMs)}`,
      'check that the nodes reach it at STATS_SERVICE_ADDRESS and have its STATS_SECRET',
    );
  if (block === undefined) return unknown('the debug log of the stats server has shown no block yet, and has time to');
  const age = until - block.risenAt;
  return age < blockDataWithinMs
    ? pass(`the stats server got block ${block.number} ${formatAgo(block.risenAt, now)}`)
    : fail(
        `the stats server gets block ${block.number} again and again for ${formatDuration(age)}`,
        'check the nodes, as the chain is stalled',
      );
}

/** Has a node sent its history since the stats server started? It comes once per connection. */
export function judgeHistoryData(view: View<ServiceTarget>): Judgement {
  const logs = judgeBefore(view);
  if ('verdict' in logs) return logs;
  const { now, facts } = view;
  const { history_data: { at: historyAt } = {}, started } = logs.patterns;
  const startedAt = started?.at ?? findContainer(facts.container)?.startedAt;
  // The container's and the log's times differ in resolution: a line may carry the second before.
  if (historyAt !== undefined && (startedAt === undefined || historyAt >= startedAt - 1_000))
    return pass(`a node sent its history to the stats server ${formatAgo(historyAt, now)}`);
  if (startedAt === undefined)
    return unknown('neither the start of the stats server nor a history is in the log that can be read');
  // A node answers the request for its history within seconds of the start.
  const seen = `no node has sent its history since the stats server started ${formatMoment(startedAt, view)}`;
  if (now - startedAt < START_MS) return unknown(seen);
  return fail(seen, 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes');
}

/** Is the log of the frontend free of errors? */
export function judgeFrontendLog(view: View<ServiceTarget>): Judgement {
  const logs = readLog(view, 'the log of the frontend');
  if ('verdict' in logs) return logs;
  return pass(`the log of the frontend has shown no error for ${formatDuration(view.settings.logs.errorWindowMs)}`);
}

const NO_BROWSER: Readonly<Record<(PageObservation & { kind: 'no-browser' })['why'], Required<Finding>>> = {
  missing: {
    seen: 'there is no program at browser.executablePath',
    fix: 'install Chromium (on Debian: apt-get install chromium) or correct the path',
  },
  'not-executable': {
    seen: 'the file at browser.executablePath may not be run by subnetd',
    fix: 'correct the path or its mode',
  },
  'no-start': {
    seen: 'the program at browser.executablePath does not start as a headless Chromium',
    fix: 'run it by hand with --headless --dump-dom about:blank and read what it says',
  },
  sandbox: {
    seen: 'Chromium finds no sandbox that it may use',
    fix: 'allow unprivileged user namespaces, or run the browser elsewhere and give its address as browser.cdpUrl',
  },
  unreachable: {
    seen: 'no browser answers at browser.cdpUrl',
    fix: 'start it there with --remote-debugging-port, or correct the address',
  },
  timeout: {
    seen: 'the browser did not answer in time',
    fix: 'check the load of its machine, and what listens at browser.cdpUrl if that is given',
  },
  died: {
    seen: 'the browser ended during the visit and is started again with the next one',
    fix: 'check the memory of its machine',
  },
};

const SEE_URL = 'see what the url in the inventory leads to';

type NoPage = PageObservation & { kind: 'no-page' };

const NO_PAGE: Readonly<Record<NoPage['why'], (page: NoPage) => Required<Finding>>> = {
  unreachable: () => ({
    seen: 'nothing answers at its url as a web server does',
    fix: 'see the check http, which says why',
  }),
  status: ({ status }) => ({ seen: `it answers HTTP ${status}`, fix: 'see the check http, which says what to do' }),
  timeout: () => ({
    seen: 'it does not end loading in time',
    fix: 'look at which request hangs, with the developer tools of a browser (F12)',
  }),
  redirects: () => ({
    seen: 'it sends the browser on and on without an end',
    fix: 'write the final address into the inventory, or fix the page',
  }),
  dialogs: () => ({ seen: 'it opens one dialog after the other, which no page of a subnet does', fix: SEE_URL }),
  'too-large': () => ({ seen: 'it loads more data than any healthy one does', fix: SEE_URL }),
  crashed: () => ({ seen: 'it crashed the browser', fix: 'check the memory that it needs' }),
  'no-html': () => ({ seen: 'it is a download and no page', fix: SEE_URL }),
};

/** Did the last visit to the page find no error on its console, no uncaught exception and no failed request? */
export function judgePage({ target, facts }: View<ServiceTarget>): Judgement {
  if (facts.page === undefined) return unknown('the page of the frontend has not been visited yet');
  const { observation } = facts.page;
  if (observation.kind === 'no-browser') {
    const { seen, fix } = NO_BROWSER[observation.why];
    return unknown(`the page of the frontend cannot be visited: ${seen}`, fix);
  }
  if (observation.kind === 'no-page') {
    const { seen, fix } = NO_PAGE[observation.why](observation);
    return fail(`the page of the frontend is unhealthy: ${seen}`, fix);
  }
  const { consoleErrors, exceptions, failedRequests } = observation;
  const found = [
    failedRequests > 0 && formatCount(failedRequests, 'failed request', 'failed requests'),
    exceptions > 0 && formatCount(exceptions, 'uncaught exception', 'uncaught exceptions'),
    consoleErrors > 0 && formatCount(consoleErrors, 'error on its console', 'errors on its console'),
  ].filter(Boolean);
  if (found.length === 0) return pass('the page of the frontend opens without an error');
  const fix =
    failedRequests > 0
      ? 'see that the stats server answers at the address that the page was built with (VITE_SUBNET_URL), then open the page with the developer tools (F12) for the rest'
      : `open the page with the developer tools (F12) to see which, and ${commandToSeeLog(target)}`;
  return fail(`the page of the frontend has ${found.join(', ')}`, fix);
}
