import { html } from 'hono/html';
import { formatDuration } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { beginSentence, formatBytes } from '../../lib/words.ts';
import { type DiskFacts, isNearlyFull } from '../../model/disk.ts';
import { addressOf } from '../../model/facts.ts';
import { findPace, formatLeft } from '../../model/fill.ts';
import type { CheckHistory, TargetHistory } from '../../model/history.ts';
import type { Incident, Incidents } from '../../model/incident.ts';
import type { MatchingLine } from '../../model/last-lines.ts';
import { indexProblems, type Problem } from '../../model/problem.ts';
import type { RestartAnswer } from '../../model/restart-answer.ts';
import { findContainer, isOnlyRestarted, START_MS } from '../../model/restart-cause.ts';
import type { ExplainedCheckState, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { type RangeName, rangeQuery } from '../../model/time-range.ts';
import { type CheckName, formatReason } from '../../model/verdict.ts';
import { toTargetFacts } from '../../tell/alerts/runbooks.ts';
import { findExchanges } from '../../watch/clients/find-exchanges.ts';
import { type LiveContent, page } from '../frame/frame.ts';
import { badge, type Html, shape, standingOf, standingOfVerdict } from '../frame/marks.ts';
import { ago, asOfNow, at, count, lasting } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { subnetPath, targetPath, withCommands } from './paths.ts';
import { problemCard } from './problem-card.ts';
import { exchangePanel, matchingLinesPanel, type OutsideAddresses, outsideLinks } from './target-panels.ts';
import { type TimeInput, targetTime } from './time-section.ts';
import { checkBars, dayBars, formatPercent, upPercent, uptimeBars } from './uptime-bars.ts';
import { walletWords } from './wallet-item.ts';

/** What the page of a target shows. */
export interface TargetInput extends Moment {
  readonly state: SubnetState;
  readonly target: TargetState;
  readonly history: TargetHistory;
  readonly isPastRead: boolean;
  /** The time that the charts show, by the address. */
  readonly time: TimeInput;
  readonly checkHistoryOf: (check: CheckName) => CheckHistory;
  /** The last lines of its log that matched a pattern. */
  readonly lines: readonly MatchingLine[];
  /** Of a node: whether it may be restarted now. */
  readonly restart?: RestartAnswer | undefined;
  /** The open incident of a problem. */
  readonly incidentOf?: Incidents['idOf'];
}

/** What stands around the state of a target. */
export interface TargetFrame {
  readonly footer: readonly Html[];
  readonly outside: OutsideAddresses;
  /** Whether those who see the page may ask for a probe: users of the web config may. */
  readonly mayProbe: boolean;
}

function checkRow(check: ExplainedCheckState, { target, toWall, nowWall, checkHistoryOf }: TargetInput): Html {
  const { lastRun, durationSeconds, runs, failures } = check;
  const took = durationSeconds === undefined ? '' : `, took ${count(Math.round(durationSeconds * 1_000))} ms`;
  const failed = failures === 0 ? '' : html`<br><span class="dim">${count(failures)} of ${count(runs)} failed</span>`;
  return html`<tr role="row"><th scope="row" role="rowheader">${check.check}</th><td role="cell">${isOnlyRestarted(check, target.facts) ? badge('ok', 'restarted') : badge(standingOfVerdict(check.verdict), check.verdict)}</td><td role="cell" class="full">${withCommands(asOfNow(formatReason(check), nowWall))}</td><td role="cell" data-l="Since">${at(toWall(check.since), nowWall)}</td><td role="cell" data-l="Last probe">${lastRun === undefined ? 'never' : html`${ago(toWall(lastRun), nowWall)}${took}${failed}`}</td><td role="cell" class="w full" data-l="24 hours">${checkBars(checkHistoryOf(check.check), check.check)}</td></tr>`;
}

const pair = (name: string, value: Html | string | undefined): Html | string =>
  value === undefined ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function containerPanel({ facts, target }: TargetState, { toWall, nowWall }: Moment): Html {
  const { observation, restarts = 0, oomKills = 0, lastExit } = facts.container ?? {};
  if (target.container === undefined)
    return html`<p class="empty">The inventory names no container. With one, subnetd can show restarts, memory use and exit reasons.</p>`;
  if (observation?.kind !== 'found')
    return html`<p class="empty">${observation?.kind === 'missing' ? 'Docker has no such container.' : 'Docker has not answered yet.'}</p>`;
  const { container } = observation;
  const { memoryBytes, memoryLimitBytes, startedAt, finishedAt, exitCode, image } = container;
  const mib = (bytes: number) => `${count(Math.round(bytes / 2 ** 20))} MiB`;
  const memory =
    memoryBytes === undefined
      ? undefined
      : `${mib(memoryBytes)}${memoryLimitBytes === undefined ? '' : ` of ${mib(memoryLimitBytes)}`}`;
  return html`<dl class="pairs">${pair('Name', html`<code>${container.name}</code>`)}${pair('Image', image && html`<code>${image}</code>`)}${pair(
    'State',
    container.running || exitCode === undefined ? container.status : `${container.status}, exit code ${exitCode}`,
  )}${pair('Started', startedAt === undefined ? undefined : ago(toWall(startedAt), nowWall))}${pair('Ended', container.running || finishedAt === undefined ? undefined : ago(toWall(finishedAt), nowWall))}${pair('Memory', memory)}${pair(
    'Restarts',
    `${restarts} since subnetd started${oomKills === 0 ? '' : `, ${oomKills} out of memory`}`,
  )}${pair('Last exit', lastExit === undefined ? undefined : html`exit code ${lastExit.code}, ${ago(toWall(lastExit.at), nowWall)}`)}</dl>`;
}

/** The disks on which the folders of a target are. A reading from before one was full, as its log says, is not shown. */
const describeDisks = (disks: readonly DiskFacts[] | undefined, { target, shownFailures }: TargetState) =>
  (disks ?? [])
    .filter(({ targets }) => targets.includes(target.name))
    .filter(({ fill }) => isNearlyFull(fill, true) || !shownFailures.some(({ name }) => name === 'disk_full'))
    .map(({ fill }) => {
      const pace = findPace(fill);
      return `${formatBytes(fill.free)} of ${formatBytes(fill.total)} free${pace === undefined ? '' : `, full in ${formatLeft(pace)}`}`;
    });

/** A line of most logs carries whole seconds, so less than one says nothing. */
const describeClock = (aheadMs: number): string =>
  Math.abs(aheadMs) < 1_000
    ? 'right to the second'
    : `${formatDuration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'behind' : 'ahead'}`;

function addressPanel(state: TargetState, disks: SubnetFacts['disks']): Html {
  const { target, facts } = state;
  const ofDisks = describeDisks(disks, state);
  const { address, ipc, logFiles } = toTargetFacts(target);
  const signer = addressOf(facts);
  const clock = facts.logs?.clockAheadMs;
  return html`<dl class="pairs">${pair('Address', address && html`<code>${address}</code>`)}${pair(
    'Client',
    facts.node?.client && html`<code>${facts.node.client.version}</code>`,
  )}${pair('IPC', ipc && html`<code>${ipc}</code>`)}${pair(
    'Log files',
    logFiles.length === 0 ? undefined : html`<code>${logFiles.join(' ')}</code>`,
  )}${pair('Disk', ofDisks.length === 0 ? undefined : ofDisks.join('; '))}${pair('Signs as', signer && html`<code>${signer}</code>`)}${pair(
    'Clock',
    clock === undefined ? undefined : describeClock(clock),
  )}</dl>`;
}

/**
 * Since when a check is as it is. That of a container fails for minutes after a restart, also while it is paused, stopped and started
 * again, and anew after a start of subnetd, so it is as its container and its problem are.
 */
function sinceOf({ check, since = 0, because }: ExplainedCheckState, { state, target }: TargetInput): number {
  if (check !== 'container') return since;
  const { container } = target.facts;
  const { since: foundAt = 0, begunAt = foundAt } = (because && indexProblems(state.problems).get(because)) ?? {};
  const { startedAt = 0, finishedAt = 0 } = findContainer(container) ?? {};
  // One that was removed shows only how its last run began and ended.
  const { run, lastExit } = container ?? {};
  return Math.max(begunAt, startedAt, finishedAt, run?.startedAt ?? 0, lastExit?.at ?? 0) || since;
}

/** When the last problem of a target was over, by our clock; 0 if none is known. Its incident tells that some seconds later. */
function overSince({ state, target: { target }, time, toWall }: TargetInput): number {
  const isOwn = (one: Incident | Problem) => one.component === target.component && one.name === target.name;
  const clearing = state.problems.flatMap((one) => (isOwn(one) ? (one.clearingSince ?? []) : []));
  const over = time.incidentsOf(state.subnet.name).flatMap((one) => (isOwn(one) ? (one.clearSince ?? []) : []));
  return highest([0, ...over, ...clearing.map(toWall)]);
}

/** Whether all that fails of a target is that its container has crashed, although it has run for as long as a start takes since. */
function runsAgain({ target: { checks, facts }, toWall, nowWall }: TargetInput): boolean {
  const { running, startedAt = Number.NaN } = findContainer(facts.container) ?? {};
  const failing = checks.filter((one) => one.verdict === 'fail' && !isOnlyRestarted(one, facts));
  return (
    running === true &&
    failing.map(({ check }) => check).join() === 'container' &&
    nowWall - toWall(startedAt) >= START_MS
  );
}

function banner(input: TargetInput): Html {
  const { target, toWall, nowWall } = input;
  const { standing, word, check } = standingOf(target);
  const { problem, suspected } = target;
  const { name } = target.target;
  const isAffected = word === 'affected';
  const isChecked = word === 'checking';
  const bad = runsAgain(input) ? 'runs again after a crash' : 'is failing';
  const ofStanding = { ok: 'is healthy', warn: 'needs attention', bad, off: 'is in an unknown state' };
  const ofWord = { affected: 'is affected', checking: 'is being checked', starting: 'has just started' };
  const { [word as keyof typeof ofWord]: words = ofStanding[standing] } = ofWord;
  // What fails because of its own problem is told as that, as its check only shows it.
  const told =
    word === 'problem' || (word === 'fail' && check?.because?.problem === problem?.problem) ? problem : undefined;
  // It is well since the last of its checks has changed, such as that of a container which was restarted on request.
  const sinceOfCheck = check && sinceOf(check, input);
  const changed = highest(target.checks.map((one) => sinceOf(one, input)));
  const from = standing === 'ok' ? changed : (told?.since ?? (isChecked ? suspected?.since : sinceOfCheck));
  const begun = from === undefined ? undefined : Math.max(toWall(from), standing === 'ok' ? overSince(input) : 0);
  const since = begun === undefined ? '' : html`Since ${at(begun, nowWall)}, for ${lasting(nowWall - begun)}. `;
  const saidOfCheck =
    check === undefined || standing === 'ok' ? undefined : isAffected ? formatReason(check) : check.seen;
  const said =
    told !== undefined
      ? `${told.summary}. ${beginSentence(told.fix)}`
      : isChecked
        ? `Suspected: ${suspected?.summary}`
        : saidOfCheck;
  return html`<section class="banner ${standing}" id="banner" aria-label="Verdict"><div class="wrap">${shape(standing)}<h1>${name} ${words}</h1><p>${since}${said === undefined ? '' : withCommands(`${beginSentence(asOfNow(said, nowWall))}.`)}</p></div></section>`;
}

/** The uptime of shorter times than the bars show, in one line. */
const uptimeLine = ({ hours, days }: TargetHistory, isPastRead: boolean): Html =>
  isPastRead
    ? html`<p class="hint">This hour: ${formatPercent(upPercent(hours.slice(-1)))}, 7 days: ${formatPercent(upPercent(days.slice(-7)))}.</p>`
    : html`<p class="hint">The uptime before subnetd was started is still being read.</p>`;

/** Whether the node may be restarted now, in one line. */
const restartLine = (restart: RestartAnswer | undefined): Html | string =>
  restart === undefined
    ? ''
    : html`<p><small>Safe to restart now: <b>${restart.safe ? 'yes' : restart.known ? 'no' : 'undetermined'}</b>, because ${restart.reason}.</small></p>`;

/** What the wallet of the relayer has and spends, in one line. */
function walletLine(state: SubnetState, { target }: TargetState, moment: Moment): Html | string {
  const words = target.component === 'relayer' ? walletWords(state, moment) : undefined;
  return words === undefined ? '' : html`<p><small>Its wallet holds ${words}.</small></p>`;
}

/** What the page of a target shows: its problems, checks, container and log. */
export function targetContent(input: TargetInput): LiveContent {
  const { state, target, history, isPastRead, time, lines, incidentOf, restart, ...moment } = input;
  const { subnet, problems } = state;
  const { name, component } = target.target;
  // What names it as a cause is its own too, as the verdict above says.
  const isOwn = ({ nodes = [], ...one }: Problem) =>
    (one.component === component && one.name === name) || (component === 'node' && nodes.includes(name));
  const own = problems.filter(isOwn);
  const others = problems.filter(
    (one) => !isOwn(one) && one.explains.some((check) => check.component === component && check.name === name),
  );
  const card = (problem: Problem) =>
    problemCard(subnet.name, problem, moment, { incident: incidentOf?.(subnet.name, problem) });
  return {
    title: `${name} of ${subnet.name}`,
    glance: { standing: standingOf(target).standing, problems: own.length },
    sections: [
      { id: 'banner', html: banner(input) },
      {
        id: 'state-problems',
        html: html`<section class="stack" aria-labelledby="problems" id="state-problems"><h2 id="problems">${own.length === 0 ? 'No known problems' : 'Problems'}</h2>
${own.map(card)}
${others.length === 0 ? '' : html`<h2>Affected by</h2>${others.map(card)}`}
${restartLine(restart)}${walletLine(state, target, moment)}
<p class="line"><a href="/incidents?${new URLSearchParams({ subnet: subnet.name, name })}">Incidents of ${name}</a></p></section>`,
      },
      {
        id: 'state-checks',
        html: html`<section class="panel" aria-labelledby="checks" id="state-checks"><h2 id="checks">Checks</h2>
<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Check</th><th scope="col" role="columnheader">Verdict</th><th scope="col" role="columnheader">Why</th><th scope="col" role="columnheader">Since</th><th scope="col" role="columnheader">Last probe</th><th scope="col" role="columnheader" class="w">24 hours</th></tr></thead><tbody role="rowgroup">
${target.checks.map((check) => checkRow(check, input))}
</tbody></table></section>`,
      },
      targetTime(
        target,
        time,
        moment,
        own.map((problem) => incidentOf?.(subnet.name, problem)),
      ),
      {
        id: 'state-probes',
        html: html`<div id="state-probes">${exchangePanel(findExchanges(target, subnet.consensus), moment)}</div>`,
      },
      {
        id: 'state-facts',
        html: html`<div class="grid two" id="state-facts">
<div class="stack">
<section class="panel" aria-labelledby="uptime"><h2 id="uptime">Uptime</h2><h3>24 hours</h3>${dayBars(history)}<h3>30 days</h3>${uptimeBars(history.days, '30 days')}${uptimeLine(history, isPastRead)}</section>
<section class="panel" aria-labelledby="container"><h2 id="container">Container</h2>${containerPanel(target, moment)}</section>
<section class="panel" aria-labelledby="where"><h2 id="where">Connection</h2>${addressPanel(target, state.facts?.disks)}</section>
</div>
<section class="panel" aria-labelledby="log"><h2 id="log">Log</h2>${matchingLinesPanel(target, lines, moment)}</section>
</div>`,
      },
    ],
  };
}

/** The links to the targets beside this one in the inventory. */
function neighbours({ state, target, time }: TargetInput): Html {
  const names = state.targets.map((one) => one.target.name);
  const place = names.indexOf(target.target.name);
  const link = (title: string, name: string | undefined) =>
    name === undefined
      ? ''
      : html`<span>${title}: <a href="${targetPath(state.subnet.name, name, time.range)}">${name}</a></span>`;
  return html`${link('Previous', names[place - 1])}${link('Next', names[place + 1])}`;
}

const probeForm = (subnet: string, name: string, range: RangeName, mayProbe: boolean): Html =>
  mayProbe
    ? html`<form method="post" action="${targetPath(subnet, name, range, '/probe')}"><button type="submit">Probe now</button></form>`
    : html`<p class="hint">To probe from here, define users in <code>basic_auth_users</code> of <code>SUBNETD_WEB_CONFIG</code>.</p>`;

/** The page of one target. */
export function targetPage(input: TargetInput, { footer, outside, mayProbe }: TargetFrame): Html {
  const { subnet } = input.state;
  const { name, component } = input.target.target;
  const { range } = input.time;
  const { title, glance, sections } = targetContent(input);
  const [top, ...others] = sections;
  return page({
    title,
    glance,
    room: '/',
    madeAt: input.nowWall,
    stream: `/events?${new URLSearchParams({ subnet: subnet.name, target: name, ...rangeQuery(range) })}`,
    banner: top?.html,
    footer,
    content: html`<div class="line"><p class="hint"><a href="${subnetPath(undefined, range)}">Status</a> / <a href="${subnetPath(subnet.name, range)}">${subnet.name}</a> / ${name}${name === component ? '' : `, ${component}`}</p>${outsideLinks(input.target.target, outside)}${probeForm(subnet.name, name, range, mayProbe)}<nav class="line" aria-label="Other targets">${neighbours(input)}</nav></div>
${others.map((section) => section.html)}`,
  });
}
