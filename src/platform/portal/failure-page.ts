import { html } from 'hono/html';
import { ERROR_CODES } from '../api/error-codes.ts';
import type { Failure } from '../api/outcome.ts';
import { failureNote } from './form.ts';
import type { PortalPage } from './visit.ts';

/** A page that is nothing but a refusal, with the status of its code. */
export const failurePage = (failure: Failure, status: number = ERROR_CODES[failure.code][0]): PortalPage => ({
  title: 'Error',
  status,
  headers: failure.headers,
  content: html`<h1>That did not work</h1>${failureNote(failure)}<p><a href="/portal">To the start of the portal</a></p>`,
});
