import { html } from 'hono/html';
import type { FleetView } from '../../model/fleet-view.ts';
import type { Steps, TargetHistory } from '../../model/history.ts';
import type { Incidents } from '../../model/incident.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { rangeQuery } from '../../model/time-range.ts';
import { type LiveContent, page, type Section } from '../frame/frame.ts';
import type { Html } from '../frame/marks.ts';
import { banner, type Moment, type Verdict, verdictOn, worstFirst } from './banner.ts';
import { type ElsewhereState, elsewherePanel, toElsewhereStates } from './elsewhere.ts';
import { shardNotices, shardTable, subnetGrid } from './fleet-section.ts';
import { masternodeRows } from './masternodes.ts';
import { kioskPath, presentOf, subnetPath, toAddress } from './paths.ts';
import { countProblems, problemSection } from './problem-section.ts';
import { subnetPicture } from './subnet-picture.ts';
import { countStates, type ListQuery, targetRows } from './target-rows.ts';
import { subnetTime, type TimeInput } from './time-section.ts';

/** More subnets than these are a grid. */
export const MAX_IN_FULL = 2;

/** What the pages of subnets show beside the snapshot. */
export interface ShownInput extends Moment {
  readonly snapshot: Snapshot;
  /** The fleet that the instance belongs to. */
  readonly fleet?: FleetView | undefined;
  readonly historyOf: (target: Target) => TargetHistory;
  /** The open incident of a problem. */
  readonly incidentOf?: Incidents['idOf'];
  /** The one subnet to show, by the address. */
  readonly only?: string;
  /** What the address asks of the list of subnets, or of those of targets. */
  readonly query?: ListQuery;
  /** The time that the charts show, by the address. */
  readonly time: TimeInput;
}

function inFull(state: SubnetState, input: ShownInput, isOnly: boolean): readonly Section[] {
  const { historyOf, time, only, query, toWall, nowWall } = input;
  const { subnet, targets } = state;
  const id = `state-targets-${subnet.name}`;
  const masternodes = `masternodes-${subnet.name}`;
  const others = presentOf({ subnet: only, ...query });
  return [
    {
      id: `state-${subnet.name}`,
      html: subnetPicture(state, lastBlocks(subnet.name, input), { toWall, nowWall, isOnly }),
    },
    {
      id: `state-${masternodes}`,
      html: html`<section class="panel half" aria-labelledby="${masternodes}" id="state-${masternodes}"><h2 id="${masternodes}">Masternodes of ${subnet.name}</h2>
${masternodeRows(subnet.name, state.epoch, time.range)}
</section>`,
    },
    {
      id,
      html: html`<section class="panel half" aria-labelledby="targets-${subnet.name}" id="${id}"><h2 id="targets-${subnet.name}">Targets of ${subnet.name} <small class="dim">${countStates(targets)}</small></h2>
${targetRows(subnet.name, targets, historyOf, nowWall, query, time.range)}
</section>`,
    },
    subnetTime(state, time, others, { toWall, nowWall }),
  ];
}

/** The blocks of a subnet in each minute of the last hour. */
export const lastBlocks = (subnet: string, { time, nowWall }: ShownInput): Steps =>
  time.history.stepsOf(subnet, '1h', nowWall).blocks;

/** All subnets, whoever watches them. */
const findSubnets = ({ snapshot, fleet, nowWall }: ShownInput): readonly (SubnetState | ElsewhereState)[] => [
  ...snapshot,
  ...toElsewhereStates(fleet, nowWall),
];

/** Those of them that the address asks for, the worst first. */
export const findShown = (input: ShownInput): readonly (SubnetState | ElsewhereState)[] =>
  worstFirst(findSubnets(input).filter(({ subnet }) => input.only === undefined || subnet.name === input.only));

/** With its headline in wall time. */
function toVerdict(state: SubnetState | ElsewhereState, { toWall }: Moment): Verdict {
  const { subnet, headline } = state;
  if ('elsewhere' in state || headline?.since === undefined) return state;
  return { subnet, headline: { ...headline, since: toWall(headline.since) } };
}

/** What is said of a subnet that only the address names. */
const toMissing = (name: string): Verdict => ({
  subnet: { name },
  headline: {
    standing: 'off',
    sentence: `The inventory has no subnet ${name}`,
    detail: 'It may have another name now, or was removed.',
  },
});

/** What a page says of some subnets first, in its tab and at its top. */
export function openPage(
  shown: readonly (SubnetState | ElsewhereState)[],
  input: ShownInput,
): Pick<LiveContent, 'title' | 'glance'> & { readonly top: Section } {
  const { only } = input;
  const isMissing = only !== undefined && shown.length === 0;
  const verdicts = isMissing ? [toMissing(only)] : shown.map((state) => toVerdict(state, input));
  const { standing, sentence } = verdictOn(verdicts);
  return {
    title: sentence,
    glance: { standing, problems: countProblems(shown) },
    top: { id: 'banner', html: banner(verdicts, { ...input, toWall: (at) => at }) },
  };
}

/** What the status page shows: the verdict, the problems with their commands, the subnets, their targets with their history. */
export function statusContent(input: ShownInput): LiveContent {
  const { fleet, query, nowWall } = input;
  const shown = findShown(input);
  const isGrid = shown.length > MAX_IN_FULL;
  const subnets = isGrid
    ? [{ id: 'state-subnets', html: subnetGrid(shown, query) }]
    : shown.flatMap((state): readonly Section[] =>
        'elsewhere' in state
          ? [{ id: `state-${state.subnet.name}`, html: elsewherePanel(state, nowWall) }]
          : inFull(state, input, shown.length === 1),
      );
  const { top, ...named } = openPage(shown, input);
  return {
    ...named,
    sections: [
      top,
      ...(fleet ? [shardNotices(fleet, nowWall)] : []),
      { id: 'state-problems', html: problemSection(shown, { ...input, foldsOthers: isGrid }) },
      ...subnets,
      ...(fleet ? [shardTable(fleet, nowWall)] : []),
    ],
  };
}

/** The page at `/`. */
export function statusPage(input: ShownInput, { footer }: { readonly footer: readonly Html[] }): Html {
  const { only, query, nowWall, time } = input;
  const all = findSubnets(input);
  const { title, glance, sections } = statusContent(input);
  const [top, ...others] = sections;
  const isMissing = only !== undefined && !all.some(({ subnet }) => subnet.name === only);
  return page({
    title,
    glance,
    room: '/',
    madeAt: nowWall,
    stream: `/events?${toAddress({ subnet: only, ...query, ...rangeQuery(time.range) })}`,
    banner: top?.html,
    content: html`${isMissing ? html`<p><a href="${subnetPath(undefined, time.range)}">Show all subnets</a></p>` : ''}
${others.map((section) => section.html)}
<p class="line">${only === undefined || all.length < 2 ? '' : html`<a href="${subnetPath(undefined, time.range)}">All ${all.length} subnets</a>`}<a href="${kioskPath(only)}">Kiosk for a wall screen</a></p>`,
    footer,
  });
}
