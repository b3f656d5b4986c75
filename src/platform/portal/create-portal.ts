import { type Context, Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import type { ReceivedRequest } from '../../model/received-request.ts';
import { owesCode } from '../api/accounts/prove-caller.ts';
import type { Services } from '../api/create-services.ts';
import type { Failure } from '../api/outcome.ts';
import type { RequestContext } from '../api/request-context.ts';
import { SCOPES } from '../model/platform-store.ts';
import { readForm } from './form.ts';
import { failurePage, layout } from './layout.ts';
import { signInPath } from './pages/sign-in.ts';
import { ACCOUNT_PATH } from './panels.ts';
import { otherRoutes, sections } from './sections.ts';
import { createCookies, csrfTokenOf, findSession, isOwnForm } from './sessions.ts';
import { type Guest, type PortalAnswer, type PortalRoute, type SignedInRoute, seeOther, type Visit } from './visit.ts';

/** The developer portal. */
export interface Portal {
  /** Always answers with a page; never rejects. */
  answer(request: ReceivedRequest): Promise<Response>;
}

/** What the portal needs. */
export interface PortalDeps {
  readonly services: Services;
  readonly version: string;
  /** Whether the client of a request came by TLS. */
  readonly isSecure: (request: ReceivedRequest) => boolean;
  /** The address of this subnetd for people. */
  readonly publicUrl?: string | undefined;
}

interface PortalEnv {
  Bindings: { readonly received: ReceivedRequest };
}

/** A sensitive step needs a sign-in of this long ago at most. */
const FRESH_MS = 15 * 60_000;

const FOREIGN: Failure = {
  code: 1104,
  message: 'the form did not come from this portal, or its session has ended; open the page again and resubmit',
};
const NOTHING: Failure = { code: 1004, message: 'the portal has no such page' };

/** Creates the portal. `handle` holds the steps of a request, in the order in which they run. */
export function createPortal({ services, version, isSecure, publicUrl }: PortalDeps): Portal {
  const routes: readonly PortalRoute[] = [...otherRoutes, ...sections.flatMap((section) => section.routes)];
  const pages = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const start = sections[0]?.path ?? '/portal';

  /** The page that has the form of a route: the one at its path, else the first of its section. */
  const pageOf = (route: PortalRoute, path: string): string =>
    pages.has(route.path) ? path : (sections.find((section) => section.routes.includes(route))?.path ?? start);

  const toGuest = async (
    c: Context<PortalEnv>,
    context: RequestContext,
    sent: Pick<Guest, 'form' | 'image'>,
  ): Promise<Guest> => {
    const store = await services.store();
    const cookies = createCookies(c.req.header('cookie') ?? null, isSecure(c.env.received));
    const now = services.now();
    const query = new URL(c.req.url).searchParams;
    const { session, token } = (await findSession(store, cookies.tokens, now)) ?? {};
    const actor = { ...context, store, caller: undefined };
    return { services, context, store, params: c.req.param(), query, ...sent, session, token, cookies, now, actor };
  };

  const toVisit = (guest: Guest): Visit | undefined => {
    const { session, token } = guest;
    if (session === undefined || token === undefined) return undefined;
    const codeAt = session.codeAt === null ? undefined : Date.parse(session.codeAt);
    const caller = { owner: session.userId, scopes: SCOPES, credential: 'session', codeAt };
    return {
      ...guest,
      session,
      token,
      csrf: csrfTokenOf(token),
      actor: { ...guest.actor, caller },
    };
  };

  /** What a visit lacks for a route: one-time codes, which are required and not set up, or a sign-in of the last minutes. */
  const whatIsMissing = async (route: SignedInRoute, visit: Visit): Promise<'codes' | 'sign-in' | undefined> => {
    const { session, now, store } = visit;
    if (services.requiresOtp && session.codeAt === null && route.withoutCode !== 'always') {
      if ((await store.findCodes(session.userId))?.isConfirmed === true) return 'sign-in';
      return route.withoutCode === 'to enrol' ? undefined : 'codes';
    }
    if (!route.isSensitive) return undefined;
    const isOld = now - Date.parse(session.signedInAt) > FRESH_MS;
    return isOld || (await owesCode(visit.actor, services)) ? 'sign-in' : undefined;
  };

  const render = (
    c: Context<PortalEnv>,
    answer: PortalAnswer,
    visit: Visit | undefined,
  ): Response | Promise<Response> => {
    if (answer instanceof Response) return answer;
    const { pathname: path } = new URL(c.req.url);
    const text = layout(answer, { path, sections, version, now: services.now(), visit });
    return c.html(text, (answer.status ?? 200) as 200, { ...answer.headers });
  };

  const handle = async (c: Context<PortalEnv>, route: PortalRoute, context: RequestContext): Promise<Response> => {
    const limited = await services.limitAddress(context);
    if (!limited.ok) return render(c, failurePage(limited.failure), undefined);

    const takesFile = route.kind === 'signed in' ? route.takesFile : undefined;
    const sent = route.method === 'POST' ? await readForm(c.req.raw, takesFile) : undefined;
    if (sent?.ok === false) return render(c, failurePage(sent.failure), undefined);
    const { members = {}, image } = sent?.value ?? {};
    const { csrf: csrfToken, ...form } = members;

    const guest = await toGuest(c, context, { form, image });
    const visit = toVisit(guest);
    if (route.kind === 'open') return render(c, await route.answer(guest), undefined);

    if (visit !== undefined) {
      const ofUser = await services.limits.credential(`user ${visit.session.userId}`);
      if (!ofUser.ok) {
        context.record('slowed', { caller: visit.actor.caller, detail: { name: 'Limit', value: 'credential' } });
        return render(c, failurePage(ofUser.failure), undefined);
      }
    }

    const { pathname, search } = new URL(c.req.url);
    const next = route.method === 'GET' ? `${pathname}${search}` : pageOf(route, pathname);
    if (visit === undefined) return seeOther(signInPath(next), guest.cookies.forget());
    if (route.method === 'POST' && !isOwnForm(csrfToken, visit.token)) {
      context.record('form refused', { caller: visit.actor.caller });
      return render(c, failurePage(FOREIGN), visit);
    }
    const missing = await whatIsMissing(route, visit);
    if (missing !== undefined) return seeOther(missing === 'codes' ? ACCOUNT_PATH : signInPath(next, true));
    return render(c, await route.answer(visit), visit);
  };

  const answerRoute = (route: PortalRoute) => async (c: Context<PortalEnv>) => {
    const context = services.contextOf(c.env.received);
    let answer: Response;
    try {
      answer = await handle(c, route, context);
    } catch (error) {
      answer = await render(c, failurePage(services.failureOf(context, error)), undefined);
    }
    for (const [name, value] of Object.entries(context.headers))
      if (!answer.headers.has(name)) answer.headers.set(name, value);
    return answer;
  };

  const app = new Hono<PortalEnv>();
  app.onError((error, c) => {
    const context = services.contextOf(c.env.received);
    if (!(error instanceof HTTPException)) {
      services.failureOf(context, error);
      return c.text('internal error; the log of subnetd says more\n', 500);
    }
    context.record('form refused', {});
    return render(c, failurePage(FOREIGN), undefined);
  });
  app.notFound((c) => render(c, failurePage(NOTHING, 404), undefined));
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
  });
  const origins = (c: Context) => [new URL(c.req.url).origin, ...(publicUrl ? [new URL(publicUrl).origin] : [])];
  app.use(csrf({ origin: (origin, c) => origins(c).includes(origin) }));
  app.get('/portal', (c) => c.redirect(start, 303));
  app.get('/portal/', (c) => c.redirect(start, 303));
  for (const route of routes) app.on(route.method, route.path, answerRoute(route));
  // A browser keeps the address of a form that was refused, and asks for it again.
  for (const route of routes)
    if (!pages.has(route.path)) app.get(route.path, (c) => c.redirect(pageOf(route, c.req.path), 303));
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    const allow = same.some(({ method }) => method === 'POST') ? 'GET, HEAD, POST' : 'GET, HEAD';
    const failure: Failure = { code: 1001, message: `this page accepts only ${allow}`, headers: { allow } };
    app.all(path, (c) => render(c, failurePage(failure, 405), undefined));
  }
  return { answer: async (received) => app.fetch(received.request, { received }) };
}
