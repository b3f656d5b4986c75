import { html } from 'hono/html';
import { toTargetFacts } from '../alerts/fill-runbook.ts';
import { beginSentence } from '../model/begin-sentence.ts';
import { formatDuration } from '../model/duration.ts';
import type { TargetHistory } from '../model/history.ts';
import type { ExplainedCheckState, SubnetState, TargetState } from '../model/snapshot.ts';
import { formatReason } from '../model/verdict.ts';
import type { Moment } from './banner.ts';
import { type LiveContent, page } from './frame.ts';
import { badge, type Html, shape, standingOf, standingOfVerdict } from './marks.ts';
import { subnetPath } from './paths.ts';
import { problemCard } from './problem-card.ts';
import { ago, at, count, lasting } from './times.ts';
import { uptimeBars } from './uptime-bars.ts';

/** What the page of a target shows. */
export interface TargetInput extends Moment {
  readonly state: SubnetState;
  readonly target: TargetState;
  readonly history: TargetHistory;
}

function checkRow(check: ExplainedCheckState, { toWall, nowWall }: Moment): Html {
  const { lastRun, durationSeconds, runs, failures } = check;
  const took = durationSeconds === undefined ? '' : `, took ${Math.round(durationSeconds * 1_000)} ms`;
  return html`<tr role="row"><th scope="row" role="rowheader">${check.check}</th><td role="cell">${badge(standingOfVerdict(check.verdict), check.verdict)}</td><td role="cell" class="full">${formatReason(check)}</td><td role="cell" data-l="Since">${at(toWall(check.since), nowWall)}</td><td role="cell" data-l="Last probe">${lastRun === undefined ? 'never' : html`${ago(toWall(lastRun), nowWall)}${took}`}</td><td role="cell" data-l="Failed">${failures} of ${runs}</td></tr>`;
}

const pair = (name: string, value: Html | string | undefined): Html | string =>
  value === undefined ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function containerPanel({ facts, target }: TargetState, { toWall, nowWall }: Moment): Html {
  const { observation, restarts = 0, oomKills = 0, lastExit } = facts.container ?? {};
  if (target.container === undefined)
    return html`<p class="empty">The inventory names no container. With one, subnetd sees restarts, memory and why it ended.</p>`;
  if (observation?.kind !== 'found')
    return html`<p class="empty">${observation?.kind === 'missing' ? 'Docker has no such container.' : 'Docker has not answered yet.'}</p>`;
  const { container } = observation;
  const { memoryBytes, memoryLimitBytes, startedAt, exitCode } = container;
  const mib = (bytes: number) => `${count(Math.round(bytes / 2 ** 20))} MiB`;
  const memory =
    memoryBytes === undefined
      ? undefined
      : `${mib(memoryBytes)}${memoryLimitBytes === undefined ? '' : ` of ${mib(memoryLimitBytes)}`}`;
  return html`<dl class="pairs">${pair('Name', html`<code>${container.name}</code>`)}${pair(
    'State',
    container.running || exitCode === undefined ? container.status : `${container.status} with ${exitCode}`,
  )}${pair('Started', startedAt === undefined ? undefined : ago(toWall(startedAt), nowWall))}${pair('Memory', memory)}${pair(
    'Restarts',
    `${restarts} since subnetd started${oomKills === 0 ? '' : `, ${oomKills} out of memory`}`,
  )}${pair('Last exit', lastExit === undefined ? undefined : html`code ${lastExit.code}, ${ago(toWall(lastExit.at), nowWall)}`)}</dl>`;
}

function addressPanel({ target, facts }: TargetState): Html {
  const { address, ipc, logFiles } = toTargetFacts(target);
  const clock = facts.logs?.clockAheadMs;
  return html`<dl class="pairs">${pair('Address', address && html`<code>${address}</code>`)}${pair('IPC', ipc && html`<code>${ipc}</code>`)}${pair(
    'Log files',
    logFiles.length === 0 ? undefined : html`<code>${logFiles.join(' ')}</code>`,
  )}${pair('Votes by', facts.node?.chain?.observation.address && html`<code>${facts.node.chain.observation.address}</code>`)}${pair(
    'Clock',
    clock === undefined ? undefined : `${formatDuration(Math.abs(clock))} ${clock < 0 ? 'behind' : 'ahead'}`,
  )}</dl>`;
}

/** The last matches of each pattern: what the pack says that they mean, never the line itself. */
function logPanel({ facts }: TargetState, { toWall, nowWall }: Moment): Html {
  const { sources = {}, patterns = {} } = facts.logs ?? {};
  const matched = Object.entries(patterns).toSorted(([, one], [, other]) => other.order - one.order);
  const read = Object.entries(sources).map(
    ([source, { up, lines }]) => `${source}: ${up ? `${count(lines)} lines read` : 'cannot be read'}`,
  );
  if (read.length === 0)
    return html`<p class="empty">No log is followed. Name a container or log files in the inventory.</p>`;
  const rows = matched
    .slice(0, 12)
    .map(
      ([name, { means, count: times, at: last, what }]) =>
        html`<li>${shape(means === 'fatal' || means === 'error' ? 'bad' : 'ok')}<b>${name}</b><span>${times} times, the last ${ago(toWall(last), nowWall)}<br><span class="dim">${what}</span></span></li>`,
    );
  return html`<p class="hint">${read.join(', ')}.</p>${rows.length === 0 ? html`<p class="empty">No line has matched a pattern yet.</p>` : html`<ul class="services">${rows}</ul>`}`;
}

function banner(target: TargetState, { toWall, nowWall }: Moment): Html {
  const { standing, check } = standingOf(target);
  const { name } = target.target;
  const words = { ok: 'is well', warn: 'needs you', bad: 'fails', off: 'is not judged' }[standing];
  const since =
    check === undefined
      ? ''
      : html`Since ${at(toWall(check.since), nowWall)}, for ${lasting(nowWall - toWall(check.since))}. `;
  return html`<section class="banner ${standing}" id="banner" aria-label="Verdict"><div class="wrap">${shape(standing)}<h1>${name} ${words}</h1><p>${since}${check === undefined || standing === 'ok' ? '' : `${beginSentence(check.seen)}.`}</p></div></section>`;
}

/** What the page of a target shows: its problems, checks, container and log. */
export function targetContent({ state, target, history, ...moment }: TargetInput): LiveContent {
  const { subnet, problems } = state;
  const { name, component } = target.target;
  const own = problems.filter((one) => one.component === component && one.name === name);
  return {
    title: `${name} of ${subnet.name}`,
    sections: [
      { id: 'banner', html: banner(target, moment) },
      {
        id: 'state-problems',
        html: html`<section class="stack" aria-labelledby="problems" id="state-problems"><h2 id="problems">${own.length === 0 ? `No problem of ${name} is known` : 'Problems'}</h2>
${own.map((problem) => problemCard(subnet.name, problem, moment))}</section>`,
      },
      {
        id: 'state-checks',
        html: html`<section class="panel" aria-labelledby="checks" id="state-checks"><h2 id="checks">Checks</h2>
<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Check</th><th scope="col" role="columnheader">Verdict</th><th scope="col" role="columnheader">Why</th><th scope="col" role="columnheader">Since</th><th scope="col" role="columnheader">Last probe</th><th scope="col" role="columnheader">Failed</th></tr></thead><tbody role="rowgroup">
${target.checks.map((check) => checkRow(check, moment))}
</tbody></table></section>`,
      },
      {
        id: 'state-facts',
        html: html`<div class="grid two" id="state-facts">
<div class="stack">
<section class="panel" aria-labelledby="uptime"><h2 id="uptime">Uptime</h2><h3>24 hours</h3>${uptimeBars(history.hours, '24 hours')}<h3>30 days</h3>${uptimeBars(history.days, '30 days')}</section>
<section class="panel" aria-labelledby="container"><h2 id="container">Container</h2>${containerPanel(target, moment)}</section>
<section class="panel" aria-labelledby="where"><h2 id="where">Where it is</h2>${addressPanel(target)}</section>
</div>
<section class="panel" aria-labelledby="log"><h2 id="log">Log</h2>${logPanel(target, moment)}</section>
</div>`,
      },
    ],
  };
}

/** The page of one target. */
export function targetPage(input: TargetInput, { footer }: { readonly footer: readonly Html[] }): Html {
  const { subnet } = input.state;
  const { name, component } = input.target.target;
  const { title, sections } = targetContent(input);
  const [top, ...others] = sections;
  return page({
    title,
    room: '/',
    madeAt: input.nowWall,
    stream: `/events?${new URLSearchParams({ subnet: subnet.name, target: name })}`,
    banner: top?.html,
    footer,
    content: html`<p class="hint"><a href="/">Status</a> / <a href="${subnetPath(subnet.name)}">${subnet.name}</a> / ${name}, ${component}</p>
${others.map((section) => section.html)}`,
  });
}
