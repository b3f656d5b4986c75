import { html } from 'hono/html';
import type { Steps } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';
import { count, lasting } from '../frame/times.ts';
import { type Axis, bands, type Mark, tickLines, xOf } from './time-axis.ts';

/** The share of its step that a bar fills. */
const BAR = 0.76;

/** The next of 1, 2, 5, 10, 20, 50 … at or above a number. */
export function toScale(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
}

/** The values that are known, with the places of their steps. */
export const knownOf = (steps: Steps): readonly { readonly x: number; readonly value: number }[] =>
  steps.flatMap((value, x) => (value === undefined ? [] : [{ x, value }]));

/** The largest value that is known and finite, with its place. Loops, as a large subnet has hundreds of thousands of steps. */
export function mostOf(steps: Steps): { readonly x: number; readonly value: number } | undefined {
  let most: number | undefined;
  for (let x = 0; x < steps.length; x += 1) {
    const value = steps[x];
    if (value !== undefined && value !== Number.POSITIVE_INFINITY && value > (steps[most ?? -1] ?? -1)) most = x;
  }
  return most === undefined ? undefined : { x: most, value: steps[most] ?? 0 };
}

/** The newest value that is known. */
export const lastOf = (steps: Steps): number | undefined => steps.findLast((value) => value !== undefined);

/** A number without digits that say nothing. */
export const round = (value: number): string =>
  value < 10 ? String(Math.round(value * 10) / 10) : count(Math.round(value));

/** A piece of a chart in steps of the axis and percent of the scale. */
const inSteps = ({ steps }: Axis, content: Html): Html =>
  html`<svg width="100%" height="100%" viewBox="0 0 ${steps} 100" preserveAspectRatio="none">${content}</svg>`;

const heightOf = (value: number, scale: number): number =>
  Math.round((100 - (Math.min(value, scale) / scale) * 100) * 10) / 10;

/** A line of steps, open where nothing is known. What is above the scale goes along its top. */
export function stepLine(axis: Axis, values: Steps, scale: number, kind: string): Html {
  const known = knownOf(values).filter(({ value }) => Number.isFinite(value));
  const path = known
    .map(({ x, value }, index) => {
      const before = known[index - 1];
      const y = heightOf(value, scale);
      if (before?.x !== x - 1) return `M${x} ${y}h1`;
      return heightOf(before.value, scale) === y ? 'h1' : `V${y}h1`;
    })
    .join('');
  return inSteps(axis, html`<path class="curve ${kind}" vector-effect="non-scaling-stroke" d="${path}"/>`);
}

/** Bars of one kind. */
export function stepBars(axis: Axis, values: Steps, scale: number, kind: string): Html {
  const path = knownOf(values)
    .map(({ x, value }) => `M${x} 100V${heightOf(value, scale)}h${BAR}V100z`)
    .join('');
  return path === '' ? html`` : inSteps(axis, html`<path class="${kind}" d="${path}"/>`);
}

/** Steps that are hatched, in as few pieces as possible. */
export function hatched({ steps }: Axis, isHatched: (step: number) => boolean): readonly Html[] {
  const runs: { first: number; length: number }[] = [];
  for (let step = 0; step < steps; step += 1) {
    if (!isHatched(step)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.first + run.length === step) run.length += 1;
    else runs.push({ first: step, length: 1 });
  }
  const percent = (part: number) => `${Math.round((part / steps) * 10_000) / 100}%`;
  return runs.map(
    ({ first, length }) =>
      html`<rect class="none" x="${percent(first)}" y="0" width="${percent(length)}" height="100%" fill="url(#hatch)"/>`,
  );
}

/** A mark in each step whose value is above the scale. */
export const spikes = (axis: Axis, values: Steps, scale: number): readonly Html[] =>
  knownOf(values)
    .filter(({ value }) => Number.isFinite(value) && value > scale)
    .map(
      ({ x }) =>
        html`<text class="spike" x="${xOf(axis, axis.from + (x + 0.5) * axis.stepMs)}%" y="11" text-anchor="middle">▲</text>`,
    );

/** A line across the chart at a value. */
export function levelLine(value: number, scale: number): Html {
  const y = `${heightOf(value, scale)}%`;
  return html`<line class="axis" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
}

/** What a chart shows, beside its name and what it says in words. */
export interface LaneChart {
  /** What is at the top of its scale. */
  readonly top: string;
  readonly content: readonly (Html | string)[];
}

/** How long nothing is known between what is: a process that was killed had not stored its last minutes. */
function describeHole({ stepMs }: Axis, steps: Steps): string {
  const known = knownOf(steps).map(({ x }) => x);
  const empty = (known.at(-1) ?? -1) - (known[0] ?? 0) + 1 - known.length;
  return empty === 0 ? '' : `, ${lasting(empty * stepMs)} without data`;
}

/**
 * A name with words at the left, and a chart at the right; without one, only the words. `of`: the steps that the words are about; `more` are
 * further words, such as what lines mean.
 */
export function lane(
  axis: Axis,
  marks: readonly Mark[],
  {
    title,
    words: told,
    of = [],
    more = '',
    chart,
  }: {
    readonly title: string;
    readonly words: string;
    readonly of?: Steps;
    readonly more?: Html | string;
    readonly chart?: LaneChart | undefined;
  },
): Html {
  const words = `${told}${describeHole(axis, of)}`;
  const plot =
    chart === undefined
      ? ''
      : html`<div class="plot"><small>${chart.top}</small><svg class="chart" role="img" aria-label="${title}: ${words}">${tickLines(axis, '100%')}${bands(axis, marks)}${chart.content}</svg></div>`;
  return html`<div class="lane"><div><h3>${title}</h3><p>${words}</p>${more}</div>${plot}</div>`;
}

/** How many shades a row of cells has. */
const SHADES = 4;

/** A row of cells that are the darker, the more is in them; open where nothing is known. */
export function cellRow(axis: Axis, values: Steps, most: number, label: Html): Html {
  const paths = new Map<number, string>();
  for (const { x, value } of knownOf(values)) {
    const shade = Math.ceil((value / most) * SHADES);
    paths.set(shade, `${paths.get(shade) ?? ''}M${x} 0h.9v1h-.9z`);
  }
  return html`<svg class="cells" viewBox="0 0 ${axis.steps} 1" preserveAspectRatio="none" role="img" aria-label="${label}">${[...paths].map(([shade, path]) => html`<path class="shade${shade}" d="${path}"/>`)}</svg>`;
}
