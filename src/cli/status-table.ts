import { styleText } from 'node:util';
import { formatDuration } from '../lib/duration.ts';
import type { Status } from '../web/to-status.ts';
import { escapeText } from './report.ts';

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

const STYLE: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  pass: 'green',
  degraded: 'yellow',
  fail: ['red', 'bold'],
  unknown: 'gray',
  skipped: 'gray',
};

/** A verdict in its colour, where stdout is a terminal and NO_COLOR does not forbid it. */
export const paintVerdict = (verdict: string, padTo = 0): string =>
  styleText(STYLE[verdict] ?? 'reset', verdict.padEnd(padTo), { stream: process.stdout });

/** A status as a table for people, with the reason of every check. */
export function statusTable({ subnets }: Status): string {
  const rows = subnets.flatMap((subnet) =>
    subnet.targets.flatMap((target) =>
      target.checks.map(({ check, verdict, reason }) => ({
        where: [subnet.name, target.name, check],
        verdict,
        reason,
      })),
    ),
  );
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map(({ where }) => where[column]?.length ?? 0)));
  return rows
    .map(({ where, verdict, reason }) => {
      const cells = where.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${cells.join('  ')}  ${paintVerdict(verdict, 8)}  ${escapeText(reason)}\n`;
    })
    .join('');
}
