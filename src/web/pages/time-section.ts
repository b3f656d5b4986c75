import { html } from 'hono/html';
import { beginSentence } from '../../lib/words.ts';
import type { StepHistory } from '../../model/history.ts';
import type { Incident } from '../../model/incident.ts';
import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import { RANGES, type RangeName } from '../../model/time-range.ts';
import type { Section } from '../frame/frame.ts';
import { type Html, standingOfSeverity } from '../frame/marks.ts';
import { at, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { describeLasting, isMoment, stateOf, summaryOf } from './incident-words.ts';
import { shorten } from './masternodes.ts';
import { incidentPath } from './paths.ts';
import { expectedPace, isHalted, nodesOf } from './subnet-picture.ts';
import { type Axis, type Mark, rangeLinks, tickLabels, tickLines, toAxis, toMarks, xOf } from './time-axis.ts';
import { gapLane, lagLane, latencyLane, missedLane, type NamedSteps, paceLane, walletLane } from './time-charts.ts';
import { walletText } from './wallet-item.ts';

/** What charts over time are made of. */
export interface TimeInput {
  readonly range: RangeName;
  readonly history: StepHistory;
  /** The newest incidents of a subnet. */
  readonly incidentsOf: (subnet: string) => readonly Incident[];
}

const ROW = 14;

/** The row of each mark: below those that last into it. */
function placeRows(marks: readonly Mark[]): readonly number[] {
  const ends: number[] = [];
  return marks.map(({ from, until }) => {
    const free = ends.findIndex((end) => end < from);
    const row = free === -1 ? ends.length : free;
    ends[row] = until;
    return row;
  });
}

/** More marks than these cannot be told apart, and more lines would fill the page. */
const MOST_MARKS = 100;
const MOST_ROWS = 5;
const LISTED = 5;

function describe(incident: Incident, nowWall: number): string {
  // How long one is open changes each second, and with it the section.
  const isOpen = stateOf(incident).word === 'open' && !isMoment(incident);
  const lasted = isOpen ? 'still open' : describeLasting(incident, nowWall);
  return `${beginSentence(summaryOf(incident))}${lasted && `, ${lasted}`}`;
}

/** The incidents as marks on the axis, and the newest in words; each leads to its page. */
function incidentLane(axis: Axis, marks: readonly Mark[]): Html {
  const shown = marks.slice(-MOST_MARKS);
  const rows = placeRows(shown).map((row) => row % MOST_ROWS);
  const height = ROW * (Math.max(0, ...rows) + 1);
  const words = `${marks.length === 0 ? 'None' : count(marks.length)} of severity warning or critical in this time`;
  const links = shown.map(({ incident, from, until }, index) => {
    const [start, end] = [xOf(axis, from), xOf(axis, until)];
    const said = describe(incident, axis.nowWall);
    return html`<a href="${incidentPath(incident.id)}" aria-label="${said}"><rect class="mark ${standingOfSeverity(incident.severity)}" x="${start}%" y="${(rows[index] ?? 0) * ROW + 3}" width="${Math.max(0.1, Math.round((end - start) * 100) / 100)}%" height="${ROW - 6}"><title>${said}</title></rect></a>`;
  });
  const newest = shown.slice(-LISTED).reverse();
  return html`<div class="lane"><div><h3>Incidents</h3><p>${words}</p></div><svg class="chart" height="${height + 18}" role="group" aria-label="Incidents: ${words}">${tickLines(axis, height)}<line class="axis" x1="0" x2="100%" y1="${height}" y2="${height}"/>${links}${tickLabels(axis, height + 15)}</svg>${
    newest.length === 0
      ? ''
      : html`<ul class="past">${newest.map(({ incident }) => html`<li>${at(incident.foundAt, axis.nowWall)} <a href="${incidentPath(incident.id)}">${describe(incident, axis.nowWall)}</a></li>`)}</ul>`
  }</div>`;
}

const panel = (id: string, title: string, links: Html, lanes: readonly (Html | string)[]): Section => ({
  id: `state-${id}`,
  html: html`<section class="panel lanes" aria-labelledby="${id}" id="state-${id}"><div class="line"><h2 id="${id}">${title}</h2>${links}</div>
${lanes}
</section>`,
});

const stepsOf = (
  states: readonly TargetState[],
  { history, range }: TimeInput,
  nowWall: number,
): readonly NamedSteps[] =>
  states.map(({ target }) => ({ name: target.name, steps: history.targetStepsOf(target, range, nowWall) }));

/** How a subnet was in a time that its reader chooses. `query` has the other parameters of the address of the page. */
export function subnetTime(
  state: SubnetState,
  input: TimeInput,
  query: Readonly<Record<string, string>>,
  moment: Moment,
): Section {
  const { subnet, targets } = state;
  const axis = toAxis(input.range, moment.nowWall);
  const marks = toMarks(axis, input.incidentsOf(subnet.name));
  const nodes = nodesOf(targets);
  const steps = stepsOf(nodes, input, moment.nowWall);
  const { blocks, gap, coins } = input.history.stepsOf(subnet.name, input.range, moment.nowWall);
  const wallet = walletText(state);
  return panel(
    `time-${subnet.name}`,
    `${subnet.name} in the ${RANGES[input.range].words}`,
    rangeLinks(subnet.name, input.range, query, `time-${subnet.name}`),
    [
      paceLane(axis, marks, blocks, expectedPace(state), isHalted(state)),
      lagLane(axis, marks, steps),
      gapLane(axis, marks, gap),
      latencyLane(axis, marks, steps),
      missedLane(axis, marks, [
        ...steps.map(({ name, steps: { missed } }) => ({ name, missed })),
        ...input.history
          .strangersOf(subnet.name, input.range, moment.nowWall)
          .map(({ name, missed }) => ({ name: shorten(name), missed })),
      ]),
      wallet === undefined ? '' : walletLane(axis, marks, coins, wallet),
      incidentLane(axis, marks),
    ],
  );
}

/** The pace and the finality of a subnet one below the other, for a screen on which they fill the room that there is. */
export function kioskTime(state: SubnetState, input: TimeInput, { nowWall }: Moment): Html {
  const { name } = state.subnet;
  const axis = toAxis(input.range, nowWall);
  const marks = toMarks(axis, input.incidentsOf(name));
  const { blocks, gap } = input.history.stepsOf(name, input.range, nowWall);
  return html`${paceLane(axis, marks, blocks, expectedPace(state), isHalted(state))}${gapLane(axis, marks, gap)}
<svg class="chart hours" aria-hidden="true">${tickLabels(axis, '1em')}</svg>`;
}

/** How a target was in that time. `open`: the incidents of problems that name it now. */
export function targetTime(
  target: TargetState,
  input: TimeInput,
  { nowWall }: Moment,
  open: readonly (string | undefined)[] = [],
): Section {
  const { subnet, component, name } = target.target;
  const axis = toAxis(input.range, nowWall);
  const own = input
    .incidentsOf(subnet)
    .filter((one) => (one.component === component && one.name === name) || open.includes(one.id));
  const marks = toMarks(axis, own);
  const steps = stepsOf([target], input, nowWall);
  return panel('time', `${name} in the ${RANGES[input.range].words}`, rangeLinks(name, input.range, {}, 'time'), [
    latencyLane(axis, marks, steps),
    ...(component === 'node'
      ? [
          lagLane(axis, marks, steps),
          missedLane(
            axis,
            marks,
            steps.map(({ steps: { missed } }) => ({ name, missed })),
          ),
        ]
      : []),
    incidentLane(axis, marks),
  ]);
}
