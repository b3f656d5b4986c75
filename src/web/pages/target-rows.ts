import { html } from 'hono/html';
import { byName } from '../../lib/numbers.ts';
import { beginSentence } from '../../lib/words.ts';
import type { TargetHistory } from '../../model/history.ts';
import { isOnlyRestarted } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { type RangeName, rangeQuery } from '../../model/time-range.ts';
import { formatReason } from '../../model/verdict.ts';
import { badge, type Html, standingOf } from '../frame/marks.ts';
import { asOfNow, count } from '../frame/times.ts';
import { subnetPath, targetPath, withCommands } from './paths.ts';
import { dayBars, uptimeBars, uptimeKey } from './uptime-bars.ts';

/** What is said of a target in a few words: why it fails, or how it does and that it was restarted. */
export function describeNow(state: TargetState): string {
  const restarted = state.checks.find((one) => isOnlyRestarted(one, state.facts));
  const isWell = standingOf(state).standing === 'ok';
  return isWell && restarted !== undefined ? `${describeState(state)}; ${restarted.seen}` : describeState(state);
}

function describeState(state: TargetState): string {
  const { target, facts } = state;
  const { standing, word, check } = standingOf(state);
  // Its card says the rest.
  if (state.problem !== undefined && (word === 'problem' || word === 'fail'))
    return beginSentence(state.problem.summary);
  if (word === 'checking') return `Suspected: ${state.suspected?.summary}`;
  if (word === 'starting' && check === undefined) return 'it has not been asked since its start';
  const { latest, observation } = facts.node ?? {};
  if (standing !== 'ok' || latest === undefined || !observation?.latest.ok)
    return check === undefined ? `the inventory gives nothing to check for ${target.name}` : formatReason(check);
  const peers = observation.peers?.ok ? `, ${observation.peers.value.count} peers` : '';
  return `block ${count(latest.number)}${peers}`;
}

function row(subnet: string, state: TargetState, history: TargetHistory, nowWall: number, range: RangeName): Html {
  const { target } = state;
  const { standing, word } = standingOf(state);
  const kind = target.component === target.name ? '' : html` <small class="dim">${target.component}</small>`;
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${targetPath(subnet, target.name, range)}">${target.name}</a>${kind}</th><td role="cell">${badge(standing, word)}</td><td role="cell" class="full dim">${withCommands(asOfNow(describeNow(state), nowWall))}</td><td role="cell" class="w full" data-l="24 hours">${dayBars(history)}</td><td role="cell" class="w full" data-l="30 days">${uptimeBars(history.days, '30 days')}</td></tr>`;
}

const BAD_FIRST = [
  'fail',
  'problem',
  'affected',
  'checking',
  'degraded',
  'starting',
  'unknown',
  'OK',
  'skipped',
] as const;

const rank = (state: TargetState): number => BAD_FIRST.indexOf(standingOf(state).word);
const RANK_OF_OK = BAD_FIRST.indexOf('OK');

/** How many targets are in each state, the worst first. */
export function countStates(targets: readonly TargetState[]): string {
  const words = targets.toSorted((one, other) => rank(one) - rank(other)).map((state) => standingOf(state).word);
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${count(length)} ${word}`).join(', ');
}

/** More are not on the page, which a browser would take seconds to show. */
const MAX_ROWS = 500;

/** So few are seen at a glance; of more, those that are well are folded. */
const FEW = 12;

/** What the address of a page asks of its lists. */
export interface ListQuery {
  /** What names, or components, contain. */
  readonly search?: string | undefined;
  /** `unhealthy`: only those. */
  readonly show?: string | undefined;
  /** `name`: by name; else the worst first. */
  readonly sort?: string | undefined;
}

function select(targets: readonly TargetState[], { search = '', show, sort }: ListQuery): readonly TargetState[] {
  const wanted = search.toLowerCase();
  const found = targets.filter(
    (state) =>
      `${state.target.name} ${state.target.component}`.toLowerCase().includes(wanted) &&
      !(show === 'unhealthy' && standingOf(state).standing === 'ok'),
  );
  if (sort === 'name') return found.toSorted((one, other) => byName(one.target.name, other.target.name));
  const ranks = new Map(found.map((state) => [state, rank(state)]));
  return found.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

const option = (value: string, text: string, chosen = ''): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`;

/** What chooses among the targets of a subnet. The address keeps it. */
const choice = (subnet: string, { search = '', show, sort }: ListQuery, range: RangeName): Html =>
  html`<form class="bar" method="get" action="/"><input type="hidden" name="subnet" value="${subnet}">${Object.entries(rangeQuery(range)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<label for="search-${subnet}">Search</label><input id="search-${subnet}" type="search" name="search" value="${search}"><label for="sort-${subnet}">Sort</label><select id="sort-${subnet}" name="sort">${option('', 'worst first', sort)}${option('name', 'by name', sort)}</select>${onlyUnhealthy(show)}<button type="submit">Find</button></form>`;

/** The switch that hides what is well. */
export const onlyUnhealthy = (show: string | undefined): Html =>
  html`<label><input type="checkbox" class="only-wrong" name="show" value="unhealthy"${show === 'unhealthy' ? ' checked' : ''}> Only unhealthy</label>`;

const table = (rows: readonly Html[]): Html =>
  html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Target</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">Now</th><th scope="col" role="columnheader" class="w">24 hours</th><th scope="col" role="columnheader" class="w">30 days</th></tr></thead><tbody role="rowgroup">
${rows}
</tbody></table>`;

/** The targets of a subnet that its page asks for, the worst first unless it asks for another order. */
export function targetRows(
  subnet: string,
  targets: readonly TargetState[],
  historyOf: (target: Target) => TargetHistory,
  nowWall: number,
  query: ListQuery = {},
  range: RangeName = '1h',
): Html {
  const sorted = select(targets, query);
  const more = sorted.length - MAX_ROWS;
  const bar = targets.length > FEW ? choice(subnet, query, range) : '';
  if (sorted.length === 0)
    return html`${bar}<p class="empty">None of the ${count(targets.length)} targets matches. <a href="${subnetPath(subnet, range)}">Show all</a>.</p>`;
  const isAsked = query.search || query.sort || query.show;
  const open = isAsked ? MAX_ROWS : Math.max(FEW, targets.filter((state) => rank(state) < RANK_OF_OK).length);
  const tableOf = (states: readonly TargetState[]) =>
    table(states.map((state) => row(subnet, state, historyOf(state.target), nowWall, range)));
  const folded = sorted.slice(open, MAX_ROWS);
  return html`${bar}${tableOf(sorted.slice(0, open))}${folded.length === 0 ? '' : html`<details><summary>${count(folded.length)} other targets, none of them unhealthy</summary>${tableOf(folded)}</details>`}${more > 0 ? html`<p class="empty">${count(more)} more are in <a href="/status.json">status.json</a>, none of them worse than these.</p>` : ''}${uptimeKey}`;
}
