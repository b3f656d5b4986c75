import { escapeHtml } from '../../../lib/words.ts';
import type { Markup } from './message-words.ts';

/** The HTML that Telegram takes, and mails too. */
export const HTML: Markup = {
  plain: escapeHtml,
  bold: (text) => `<b>${escapeHtml(text)}</b>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
};
