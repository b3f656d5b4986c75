import type { Markup } from './message-words.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The text within an element or an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);

/** The HTML that Telegram takes, and mails too. */
export const HTML: Markup = {
  plain: escapeHtml,
  bold: (text) => `<b>${escapeHtml(text)}</b>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
};
