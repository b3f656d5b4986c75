import { expect, test } from 'vitest';
import { iconOf, tabTitle } from '../../../src/web/frame/glance.ts';

const svgOf = (icon: string): string => decodeURIComponent(icon.replace('data:image/svg+xml,', ''));
const countIn = (icon: string): string | undefined => /<text[^>]*>([^<]*)</.exec(svgOf(icon))?.[1];

test('the title of a page begins with the count of its problems, and with none it has no count', () => {
  expect(tabTitle('devnet is halted', 2)).toBe('(2) devnet is halted (subnetd)');
  expect(tabTitle('devnet is healthy', 0)).toBe('devnet is healthy (subnetd)');
  expect(tabTitle('Incidents')).toBe('Incidents (subnetd)');
});

test('the icon of a page has the shape and the colour of its standing, and the count of its problems', () => {
  const icons = (['ok', 'warn', 'bad', 'off'] as const).map((standing) => iconOf({ standing, problems: 1 }));
  expect(new Set(icons.map((icon) => /<path[^>]*>/.exec(svgOf(icon))?.[0])).size).toBe(4);
  expect([0, 1, 9, 10, 120].map((problems) => countIn(iconOf({ standing: 'bad', problems })))).toEqual([
    undefined,
    '1',
    '9',
    '9+',
    '9+',
  ]);
});

test('a page that shows no state has an icon of its own, without a count', () => {
  expect(countIn(iconOf())).toBeUndefined();
  expect(iconOf()).not.toBe(iconOf({ standing: 'off', problems: 0 }));
});
