import { html } from 'hono/html';
import type { FleetView } from '../../model/fleet-view.ts';
import type { Minute, TargetHistory } from '../../model/history.ts';
import type { Incidents } from '../../model/incident.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { rangeQuery } from '../../model/time-range.ts';
import { type LiveContent, page, type Section } from '../frame/frame.ts';
import type { Html } from '../frame/marks.ts';
import { banner, type Moment, type Verdict, worstFirst } from './banner.ts';
import { type ElsewhereState, elsewherePanel, toElsewhereStates } from './elsewhere.ts';
import { shardNotices, shardTable, subnetGrid } from './fleet-section.ts';
import { masternodeRows } from './masternodes.ts';
import { problemSection } from './problem-section.ts';
import { subnetPicture } from './subnet-picture.ts';
import { targetRows } from './target-rows.ts';
import { subnetTime, type TimeInput } from './time-section.ts';

/** More subnets than these are a grid. */
export const MAX_IN_FULL = 2;

/** What the page shows beside the snapshot. */
export interface StatusInput extends Moment {
  readonly snapshot: Snapshot;
  /** The fleet that the instance belongs to. */
  readonly fleet?: FleetView | undefined;
  readonly minutesOf: (subnet: string) => readonly Minute[];
  readonly historyOf: (target: Target) => TargetHistory;
  /** The time that the charts show, by the address. */
  readonly time: TimeInput;
  /** The open incident of a problem. */
  readonly incidentOf?: Incidents['idOf'];
  /** The one subnet to show, by the address. */
  readonly only?: string;
  /** What the names of subnets are searched for. */
  readonly search?: string;
}

/** The parameters of the address of the page, beside the range. */
const queryOf = ({ only, search }: Pick<StatusInput, 'only' | 'search'>): Readonly<Record<string, string>> => ({
  ...(only !== undefined && { subnet: only }),
  ...(search && { search }),
});

function inFull(state: SubnetState, input: StatusInput): readonly Section[] {
  const { minutesOf, historyOf, time, ...moment } = input;
  const { subnet, targets } = state;
  const id = `state-targets-${subnet.name}`;
  const masternodes = `masternodes-${subnet.name}`;
  return [
    { id: `state-${subnet.name}`, html: subnetPicture(state, minutesOf(subnet.name), moment) },
    subnetTime(state, time, queryOf(input), moment),
    {
      id: `state-${masternodes}`,
      html: html`<section class="panel" aria-labelledby="${masternodes}" id="state-${masternodes}"><h2 id="${masternodes}">Masternodes of ${subnet.name}</h2>
${masternodeRows(subnet.name, state.epoch)}
</section>`,
    },
    {
      id,
      html: html`<section class="panel" aria-labelledby="targets-${subnet.name}" id="${id}"><h2 id="targets-${subnet.name}">Targets of ${subnet.name}</h2>
${targetRows(subnet.name, targets, historyOf)}
</section>`,
    },
  ];
}

/** All subnets, whoever watches them. */
const findSubnets = ({ snapshot, fleet, nowWall }: StatusInput): readonly (SubnetState | ElsewhereState)[] => [
  ...snapshot,
  ...toElsewhereStates(fleet, nowWall),
];

/** With its headline in wall time. */
function toVerdict(state: SubnetState | ElsewhereState, { toWall }: Moment): Verdict {
  const { subnet, headline } = state;
  if ('elsewhere' in state || headline?.since === undefined) return state;
  return { subnet, headline: { ...headline, since: toWall(headline.since) } };
}

/** What the status page shows: the verdict, the problems with their commands, the subnets, their targets with their history. */
export function statusContent(input: StatusInput): LiveContent {
  const { fleet, only, search = '', nowWall } = input;
  const shown = findSubnets(input).filter(({ subnet }) => only === undefined || subnet.name === only);
  const [first] = worstFirst(shown);
  const subnets =
    shown.length > MAX_IN_FULL
      ? [{ id: 'state-subnets', html: subnetGrid(shown, search) }]
      : worstFirst(shown).flatMap((state): readonly Section[] =>
          'elsewhere' in state
            ? [{ id: `state-${state.subnet.name}`, html: elsewherePanel(state, nowWall) }]
            : inFull(state, input),
        );
  const verdicts = shown.map((state) => toVerdict(state, input));
  return {
    title: shown.length === 1 ? (first?.headline?.sentence ?? 'Status') : 'Status',
    sections: [
      { id: 'banner', html: banner(verdicts, { nowWall, toWall: (at) => at }) },
      ...(fleet ? [shardNotices(fleet, nowWall)] : []),
      { id: 'state-problems', html: problemSection(shown, input) },
      ...subnets,
      ...(fleet ? [shardTable(fleet, nowWall)] : []),
    ],
  };
}

/** The page at `/`. */
export function statusPage(input: StatusInput, { footer }: { readonly footer: readonly Html[] }): Html {
  const { only, nowWall, time } = input;
  const all = findSubnets(input);
  const { title, sections } = statusContent(input);
  const [top, ...others] = sections;
  const isMissing = only !== undefined && !all.some(({ subnet }) => subnet.name === only);
  const query = new URLSearchParams({ ...queryOf(input), ...rangeQuery(time.range) });
  return page({
    title,
    room: '/',
    madeAt: nowWall,
    stream: `/events?${query}`,
    banner: top?.html,
    content: html`${isMissing ? html`<p class="empty">The inventory has no subnet ${only}. <a href="/">Show all subnets</a>.</p>` : ''}
${others.map((section) => section.html)}
${only === undefined || all.length < 2 ? '' : html`<p><a href="/">All ${all.length} subnets</a></p>`}`,
    footer,
  });
}
