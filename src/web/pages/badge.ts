import { escapeHtml } from '../../lib/escape-html.ts';
import type { Standing } from '../../model/headline.ts';

/** What a person without an account may know of a subnet, in a word. */
export const PUBLIC_WORDS: Readonly<Record<Standing, string>> = {
  ok: 'operational',
  warn: 'degraded',
  bad: 'down',
  off: 'unknown',
};

const COLOR: Readonly<Record<Standing, string>> = { ok: '#0d753a', warn: '#8a4f00', bad: '#b4182a', off: '#596372' };

/** The width of a text of 11 px in DejaVu Sans or a narrower font, in pixels. */
const widthOf = (text: string): number => Math.ceil(text.length * 6.8) + 12;

/** A badge for a readme or a site: the name of a subnet and its state, as SVG. */
export function badgeSvg(subnet: string, standing: Standing): string {
  const [left, right] = [widthOf(subnet), widthOf(PUBLIC_WORDS[standing])];
  const name = escapeHtml(subnet);
  const word = PUBLIC_WORDS[standing];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${word}"><title>${name}: ${word}</title><rect width="${left}" height="20" fill="#30363d"/><rect x="${left}" width="${right}" height="20" fill="${COLOR[standing]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${name}</text><text x="${left + right / 2}" y="14">${word}</text></g></svg>\n`;
}
