import { styleText } from 'node:util';
import { formatDuration } from '../lib/duration.ts';

/** How far a line is moved in under the one that it belongs to. */
export const INDENT = '  ';

const COLOR = { ok: 'green', warn: 'yellow', bad: 'red', off: 'gray' } as const;
/** A shape beside the colour, as on the page. */
const SIGN = { ok: '✓', warn: '!', bad: '✗', off: '?' } as const;

/** In this style, if the output shows styles. */
export const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
  styleText(style, text, { stream: process.stdout });

/** The sign of a standing in its colour. */
export const signOf = (standing: keyof typeof SIGN): string => paint(COLOR[standing], SIGN[standing]);

/** The hour and minute of a time in ISO 8601. The day is clear from `lasting` beside it. */
export const clock = (iso: string): string => `${iso.slice(11, 16)} UTC`;

/** How long something that began at a time in ISO 8601 has lasted at `now`, in Unix milliseconds. */
export const lasting = (iso: string, now: number): string => formatDuration(Math.max(0, now - Date.parse(iso)));
