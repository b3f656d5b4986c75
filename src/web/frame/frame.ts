import { html } from 'hono/html';
import { type Glance, iconOf, tabTitle } from './glance.ts';
import { type Html, shapes } from './marks.ts';
import { ago } from './times.ts';

export const STYLE_PATH = '/assets/style.css';
export const SCRIPT_PATH = '/assets/live.js';
export const THEME_PATH = '/assets/theme.js';
export const KIOSK_STYLE_PATH = '/assets/kiosk.css';

const ROOMS = [
  ['/', 'Status'],
  ['/incidents', 'Incidents'],
  ['/alerts', 'Runbooks'],
  ['/docs', 'API'],
  ['/portal', 'Portal'],
] as const;

export type Room = (typeof ROOMS)[number][0];

/** A section of a page that is replaced as a whole when it changes. Its element has the id. */
export interface Section {
  readonly id: string;
  readonly html: Html;
}

/** The part of a page that follows the state of the subnets. */
export interface LiveContent {
  readonly title: string;
  readonly glance: Glance;
  readonly sections: readonly Section[];
}

/** What goes around the content of every page. */
export interface Frame {
  readonly title: string;
  /** Of a page that shows how something is. */
  readonly glance?: Glance;
  /** Absent on the page for everybody, which leads nowhere. */
  readonly room?: Room;
  /** When the page was made, in Unix milliseconds. */
  readonly madeAt: number;
  /** The address of the stream that keeps the page as things are, with a script. */
  readonly stream?: string;
  /** Who is signed in, in place of when the page was made. */
  readonly account?: Html;
  /** More for the head: a style sheet or a script of this host. */
  readonly head?: Html;
  readonly banner?: Html;
  readonly content: Html;
  /** What subnetd says of itself at the end. */
  readonly footer?: readonly Html[];
}

const brand = html`<a class="brand" href="/"><svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3v10h10V3zm0 0l10 10M13 3L3 13" fill="none" stroke="currentColor" stroke-width="1.2"/><circle cx="3" cy="3" r="2.6"/><circle cx="13" cy="3" r="2.6"/><circle cx="3" cy="13" r="2.6"/><circle cx="13" cy="13" r="2.6"/></svg> subnetd</a>`;

const live = (madeAt: number, stream: string | undefined): Html =>
  html`<p class="live"${stream === undefined ? '' : html` data-stream="${stream}"`}><span class="dot"></span><span>Made</span> ${ago(madeAt, madeAt)}<a class="fresh" href="">Refresh</a></p>`;

const whole = (
  { title, glance, head }: Pick<Frame, 'title' | 'glance' | 'head'>,
  body: Html,
): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${tabTitle(title, glance?.problems)}</title>
<script src="${THEME_PATH}"></script>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="${iconOf(glance)}">
<script src="${SCRIPT_PATH}" defer></script>
${head ?? ''}
</head>
<body>
${body}
</body>
</html>
`;

/** A whole page. Without the script everything is there, as of the moment when it was made. */
export const page = (frame: Frame): Html => {
  const { room, madeAt, stream, account, banner, content, footer = [] } = frame;
  return whole(
    frame,
    html`<a class="skip" href="#main">Skip to the content</a>
${shapes}
<header class="top"><div class="wrap">
${brand}
${
  room === undefined
    ? ''
    : html`<nav aria-label="Main">${ROOMS.map(([path, name]) =>
        path === room ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`,
      )}</nav>`
}
${account ?? live(madeAt, stream)}
</div></header>
<main id="main" tabindex="-1">
${banner ?? ''}
<div class="wrap page">
${content}
</div>
</main>
<footer class="foot"><div class="wrap line">
${footer.map((part) => html`<span>${part}</span>`)}
<span id="zone">Times are UTC</span>
<button type="button" class="plain" id="theme" hidden></button>
</div></footer>`,
  );
};

/** A page for a screen on a wall: no more than the screen holds, without a way to other pages but one at the end. */
export const kioskFrame = (
  frame: Required<Pick<Frame, 'title' | 'glance' | 'madeAt' | 'stream' | 'content'>> & {
    readonly way: Html;
    readonly version: string;
  },
): Html =>
  whole(
    { ...frame, head: html`<link rel="stylesheet" href="${KIOSK_STYLE_PATH}">` },
    html`${shapes}
<div class="kiosk">
<main id="main">
${frame.content}
</main>
<footer>${live(frame.madeAt, frame.stream)}<span id="zone">Times are UTC</span><span>subnetd ${frame.version}</span>${frame.way}</footer>
</div>`,
  );
