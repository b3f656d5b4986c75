/** A line of a chart: a value at each place of the axis below. */
export interface Line {
  readonly name: string;
  readonly kind: 'own' | 'other' | 'third';
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

interface Chart {
  /** What the chart shows, for who cannot see it. */
  readonly title: string;
  readonly unit: string;
  readonly xName: string;
  readonly lines: readonly Line[];
  /** Over time: both axes begin at 0, no place is marked, and a line has a hole where two of its places are further apart. */
  readonly hole?: number;
}

/** The values that are marked on an axis, and where each value is between two pixels. */
interface Axis {
  readonly marks: readonly number[];
  readonly place: (value: number) => number;
}

const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 76;
/** Names of lines are right of them. */
const RIGHT = 156;
const TOP = 36;
const BOTTOM = 52;
/** So far are two names from each other. */
const NAME_HEIGHT = 17;

/** Colours for light and dark, with a ground of their own: a page that shows the picture may have any. */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #12161c }
.ground { fill: #fff }
.grid { stroke: #dfe3e9 }
.own { color: #0b55bd }
.other { color: #8a4f00 }
.third { color: #596372 }
circle, .name { fill: currentColor }
polyline { fill: none; stroke: currentColor; stroke-width: 2.5 }
polyline.other { stroke-dasharray: 8 4 }
polyline.third { stroke-dasharray: 2 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e9edf2 }
  .ground { fill: #151a21 }
  .grid { stroke: #2a323d }
  .own { color: #82b4ff }
  .other { color: #f9bd45 }
  .third { color: #a9b3c0 }
  .name { fill: currentColor }
}
`;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const createAxis = (marks: readonly number[], from: number, to: number, scale: (value: number) => number): Axis => {
  const [first, last] = [scale(marks[0] ?? 1), scale(marks.at(-1) ?? 10)];
  return {
    marks,
    place: (value) => Number((from + ((scale(value) - first) / (last - first)) * (to - from)).toFixed(1)),
  };
};

/** Powers of ten, from one that is not above all values to one that is not below them. */
function createLogAxis(values: readonly number[], from: number, to: number): Axis {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  const powers = Array.from({ length: last - first + 1 }, (_, step) => Number(`1e${first + step}`));
  return createAxis(powers, from, to, Math.log10);
}

/** From 0 in at most six steps of 1, 2 or 5 times a power of ten. */
function createLinearAxis(values: readonly number[], from: number, to: number): Axis {
  const most = Math.max(1, ...values);
  const power = 10 ** Math.floor(Math.log10(most / 6));
  const step = power * ([1, 2, 5].find((times) => times * power * 6 >= most) ?? 10);
  const marks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
  return createAxis(marks, from, to, (value) => value);
}

/** The parts of a line between its holes. */
function splitLine({ points }: Line, hole: number): readonly Line['points'][] {
  const begins = [...points.keys()].filter((place) => {
    const before = points[place - 1];
    return before === undefined || (points[place]?.x ?? 0) - before.x > hole;
  });
  return begins.map((begin, index) => points.slice(begin, begins[index + 1]));
}

/** The heights of names, from the top, each as near to its line as the one above it leaves room. */
function placeNames(lines: readonly (readonly [Line, number])[]): ReadonlyMap<Line, number> {
  const places = new Map<Line, number>();
  let free = Number.NEGATIVE_INFINITY;
  for (const [line, y] of lines.toSorted(([, one], [, other]) => one - other)) {
    const place = Math.max(y, free);
    places.set(line, place);
    free = place + NAME_HEIGHT;
  }
  return places;
}

/** Draws lines as SVG. Both axes have powers of ten, so that twice as much is the same way everywhere, or begin at 0. */
export function drawChart({ title, unit, xName, lines, hole }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  const create = hole === undefined ? createLogAxis : createLinearAxis;
  const { marks: xMarks, place: toX } = create(
    points.map(({ x }) => x),
    LEFT,
    WIDTH - RIGHT,
  );
  const { marks: yMarks, place: toY } = create(
    points.map(({ y }) => y),
    HEIGHT - BOTTOM,
    TOP,
  );
  const format = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 6 });
  const across = yMarks.map(
    (value) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(value)}" y2="${toY(value)}"/>` +
      `<text x="${LEFT - 8}" y="${toY(value) + 4}" text-anchor="end">${format(value)}</text>`,
  );
  const upright = xMarks.map(
    (value) =>
      `<line class="grid" x1="${toX(value)}" x2="${toX(value)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>` +
      `<text x="${toX(value)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${format(value)}</text>`,
  );
  const names = placeNames(lines.map((line) => [line, toY(line.points.at(-1)?.y ?? 1)]));
  const drawn = lines.map((line) => {
    const parts = splitLine(line, hole ?? Infinity).map((part) => part.map(({ x, y }) => [toX(x), toY(y)] as const));
    const polylines = parts.map((places) => `<polyline class="${line.kind}" points="${places.join(' ')}"/>`);
    const dots = parts.flat().map(([x, y]) => `<circle class="${line.kind}" cx="${x}" cy="${y}" r="3.5"/>`);
    const name = `<text class="${line.kind} name" x="${WIDTH - RIGHT + 10}" y="${(names.get(line) ?? 0) + 4}">${escapeText(line.name)}</text>`;
    return [...polylines, ...(hole === undefined ? dots : []), name].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    `<text x="12" y="22">${escapeText(unit)}</text>`,
    ...across,
    ...upright,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${escapeText(xName)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}
