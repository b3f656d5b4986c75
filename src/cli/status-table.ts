import { styleText } from 'node:util';
import type { Status } from '../web/to-status.ts';
import { escapeText } from './quote.ts';

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
