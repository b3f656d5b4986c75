import type { Standing } from '../../model/headline.ts';

/** What the tab of a page shows of it: how bad the worst is, and how many problems there are. */
export interface Glance {
  readonly standing: Standing;
  readonly problems: number;
}

/** The colour of each standing where a style sheet does not reach. White on it has at least 4.5:1. */
export const COLOR_OF: Readonly<Record<Standing, string>> = {
  ok: '#0d753a',
  warn: '#8a4f00',
  bad: '#b4182a',
  off: '#596372',
};

/** The shapes of 16 by 16 that stand for the standings. */
export const OUTLINE_OF: Readonly<Record<Standing, string>> = {
  ok: 'M8 0a8 8 0 0 1 0 16A8 8 0 0 1 8 0z',
  warn: 'M8 .5l7.8 14.7H.2z',
  bad: 'M4.8.4h6.4l4.4 4.4v6.4l-4.4 4.4H4.8L.4 11.2V4.8z',
  off: 'M8 1.1a6.9 6.9 0 0 1 0 13.8A6.9 6.9 0 0 1 8 1.1z',
};

/** More problems than these are a plus sign in the icon. */
const MOST_SHOWN = 9;

/** The icon of a page as a URL: the shape of its standing with the count of its problems; a plain square where it has none. */
export function iconOf(glance?: Glance): string {
  const { standing, problems } = glance ?? { standing: 'off', problems: 0 };
  const count = problems > MOST_SHOWN ? `${MOST_SHOWN}+` : problems;
  const outline = glance === undefined ? 'M3 3h10v10H3z' : OUTLINE_OF[standing];
  const text = `<text x="8" y="${standing === 'warn' ? 14 : 12}" text-anchor="middle" font-family="sans-serif" font-size="${problems > MOST_SHOWN ? 9 : 11}" font-weight="700" fill="#fff">${count}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="${outline}" fill="${COLOR_OF[standing]}"/>${problems === 0 ? '' : text}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The title of a page as a tab shows it: the count of problems first, as a narrow tab shows no more. */
export const tabTitle = (title: string, problems = 0): string =>
  `${problems === 0 ? '' : `(${problems}) `}${title} (subnetd)`;
