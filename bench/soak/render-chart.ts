/** A line of a panel: values over time, in milliseconds since the start. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

/** A panel of the chart, with an axis of its own that begins at 0. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const WIDTH = 760;
const HEIGHT = 130;
const LEFT = 60;
const TOP = 26;
const GAP = 30;
/** People who do not see all colours can distinguish these, on white and on black. */
const COLOURS = ['#3b82c4', '#d9822b', '#2e9e6b', '#a05cc5'];
/** A process that does not run leaves a hole in its line. */
const HOLE_MS = 70_000;

const toPath = ({ points }: Line, endMs: number, most: number, top: number): string =>
  points
    .map(({ at, value }, index) => {
      const before = points[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
      const x = LEFT + (at / endMs) * (WIDTH - LEFT - 10);
      const y = top + HEIGHT - (value / most) * HEIGHT;
      return `${at - before > HOLE_MS ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');

function renderPanel({ title, lines }: Panel, endMs: number, top: number): string {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ value }) => value))) * 1.1;
  const names = lines.map(
    ({ name }, index) => `<text x="${LEFT + 250 + index * 110}" y="${top - 8}" fill="${COLOURS[index]}">${name}</text>`,
  );
  const paths = lines.map(
    (line, index) => `<path d="${toPath(line, endMs, most, top)}" stroke="${COLOURS[index]}" fill="none"/>`,
  );
  const bottom = top + HEIGHT;
  return `<text x="${LEFT}" y="${top - 8}" fill="#808080">${title}</text>
${names.join('\n')}
<path d="M${LEFT} ${top}V${bottom}H${WIDTH - 10}" stroke="#808080" fill="none"/>
<text x="${LEFT - 6}" y="${top + 10}" text-anchor="end" fill="#808080">${most.toFixed(0)}</text>
<text x="${LEFT - 6}" y="${bottom}" text-anchor="end" fill="#808080">0</text>
${paths.join('\n')}`;
}

/** Panels one below the other over the same time, as SVG. */
export function renderChart(panels: readonly Panel[], endMs: number): string {
  const height = TOP + panels.length * (HEIGHT + GAP);
  const drawn = panels.map((panel, index) => renderPanel(panel, endMs, TOP + index * (HEIGHT + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img">
<title>${panels.map(({ title }) => title).join('; ')}, over ${Math.round(endMs / 60_000)} minutes</title>
${drawn.join('\n')}
</svg>
`;
}
