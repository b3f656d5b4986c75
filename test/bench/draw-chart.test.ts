import { describe, expect, it } from 'vitest';
import { drawChart, type Line } from '../../bench/draw-chart.ts';

describe('a chart of powers of ten', () => {
  const line = (name: string, ...values: readonly number[]): Line => ({
    name,
    kind: 'own',
    points: values.map((y, step) => ({ x: 10 ** (step + 1), y })),
  });
  const draw = (...lines: readonly Line[]) => drawChart({ title: 't', unit: 'u', xName: 'x', lines });

  it('has as much room from 1 to 10 as from 10 to 100', () => {
    const [, places = ''] = /points="([^"]+)"/.exec(draw(line('a', 1, 10, 100))) ?? [];
    const [low, middle, high] = places.split(' ').map((place) => place.split(',').map(Number));
    expect((low?.[1] ?? 0) - (middle?.[1] ?? 0)).toBeCloseTo((middle?.[1] ?? 0) - (high?.[1] ?? 0), 0);
    expect((middle?.[0] ?? 0) - (low?.[0] ?? 0)).toBeCloseTo((high?.[0] ?? 0) - (middle?.[0] ?? 0), 0);
  });

  it('keeps the names of lines that end at one place apart, and escapes them', () => {
    const chart = draw(line('one', 5, 50), line('<two>', 6, 50));
    const heights = [...chart.matchAll(/<text class="own name" x="\d+" y="([\d.]+)">/g)].map(([, y]) => Number(y));
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(15);
    expect(chart).toContain('&lt;two>');
  });

  it('has a colour of its own for text in light and in dark', () => {
    const [light, dark] = draw(line('a', 1, 10)).split('@media (prefers-color-scheme: dark)');
    for (const part of [light, dark]) expect(part).toMatch(/\.ground \{ fill: #\w+ \}/);
  });
});

describe('a chart over time', () => {
  const draw = (...points: readonly (readonly [number, number])[]) =>
    drawChart({
      ...{ title: 't', unit: 'u', xName: 'x', hole: 5 },
      lines: [{ name: 'a', kind: 'own', points: points.map(([x, y]) => ({ x, y })) }],
    });
  const marksOf = (chart: string) =>
    [...chart.matchAll(/text-anchor="(end|middle)">([\d.,]+)</g)].map(([, , mark]) => mark);
  const partsOf = (chart: string) =>
    [...chart.matchAll(/points="([^"]+)"/g)].map(([, places = '']) =>
      places.split(' ').map((one) => one.split(',').map(Number)),
    );

  it('begins at 0, and has at most six steps to what is above all values', () => {
    expect(marksOf(draw([0, 300], [6, 620]))).toEqual([
      '0',
      '200',
      '400',
      '600',
      '800',
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(marksOf(draw([0, 1], [60, 1_001]))).toEqual([
      '0',
      '200',
      '400',
      '600',
      '800',
      '1,000',
      '1,200',
      '0',
      '10',
      '20',
      '30',
      '40',
      '50',
      '60',
    ]);
  });

  it('has as much room for each step', () => {
    const [[low, middle, high] = []] = partsOf(draw([1, 10], [2, 20], [3, 30]));
    expect((low?.[1] ?? 0) - (middle?.[1] ?? 0)).toBeCloseTo((middle?.[1] ?? 0) - (high?.[1] ?? 0), 0);
  });

  it('leaves a hole where a process did not run, and marks no place', () => {
    const chart = draw([1, 10], [6, 10], [12, 10], [13, 10]);
    expect(partsOf(chart).map((part) => part.length)).toEqual([2, 2]);
    expect(chart).not.toContain('<circle');
  });
});
