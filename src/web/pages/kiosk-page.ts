import { html } from 'hono/html';
import { formatMinute } from '../../lib/duration.ts';
import { beginSentence } from '../../lib/words.ts';
import type { HistoryChange } from '../../model/history.ts';
import { isOfSetup, type ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { RANGES, rangeQuery } from '../../model/time-range.ts';
import { kioskFrame, type LiveContent, type Section } from '../frame/frame.ts';
import { type Html, shape } from '../frame/marks.ts';
import { at } from '../frame/times.ts';
import { checkpointFigure } from './checkpoint-item.ts';
import { elsewherePanel } from './elsewhere.ts';
import { figureList } from './figures.ts';
import { subnetTiles } from './fleet-section.ts';
import { toChangeEntry } from './incident-words.ts';
import { subnetPath, toAddress } from './paths.ts';
import { findShown, lastBlocks, openPage, type ShownInput } from './status-page.ts';
import { pictureParts } from './subnet-picture.ts';
import { kioskTime } from './time-section.ts';
import { walletFigure } from './wallet-item.ts';

/** What the kiosk shows: the same as the status page, and what changed. */
export interface KioskInput extends ShownInput {
  /** What changed in the last hour, the oldest first. */
  readonly changesOf: (subnet: string) => readonly HistoryChange[];
  readonly isPastRead: (subnet: string) => boolean;
}

const NO_FIGURES = html`<p class="empty">Neither a height nor a vote is known.</p>`;

const BEING_READ = 'What changed before subnetd was started is still being read.';

/** More are not on a screen. */
const MAX_CHANGES = 12;

/** What a person wants to know of what changed: problems rather than the checks that show them. */
const isTold = ({ kind, what, is }: HistoryChange): boolean =>
  kind !== 'check' && is !== 'clearing' && !(kind === 'problem' && isOfSetup(what as ProblemName));

function describeProblem({ is, reason }: HistoryChange): string {
  const [summary = ''] = reason.split(': ');
  return is === 'ended' ? `Over: ${summary}` : beginSentence(summary);
}

/** What has ended was over when it began to clear. */
function withOver(change: HistoryChange, changes: readonly HistoryChange[]): HistoryChange {
  const { kind, is, what, component, name } = change;
  if (kind !== 'problem' || is !== 'ended') return change;
  const isSame = (one: HistoryChange) => one.what === what && one.component === component && one.name === name;
  const last = changes.slice(0, changes.indexOf(change)).findLast((one) => one.kind === kind && isSame(one));
  return last?.is === 'clearing' ? { ...change, at: last.at } : change;
}

function changeItem(change: HistoryChange, nowWall: number): Html {
  const { standing, subject, text } = toChangeEntry(change);
  const words = change.kind === 'problem' ? describeProblem(change) : html`<b>${subject}</b> ${text}`;
  return html`<li>${at(change.at, nowWall)}${shape(standing)}<span>${words}</span></li>`;
}

function changeList(
  changes: readonly HistoryChange[],
  { plannedWork = [], problems }: SubnetState,
  nowWall: number,
  isPastRead: boolean,
): Html {
  const newestFirst = changes
    .filter(isTold)
    .toReversed()
    .map((one) => withOver(one, changes));
  const told = newestFirst.toSorted((one, other) => other.at - one.at).slice(0, MAX_CHANGES);
  const planned = plannedWork.map(
    ({ reason, until }) => html`<li><b>Planned</b><span>until ${formatMinute(until)}: ${reason}</span></li>`,
  );
  const taken = problems.flatMap(({ acknowledged, summary }) =>
    acknowledged === undefined ? [] : [html`<li><b>${acknowledged.by}</b><span>is on it: ${summary}</span></li>`],
  );
  return told.length + planned.length + taken.length === 0
    ? html`<p class="empty">${isPastRead ? 'Nothing has changed.' : BEING_READ}</p>`
    : html`<ul class="told">${taken}${planned}${told.map((change) => changeItem(change, nowWall))}</ul>`;
}

const panel = (name: string, title: string, content: Html): Section => ({
  id: `kiosk-${name}`,
  html: html`<section class="panel ${name}" id="kiosk-${name}" aria-labelledby="title-${name}"><h2 id="title-${name}">${title}</h2>${content}</section>`,
});

function ofOne(state: SubnetState, input: KioskInput): readonly Section[] {
  const { changesOf, isPastRead, time, nowWall, toWall } = input;
  const { name } = state.subnet;
  const moment = { nowWall, toWall };
  const { found, figures, quorum, peers, services } = pictureParts(state, lastBlocks(name, input), moment);
  const all = [...figures, ...checkpointFigure(state, moment), ...walletFigure(state, moment)];
  return [
    {
      id: 'kiosk-figures',
      html: html`<div id="kiosk-figures">${found}${all.length === 0 ? NO_FIGURES : figureList(all)}</div>`,
    },
    panel('time', beginSentence(RANGES[time.range].words), kioskTime(state, time, moment)),
    panel('quorum', 'Quorum', quorum),
    panel('peers', 'Peers', peers),
    panel(
      'services',
      'Services',
      services.length === 0
        ? html`<p class="empty">The inventory has no services.</p>`
        : html`<ul class="services">${services}</ul>`,
    ),
    panel('changes', 'Changes in the last hour', changeList(changesOf(name), state, nowWall, isPastRead(name))),
  ];
}

/** What the kiosk shows: the verdict, and one subnet in full or several as tiles. */
export function kioskContent(input: KioskInput): LiveContent {
  const shown = findShown(input);
  const { top, ...named } = openPage(shown, input);
  const [only, ...others] = shown;
  if (only === undefined || others.length > 0)
    return {
      ...named,
      sections: [
        top,
        {
          id: 'kiosk-subnets',
          html: html`<section id="kiosk-subnets" aria-label="Subnets">${subnetTiles(shown)}</section>`,
        },
      ],
    };
  const parts =
    'elsewhere' in only
      ? [{ id: `state-${only.subnet.name}`, html: elsewherePanel(only, input.nowWall) }]
      : ofOne(only, input);
  return { ...named, sections: [top, ...parts] };
}

/** The page at `/?kiosk`, for a screen on a wall. */
export function kioskPage(input: KioskInput, version: string): Html {
  const { only, time, nowWall } = input;
  const { title, glance, sections } = kioskContent(input);
  return kioskFrame({
    title,
    glance,
    madeAt: nowWall,
    stream: `/events?${toAddress({ subnet: only, kiosk: '1', ...rangeQuery(time.range) })}`,
    content: html`${sections.map((section) => section.html)}`,
    version,
    way: html`<a href="${subnetPath(only, time.range)}">Status page</a>`,
  });
}
