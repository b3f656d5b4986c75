import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { html } from 'hono/html';
import { beginSentence } from '../../lib/words.ts';
import { page } from '../frame/frame.ts';

/** Answers 404: a page for a browser, a line for programs. `what` is missing, and the list at `path` has what there is. */
export function answerMissing(c: Context, what: string, path = '/'): Response | Promise<Response> {
  const type = accepts(c, { header: 'Accept', supports: ['text/plain', 'text/html'], default: 'text/plain' });
  if (type !== 'text/html') return c.text(`${what}; see ${path}\n`, 404);
  const content = html`<h1>Not found</h1><p>${beginSentence(what)}. <a href="${path}">Show what there is</a>.</p>`;
  return c.html(page({ title: 'Not found', room: '/', madeAt: Date.now(), content }), 404);
}
