import type { Html } from '../../web/frame/marks.ts';
import type { Actor } from '../api/actor.ts';
import type { Services } from '../api/create-services.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import type { Session } from '../model/session.ts';

/** What the file of a form is. */
export type FileKind = 'text' | 'image';

/** A request of the portal, by anybody. */
export interface Guest {
  readonly services: Services;
  readonly context: RequestContext;
  readonly store: PlatformStore;
  /** The variable segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The members of a form, all texts, without the CSRF token; empty for a GET. */
  readonly form: Readonly<Record<string, string>>;
  /** The bytes of the image in a form that may have one. */
  readonly image: Uint8Array | undefined;
  /** The session of the browser, if it is signed in. */
  readonly session: Session | undefined;
  /** The secret token of that session. */
  readonly token: string | undefined;
  readonly cookies: Cookies;
  /** Unix milliseconds. */
  readonly now: number;
  /** Who asks the services: the signed-in user, or nobody on the pages for everybody. */
  readonly actor: Actor;
}

/** A request of the portal by a signed-in admin user; a POST has the CSRF token of the session. */
export interface Visit extends Guest {
  readonly session: Session;
  readonly token: string;
  /** The token that each form of the session carries, see `form`. */
  readonly csrf: string;
}

/** The cookie of a session, as the browser sent it and as it gets it. */
export interface Cookies {
  /** The tokens that the browser sent; more than one only if another site set the cookie too. */
  readonly tokens: readonly string[];
  /** The header `set-cookie` with a new token. */
  keep(token: string): string;
  /** The header `set-cookie` that removes it; undefined if none was sent. */
  forget(): string | undefined;
}

/** A page of the portal without what is around it. */
export interface PortalPage {
  readonly title: string;
  readonly content: Html;
  /** By default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a route answers: a page, which gets its frame, or a whole response. */
export type PortalAnswer = PortalPage | Response;

/** A route that anybody may use. */
export interface OpenRoute {
  readonly kind: 'open';
  readonly method: 'GET' | 'POST';
  /** A pattern of Hono. */
  readonly path: string;
  readonly answer: (guest: Guest) => Promise<PortalAnswer>;
}

/** A route for admin users. Others are asked to sign in first. */
export interface SignedInRoute {
  readonly kind: 'signed in';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Asks for the password, and the one-time code of who has codes, again, unless the sign-in was a short while ago. */
  readonly isSensitive?: boolean;
  /** Whether its form may have a file, and of what: a text is a member of the form, an image is not. */
  readonly takesFile?: FileKind;
  /** Where every admin user needs one-time codes: whether a session without one may do it, always or only to set codes up. */
  readonly withoutCode?: 'always' | 'to enrol';
  readonly answer: (visit: Visit) => Promise<PortalAnswer>;
}

/** A route of the portal. */
export type PortalRoute = OpenRoute | SignedInRoute;

/** A section of the portal. The side navigation lists it under its name. */
export interface PortalSection {
  /** The path of its first page, which is the start of the paths of its other pages. */
  readonly path: string;
  readonly name: string;
  readonly routes: readonly PortalRoute[];
}

/** Sends the browser to another page after a form, so that a reload repeats nothing. */
export function seeOther(location: string, cookie?: string): Response {
  const headers = new Headers({ location });
  if (cookie !== undefined) headers.set('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
