import { html } from 'hono/html';
import { MINUTE_MS } from '../../lib/duration.ts';
import { formatCount } from '../../lib/words.ts';
import type { Steps, TargetSteps } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';
import { clockTime, count, lasting } from '../frame/times.ts';
import type { Axis, Mark } from './time-axis.ts';
import {
  cellRow,
  hatched,
  knownOf,
  lane,
  lastOf,
  levelLine,
  mostOf,
  round,
  spikes,
  stepBars,
  stepLine,
  toScale,
} from './time-lanes.ts';

/** A node, or another target, with its steps. */
export interface NamedSteps {
  readonly name: string;
  readonly steps: TargetSteps;
}

const blocksWord = (number: number): string => (number === 1 ? '1 block' : `${count(number)} blocks`);

/** When a step began. */
const whenOf = ({ from, stepMs, nowWall }: Axis, step: number): string =>
  `${clockTime(from + step * stepMs, nowWall)} UTC`;

/** Up to when anything is known: the minute that is not over yet is in no step. */
function upTo(axis: Axis, all: Steps): string {
  const { from, stepMs, nowWall } = axis;
  const steps = all.findLastIndex((value) => value !== undefined) + 1;
  const end = Math.min(from + steps * stepMs, nowWall - (nowWall % MINUTE_MS));
  return `up to ${clockTime(end, nowWall)} UTC`;
}

const NOTHING = 'No data in this time.';

/** Below this share of the expected pace, a bar is marked. */
const SLOW = 0.6;

/** The newest value that is known, and when its step began: it is over, and things may have changed since. */
function describeNewest(axis: Axis, values: Steps, tell: (value: number) => string): string {
  const step = values.findLastIndex((value) => value !== undefined);
  return `${tell(values[step] ?? 0)} at ${whenOf(axis, step)}`;
}

/** Blocks a minute. A step without a block is hatched, one that was not watched is empty. */
export function paceLane(
  axis: Axis,
  marks: readonly Mark[],
  blocks: Steps,
  expected: number | undefined,
  isHalted: boolean,
): Html {
  const title = 'Blocks a minute';
  const most = mostOf(blocks);
  if (most === undefined)
    return lane(axis, marks, {
      title,
      words: axis.range === '1h' ? 'No data yet. The chart starts after one minute.' : NOTHING,
    });
  const scale = Math.max(expected ?? 0, Math.ceil(most.value), 1);
  const isSlow = (value: number) => expected !== undefined && value < expected * SLOW;
  const only = (isWanted: (value: number) => boolean): Steps =>
    blocks.map((value) => (value !== undefined && value > 0 && isWanted(value) ? value : undefined));
  const halted = blocks.filter((value) => value === 0).length * axis.stepMs;
  const slow = mostOf(only(isSlow)) !== undefined;
  const words = [
    isHalted ? '0 now' : describeNewest(axis, blocks, round),
    ...(expected === undefined ? [] : [`${expected} expected`]),
    ...(slow ? ['slow at times'] : []),
    ...(halted === 0 ? [] : [`${lasting(halted)} without a block`]),
  ].join(', ');
  return lane(axis, marks, {
    title,
    words,
    of: blocks,
    chart: {
      top: String(scale),
      content: [
        stepBars(
          axis,
          only((value) => !isSlow(value)),
          scale,
          'pace',
        ),
        stepBars(axis, only(isSlow), scale, 'slow'),
        ...hatched(axis, (step) => blocks[step] === 0),
        ...(expected === undefined || expected === scale ? [] : [levelLine(expected, scale)]),
      ],
    },
  });
}

/** As far as this behind, a node may only have been asked sooner than the others. */
const NEAR = 2;
/** More lines than these cannot be told apart. */
const LINES = 4;

const worstOf = (steps: Steps): number => mostOf(steps)?.value ?? 0;

/** For each step the largest value of all that are known and finite. */
function mostOfAll(all: readonly Steps[], steps: number): Steps {
  const most: (number | undefined)[] = Array(steps).fill(undefined);
  for (const one of all)
    for (let step = 0; step < steps; step += 1) {
      const value = one[step];
      if (value !== undefined && value !== Number.POSITIVE_INFINITY) most[step] = Math.max(most[step] ?? 0, value);
    }
  return most;
}

/** What a line looks like, with what it is. */
const lineKey = (place: number, words: string): Html =>
  html`<li><svg class="swatch" aria-hidden="true"><path class="curve line${place}" d="M0 6h24"/></svg>${words}</li>`;

/** How far nodes are behind the others: a line for each of the worst, and a band for all that lag beside them. */
export function lagLane(axis: Axis, marks: readonly Mark[], nodes: readonly NamedSteps[]): Html {
  const title = 'Blocks behind';
  const known = nodes.filter(({ steps }) => mostOf(steps.lag) !== undefined);
  if (known.length === 0) return lane(axis, marks, { title, words: NOTHING });
  const lagging = known
    .filter(({ steps }) => worstOf(steps.lag) > NEAR)
    .sort((one, other) => worstOf(other.steps.lag) - worstOf(one.steps.lag));
  const lines = lagging.slice(0, LINES);
  const others = lagging.slice(LINES);
  const scale = toScale(Math.max(10, ...lines.map(({ steps }) => worstOf(steps.lag))));
  const all = mostOfAll(
    known.map(({ steps }) => steps.lag),
    axis.steps,
  );
  const until = upTo(axis, all);
  const whoElse = known.length === 1 ? '' : ` of ${known.length} nodes`;
  const words =
    lagging.length === 0
      ? known.length === 1
        ? `Never more than ${blocksWord(NEAR)} behind the others in all readings of a minute ${until}`
        : `No node that could be compared was more than ${blocksWord(NEAR)} behind the others in all readings of a minute ${until}`
      : `${lagging.length}${whoElse} fell behind in all readings of a minute, by up to ${blocksWord(worstOf(lines[0]?.steps.lag ?? []))}`;
  const keys = lines.map(({ name, steps }, place) => {
    const { lag } = steps;
    // The newest step is over, and a node may have caught up since.
    const shown = new Set([mostOf(lag)?.x ?? 0, lag.findLastIndex((value) => value !== undefined)]);
    const said = [...shown].map((step) => `${round(lag[step] ?? 0)} at ${whenOf(axis, step)}`);
    return lineKey(place, `${name}: ${said.join(', then ')}`);
  });
  const band = mostOfAll(
    others.map(({ steps }) => steps.lag),
    axis.steps,
  );
  return lane(axis, marks, {
    title,
    words,
    of: all,
    more: html`${keys.length === 0 ? '' : html`<ul class="keys">${keys}</ul>`}${others.length === 0 ? '' : html`<p>${others.length} more: the band, up to ${round(worstOf(band))}</p>`}`,
    chart: {
      top: round(scale),
      content: [
        stepBars(axis, band, scale, 'area'),
        lines.length === 0 ? stepLine(axis, all, scale, '') : '',
        ...lines.map(({ steps }, place) => stepLine(axis, steps.lag, scale, `line${place}`)),
      ],
    },
  });
}

/** The newest value, and when there was a larger one. */
function describeMost(axis: Axis, values: Steps): string {
  const [newest, most] = [lastOf(values) ?? 0, mostOf(values)];
  const words = describeNewest(axis, values, round);
  return most === undefined || most.value <= newest
    ? `${words}, the most in this time`
    : `${words}, at most ${round(most.value)} at ${whenOf(axis, most.x)}`;
}

/** How many blocks were not final. */
export function gapLane(axis: Axis, marks: readonly Mark[], gap: Steps): Html {
  const title = 'Unfinalised blocks';
  const most = mostOf(gap);
  if (most === undefined) return lane(axis, marks, { title, words: NOTHING });
  const scale = toScale(Math.max(5, most.value));
  return lane(axis, marks, {
    title,
    words: describeMost(axis, gap),
    of: gap,
    chart: { top: round(scale), content: [stepLine(axis, gap, scale, '')] },
  });
}

/** The value in the middle. */
const median = (values: readonly number[]): number | undefined =>
  Float64Array.from(values).sort()[Math.ceil(values.length / 2) - 1];

/** Of the p50 of all targets that in the middle, and of their p95 the largest. */
function joinLatency(targets: readonly NamedSteps[], steps: number): Pick<TargetSteps, 'p50' | 'p95'> {
  const known = Array.from({ length: steps }, (): number[] => []);
  for (const { steps: of } of targets)
    for (let step = 0; step < steps; step += 1) {
      const value = of.p50[step];
      if (value !== undefined) known[step]?.push(value);
    }
  const p95 = targets.map(({ steps: of }) => of.p95);
  return { p50: known.map(median), p95: mostOfAll(p95, steps) };
}

/** This share of the largest values may be spikes, which go beyond the scale. */
const USUAL = 0.8;
/** So far above the usual ones the scale goes. */
const ROOM = 1.5;

/** The top of a scale on which the usual values can be read, whatever the largest is. */
function usualScale(values: Steps): number {
  const sorted = knownOf(values)
    .map(({ value }) => value)
    .sort((one, other) => one - other);
  const usual = sorted[Math.floor((sorted.length - 1) * USUAL)] ?? 1;
  return toScale(Math.min(sorted.at(-1) ?? 1, usual * ROOM));
}

/** Whose probes took longest in the middle, where it differs from the others. */
function describeSlowest(targets: readonly NamedSteps[]): string {
  const typical = targets.flatMap(({ name, steps: { p50 } }) => {
    const ms = median(p50.filter((value) => value !== undefined && value !== Number.POSITIVE_INFINITY) as number[]);
    return ms === undefined ? [] : [{ name, ms }];
  });
  const [slowest, ...others] = typical.sort((one, other) => other.ms - one.ms);
  const fastest = others.at(-1);
  if (slowest === undefined || fastest === undefined || round(slowest.ms) === round(fastest.ms)) return '';
  return `Slowest: ${slowest.name}, ${round(slowest.ms)} ms. Fastest: ${fastest.name}, ${round(fastest.ms)} ms.`;
}

/** How long probes took. A step in which none was answered is hatched. */
export function latencyLane(axis: Axis, marks: readonly Mark[], targets: readonly NamedSteps[]): Html {
  const title = 'Probe latency';
  const { p50, p95 } = joinLatency(targets, axis.steps);
  const silent = p50.filter((value) => value === Number.POSITIVE_INFINITY).length;
  const most = mostOf(p95);
  if (most === undefined && silent === 0) return lane(axis, marks, { title, words: NOTHING });
  const scale = usualScale(p95);
  const isMany = targets.length > 1;
  const answered = (values: Steps): Steps => values.map((ms) => (ms === Number.POSITIVE_INFINITY ? undefined : ms));
  const words =
    most === undefined
      ? 'No probe was answered'
      : [
          `${isMany ? 'p50 of the middle node' : 'p50'} ${round(lastOf(answered(p50)) ?? 0)} ms`,
          `${isMany ? 'p95 of the slowest' : 'p95'} ${describeNewest(axis, answered(p95), (ms) => `${round(ms)} ms`)}`,
          `highest ${round(most.value)} ms at ${whenOf(axis, most.x)}`,
          ...(silent === 0 ? [] : [`${lasting(silent * axis.stepMs)} without an answer`]),
        ].join(', ');
  const slowest = describeSlowest(targets);
  return lane(axis, marks, {
    title,
    words,
    of: p50,
    more: html`<ul class="keys">${lineKey(0, 'p50')}${lineKey(1, 'p95')}</ul>${slowest === '' ? '' : html`<p>${slowest}</p>`}`,
    chart: {
      top: `${round(scale)} ms`,
      content: [
        stepLine(axis, p95, scale, 'line1'),
        stepLine(axis, p50, scale, 'line0'),
        ...spikes(axis, p95, scale),
        ...hatched(axis, (step) => p50[step] === Number.POSITIVE_INFINITY),
      ],
    },
  });
}

/** As many nodes have a row of their own. */
const ROWS = 8;

const totalOf = (steps: Steps): number => knownOf(steps).reduce((sum, { value }) => sum + value, 0);

/** The rounds that masternodes missed, as a row for each that missed any. */
export function missedLane(
  axis: Axis,
  marks: readonly Mark[],
  masternodes: readonly { readonly name: string | Html; readonly missed: Steps }[],
): Html {
  const title = 'Missed rounds';
  const known = masternodes.filter(({ missed }) => mostOf(missed) !== undefined);
  if (known.length === 0) return lane(axis, marks, { title, words: NOTHING });
  const of = mostOfAll(
    known.map(({ missed }) => missed),
    axis.steps,
  );
  const missing = known
    .map(({ name, missed }) => ({ name, missed, total: totalOf(missed) }))
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total);
  const most = Math.max(...missing.map(({ missed }) => worstOf(missed)));
  const rounds = (total: number) => `${count(total)} ${total === 1 ? 'round' : 'rounds'}`;
  const until = upTo(axis, of);
  const words =
    missing.length === 0
      ? `No node was seen to miss a round ${until}`
      : `${formatCount(missing.length, 'masternode', 'masternodes')} missed ${rounds(missing.reduce((sum, { total }) => sum + total, 0))} ${until}, at most ${round(most)} within ${lasting(axis.stepMs)}`;
  return html`${lane(axis, marks, { title, words, of, more: missing.length > ROWS ? html`<p>The worst ${ROWS} are shown</p>` : '' })}${missing
    .slice(0, ROWS)
    .map(
      ({ name, missed, total }) =>
        html`<div class="lane cell"><p>${name}: ${count(total)}</p>${cellRow(axis, missed, most, html`${name} missed ${rounds(total)}`)}</div>`,
    )}`;
}

/** What the wallet of the relayer held. `words` say what it spends. */
export function walletLane(axis: Axis, marks: readonly Mark[], coins: Steps, words: string): Html {
  const most = mostOf(coins);
  // It only falls, until somebody fills it up.
  const scale = most?.value ?? 1;
  const chart = most && { top: `${round(scale)} coins`, content: [stepLine(axis, coins, scale, '')] };
  return lane(axis, marks, { title: 'Relayer wallet', words, of: coins, chart });
}
