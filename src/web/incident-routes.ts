import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { LONGEST_NAME } from '../model/problem.ts';
import type { RoutesEnv } from './api-routes.ts';
import { findOperator, type OperatorDeps } from './find-operator.ts';
import type { Pages } from './pages/create-pages.ts';
import { answerMissing } from './pages/missing-page.ts';
import { incidentPath } from './pages/paths.ts';
import { orAway } from './receive-requests.ts';

/** What the routes are made of. */
export interface IncidentRoutesDeps extends OperatorDeps {
  readonly pages: () => Promise<Pages>;
}

/** The longest note, in characters. */
const LONGEST_NOTE = 2_000;
/** A form with the longest note, in which each character is written as twelve. */
const MOST_BYTES = 32 * 1_024;
const TEXTS = {
  needed: 'a note needs an API key or a token with the scope operate, or a user of the web config',
  from: 'the page of the incident; open that, and add the note there',
};
const FEED_TYPE = 'application/atom+xml; charset=utf-8';

const nothing = (c: Context<RoutesEnv>) => answerMissing(c, 'there is no such incident', '/incidents');

const feed = (pages: IncidentRoutesDeps['pages'], isPublic: boolean) => async (c: Context<RoutesEnv>) =>
  c.body(await (await pages()).feed(isPublic), 200, { 'content-type': FEED_TYPE, 'cache-control': 'no-cache' });

/** The note or name and the credential of a form, or of a JSON object. */
async function readForm(
  c: Context<RoutesEnv>,
): Promise<{ readonly note: string; readonly by: string; readonly credential?: string }> {
  const isJson = /^application\/json\b/i.test(c.req.header('content-type') ?? '');
  const body: unknown = isJson ? await c.req.json().catch(() => ({})) : await c.req.parseBody().catch(() => ({}));
  const { note, by, credential, apiKey, token } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  const sent = toText(credential) || toText(apiKey) || toText(token);
  return { note: toText(note), by: toText(by), ...(sent !== '' && { credential: sent.trim() }) };
}

/** A request without its body, which has been read, with the credential of its form. */
function withCredential({ url, headers: sent }: Request, credential: string | undefined): Request {
  const asked = new URL(url);
  const headers = new Headers(sent);
  headers.delete('content-type');
  if (credential?.startsWith('subnetd_')) asked.searchParams.set('apiKey', credential);
  else if (credential !== undefined) headers.set('authorization', `Bearer ${credential}`);
  return new Request(asked, { method: 'POST', headers });
}

const ACKNOWLEDGE_TEXTS = {
  needed:
    'acknowledging needs an API key or a token with the scope operate, a user of the web config, or the link of a message',
  from: 'the page of the incident; open that, and acknowledge it there',
};

/** The page of the link in a message, and what its form and that of the incident send. Only a POST acknowledges: links are previewed. */
function addAcknowledgeRoutes(app: Hono<RoutesEnv>, { pages, ...deps }: IncidentRoutesDeps): void {
  const path = '/incidents/:id/acknowledge';
  const lost = 'nothing can be acknowledged now; try again when it is back';
  const show = async (c: Context<RoutesEnv>, id: string) => {
    c.header('cache-control', 'no-store');
    const { pathname, search } = new URL(c.req.url);
    const page = await (await pages()).acknowledgePage(id, `${pathname}${search}`);
    return page === undefined ? nothing(c) : c.html(page);
  };
  const answerLink = orAway(lost, async (c) => {
    const id = c.req.param('id') ?? '';
    if (await (await pages()).isGenuine(id, c.req.query())) return show(c, id);
    return c.text(
      `this link has expired or is incomplete; open ${incidentPath(id)} and acknowledge the incident there\n`,
      403,
    );
  });
  const answerForm = orAway(lost, async (c) => {
    const id = c.req.param('id') ?? '';
    const made = await pages();
    const { by, credential } = await readForm(c);
    const name = by.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
    const isByLink = await made.isGenuine(id, c.req.query());
    if (isByLink && (name === '' || name.length > LONGEST_NAME))
      return c.text(`your name must have 1 to ${LONGEST_NAME} characters; go back and write it\n`, 400);
    const operator = isByLink
      ? ({ ok: true, who: name } as const)
      : await findOperator(c, deps, ACKNOWLEDGE_TEXTS, withCredential(c.req.raw, credential));
    if (!operator.ok) return operator.refusal;
    const result = await made.acknowledge(id, operator.who);
    if (result === 'unknown') return nothing(c);
    if (isByLink) return show(c, id);
    if (result === 'over') return c.text('the incident is over; there is nothing to acknowledge\n', 409);
    return c.redirect(`${incidentPath(id)}#acknowledged`, 303);
  });
  app.get(path, answerLink);
  app.post(path, bodyLimit({ maxSize: MOST_BYTES }), answerForm);
}

/** The routes of incidents that check their own credentials, or none: notes, and in public mode the feed. */
export function addOpenIncidentRoutes(
  app: Hono<RoutesEnv>,
  { pages, ...deps }: IncidentRoutesDeps,
  isPublic: boolean,
): void {
  const addNote = orAway('the note was not kept; try again when it is back', async (c) => {
    const { note, credential } = await readForm(c);
    const operator = await findOperator(c, deps, TEXTS, withCredential(c.req.raw, credential));
    if (!operator.ok) return operator.refusal;
    const text = note.replaceAll('\r\n', '\n').trim();
    if (text === '' || text.length > LONGEST_NOTE)
      return c.text(`a note must have 1 to ${LONGEST_NOTE} characters; go back and change it\n`, 400);
    const id = c.req.param('id') ?? '';
    const added = await (await pages()).addNote(id, { author: operator.who, text });
    if (added === 'unknown') return nothing(c);
    if (added === 'full')
      return c.text('the incident already has the maximum number of notes; keep yours elsewhere\n', 409);
    return c.redirect(`${incidentPath(id)}#notes`, 303);
  });
  app.post('/incidents/:id/notes', bodyLimit({ maxSize: MOST_BYTES }), addNote);
  addAcknowledgeRoutes(app, { pages, ...deps });
  if (!isPublic) return;
  const open = feed(pages, true);
  app.get('/feed.atom', compress(), (c, next) => (c.req.header('authorization') === undefined ? open(c) : next()));
}

/** The pages of incidents and their exports. */
export function addIncidentRoutes(app: Hono<RoutesEnv>, { pages, checkUser }: IncidentRoutesDeps): void {
  const packed = compress();
  app.get('/incidents', packed, async (c) => {
    const listed = await (await pages()).incidents(c.req.query());
    return 'found' in listed ? c.redirect(incidentPath(listed.found), 302) : c.html(listed.body);
  });
  const answerIncident = async (c: Context<RoutesEnv>): Promise<Response> => {
    const [, id = '', suffix] = /^(.*?)(?:\.(json|md))?$/.exec(c.req.param('file') ?? '') ?? [];
    const made = await pages();
    if (suffix === undefined) {
      // Without users of the web config, such a header is of a proxy.
      const isSignedIn = checkUser !== undefined && c.req.header('authorization') !== undefined;
      const page = await made.incident(id, isSignedIn);
      return page === undefined ? nothing(c) : c.html(page);
    }
    const text = await made.exportIncident(id, suffix === 'json' ? 'json' : 'md');
    if (text === undefined) return nothing(c);
    const type = suffix === 'json' ? 'application/json' : 'text/markdown; charset=utf-8';
    return c.body(text, 200, { 'content-type': type });
  };
  const lost = 'only recent incidents can be read; /incidents lists them';
  app.get('/incidents/:file', packed, orAway(lost, answerIncident));
  app.get('/feed.atom', packed, feed(pages, false));
}
