import type { PlatformSettings } from '../../src/daemon/settings.ts';
import { createIsSecure } from '../../src/lib/addresses.ts';
import { databaseFailure } from '../../src/lib/database-failure.ts';
import type { InternalErrors } from '../../src/lib/internal-errors.ts';
import type { PlatformStore } from '../../src/platform/model/platform-store.ts';
import { createPortal, type Portal, type PortalDeps } from '../../src/platform/portal/create-portal.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { addRoot, platformSettings, ROOT_PASSWORD, startPlatform } from './api.ts';

/** What the portal answered. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text between the tags, without superfluous blanks. */
  readonly words: string;
}

/** A browser without a screen: it keeps cookies, follows redirects and sends the CSRF token of the page it saw last. */
export interface Visitor {
  get(path: string): Promise<Shown>;
  post(
    path: string,
    form?: Readonly<Record<string, string | File>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>;
  /** Signs in as `root`, when nothing else is said. */
  signIn(UserName?: string, Password?: string): Promise<Shown>;
  /** The path of the page that it sees. */
  readonly path: () => string;
  /** The header `cookie` that it sends. */
  readonly cookie: () => string;
  /** The last header `set-cookie`. */
  readonly setCookie: () => string;
}

/** The portal on an empty database, with the admin user `root`, who has the id 1. */
export interface TestPortal {
  readonly store: PlatformStore;
  readonly platform: ReturnType<typeof startPlatform>;
  readonly bugs: InternalErrors;
  readonly answer: Portal['answer'];
  /** `address` is that of its socket. */
  visitor(headers?: Readonly<Record<string, string>>, address?: string): Visitor;
  /** Moves the clock of the portal. */
  wait(ms: number): void;
  stop(): Promise<void>;
}

const ORIGIN = 'http://portal.test';
const toWords = (html: string): string =>
  html
    .replace(/<svg[\s\S]*?<\/svg>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

/** Starts the portal. */
export async function startPortal(
  address: DatabaseAddress,
  { settings = {}, ...deps }: Partial<PortalDeps> & { readonly settings?: Partial<PlatformSettings> } = {},
  { isDatabaseDown = false } = {},
): Promise<TestPortal> {
  const connection = await openDatabase(address);
  const { platform: store } = await createRepositories(connection);
  await addRoot(store, Date.now());
  let waited = 0;
  const all = platformSettings(address, settings);
  const platform = startPlatform(all, { now: () => Date.now() + waited });
  const { trustedProxies } = all;
  const started = await platform.services();
  const services = isDatabaseDown ? { ...started, store: () => Promise.reject(databaseFailure('down')) } : started;
  const portal = createPortal({
    services,
    version: '0',
    isSecure: createIsSecure(false, trustedProxies),
    ...deps,
  });

  const visitor: TestPortal['visitor'] = (always = {}, remoteAddress = '192.0.2.1') => {
    let cookie = '';
    let setCookie = '';
    let path = '';
    let csrf = '';
    const send = async (at: string, init: RequestInit): Promise<Shown> => {
      const headers = { ...always, ...(cookie && { cookie }), ...init.headers };
      const request = new Request(`${ORIGIN}${at}`, { ...init, headers });
      const answer = await portal.answer({ request, remoteAddress });
      const set = answer.headers.get('set-cookie');
      if (set !== null) {
        setCookie = set;
        cookie = /max-age=0/i.test(set) ? '' : (set.split(';')[0] ?? '');
      }
      const location = answer.headers.get('location');
      if (location !== null) return send(location, { method: 'GET' });
      path = at;
      const html = await answer.text();
      csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
      return { status: answer.status, headers: answer.headers, html, words: toWords(html) };
    };
    const post: Visitor['post'] = async (at, form = {}, headers = {}) => {
      const members = Object.entries({ csrf, ...form });
      const hasFile = members.some(([, value]) => typeof value !== 'string');
      const body = hasFile ? new FormData() : new URLSearchParams();
      for (const [name, value] of members) body.append(name, value as string);
      // As bytes: a form that is sent as such fails by itself once nobody reads on.
      const sent = new Response(body);
      const type = sent.headers.get('content-type') ?? '';
      return send(at, {
        method: 'POST',
        body: await sent.arrayBuffer(),
        headers: { origin: ORIGIN, 'content-type': type, ...headers },
      });
    };
    return {
      get: (at) => send(at, { method: 'GET' }),
      post,
      signIn: (UserName = 'root', Password = ROOT_PASSWORD) => post('/portal/sign-in', { UserName, Password }),
      path: () => path,
      cookie: () => cookie,
      setCookie: () => setCookie,
    };
  };
  return {
    store,
    platform,
    bugs: platform.bugs,
    answer: portal.answer,
    visitor,
    wait: (ms) => {
      waited += ms;
    },
    stop: async () => {
      await platform.stop();
      await connection.close();
    },
  };
}
