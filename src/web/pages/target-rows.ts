import { html } from 'hono/html';
import { beginSentence } from '../../lib/words.ts';
import type { TargetHistory } from '../../model/history.ts';
import { isOnlyRestarted } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { formatReason } from '../../model/verdict.ts';
import { badge, type Html, standingOf } from '../frame/marks.ts';
import { count } from '../frame/times.ts';
import { targetPath, withCommands } from './paths.ts';
import { uptimeBars, uptimeKey } from './uptime-bars.ts';

/** What is said of a target in a few words: why it fails, or how it does and that it was restarted. */
export function describeNow(state: TargetState): string {
  const restarted = state.checks.find((one) => isOnlyRestarted(one, state.facts));
  const isWell = standingOf(state).standing === 'ok';
  return isWell && restarted !== undefined ? `${describeState(state)}; ${restarted.seen}` : describeState(state);
}

function describeState(state: TargetState): string {
  const { target, facts } = state;
  const { standing, word, check } = standingOf(state);
  if (word === 'problem') return `${beginSentence(state.problem?.summary ?? '')}`;
  if (word === 'checking') return `Suspected: ${state.suspected?.summary}`;
  const { latest, observation } = facts.node ?? {};
  if (standing !== 'ok' || latest === undefined || !observation?.latest.ok)
    return check === undefined ? `the inventory gives nothing to check for ${target.name}` : formatReason(check);
  const peers = observation.peers?.ok ? `, ${observation.peers.value.count} peers` : '';
  return `block ${count(latest.number)}${peers}`;
}

function row(subnet: string, state: TargetState, { hours, days }: TargetHistory): Html {
  const { target } = state;
  const { standing, word } = standingOf(state);
  const kind = target.component === target.name ? '' : html` <small class="dim">${target.component}</small>`;
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${targetPath(subnet, target.name)}">${target.name}</a>${kind}</th><td role="cell">${badge(standing, word)}</td><td role="cell" class="full dim">${withCommands(describeNow(state))}</td><td role="cell" class="w full" data-l="24 hours">${uptimeBars(hours, '24 hours')}</td><td role="cell" class="w full" data-l="30 days">${uptimeBars(days, '30 days')}</td></tr>`;
}

const BAD_FIRST = ['fail', 'problem', 'affected', 'checking', 'degraded', 'unknown', 'OK', 'skipped'] as const;

const rank = (state: TargetState): number => BAD_FIRST.indexOf(standingOf(state).word);

/** More are not on the page, which a browser would take seconds to show. */
const MAX_ROWS = 500;

/** The targets of a subnet, the worst first. */
export function targetRows(
  subnet: string,
  targets: readonly TargetState[],
  historyOf: (target: Target) => TargetHistory,
): Html {
  const ranks = new Map(targets.map((state) => [state, rank(state)]));
  const sorted = targets.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  const more = sorted.length - MAX_ROWS;
  return html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Target</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">Now</th><th scope="col" role="columnheader" class="w">24 hours</th><th scope="col" role="columnheader" class="w">30 days</th></tr></thead><tbody role="rowgroup">
${sorted.slice(0, MAX_ROWS).map((state) => row(subnet, state, historyOf(state.target)))}
</tbody></table>${more > 0 ? html`<p class="empty">${count(more)} more are in <a href="/status.json">status.json</a>, none of them worse than these.</p>` : ''}${uptimeKey}`;
}
