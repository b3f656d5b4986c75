import { html } from 'hono/html';
import { page } from '../../web/frame/frame.ts';
import type { Html } from '../../web/frame/marks.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import type { Failure } from '../api/outcome.ts';
import { csrfField, failureNote } from './form.ts';
import type { PortalPage, PortalSection, Visit } from './visit.ts';

/** What is around a page of the portal. */
export interface Layout {
  /** The path of the request. */
  readonly path: string;
  readonly sections: readonly PortalSection[];
  readonly version: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** The signed-in user; undefined on the pages for everybody. */
  readonly visit: Pick<Visit, 'session' | 'csrf'> | undefined;
}

const isWithin = (path: string, section: PortalSection): boolean =>
  path === section.path || path.startsWith(`${section.path}/`);

const sideNavigation = (sections: readonly PortalSection[], path: string): Html =>
  html`<nav class="side" aria-label="Portal">${sections.map(
    (section) =>
      html`<a href="${section.path}"${isWithin(path, section) ? html` aria-current="page"` : ''}>${section.name}</a>`,
  )}</nav>`;

const account = ({ session, csrf }: Pick<Visit, 'session' | 'csrf'>): Html =>
  html`<form class="live bar" method="post" action="/portal/sign-out">${csrfField(csrf)}<span>${session.userName}</span><button type="submit">Sign out</button></form>`;

/** A whole page of the portal. */
export function layout({ title, content }: PortalPage, { path, sections, version, now, visit }: Layout): Html {
  return page({
    title: `${title}, portal`,
    room: '/portal',
    madeAt: now,
    account: visit === undefined ? html`<p class="live">Admin API and keys</p>` : account(visit),
    footer: [html`subnetd ${version}`],
    content:
      visit === undefined
        ? html`<div class="narrow stack">${content}</div>`
        : html`<div class="grid portal">${sideNavigation(sections, path)}<div class="stack">${content}</div></div>`,
  });
}

/** A page with a form, which says in its title and by its status that the form was refused. */
export const formPage = (title: string, content: Html, failure: Failure | undefined): PortalPage => ({
  title: failure === undefined ? title : `Error: ${title}`,
  ...(failure && { status: ERROR_CODES[failure.code][0] }),
  content,
});

/** A page that is nothing but a refusal, with the status of its code. */
export const failurePage = (failure: Failure, status: number = ERROR_CODES[failure.code][0]): PortalPage => ({
  title: 'Error',
  status,
  headers: failure.headers,
  content: html`<h1>That did not work</h1>${failureNote(failure)}<p><a href="/portal">Portal home</a></p>`,
});
