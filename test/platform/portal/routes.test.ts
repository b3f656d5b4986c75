import { describe, expect, it } from 'vitest';
import { otherRoutes, sections } from '../../../src/platform/portal/sections.ts';
import type { PortalRoute } from '../../../src/platform/portal/visit.ts';
import { startPortal } from '../../support/portal.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const routes: readonly PortalRoute[] = [...otherRoutes, ...sections.flatMap((section) => section.routes)];
const closed = routes.filter(({ kind }) => kind === 'signed in');
const at = (route: PortalRoute) => [route.method, route.path] as const;
/** A path that the pattern of a route matches. */
const pathOf = (pattern: string) => pattern.replaceAll(/:\w+(?:\{[^}]*\})?/g, '1');

describe('the routes of the portal', () => {
  const databases = useDatabases('sqlite');
  const { portal, visitor } = usePortal(databases);

  it('are open only where nobody can be signed in', () => {
    const open = routes.filter(({ kind }) => kind === 'open').map((route) => at(route).join(' '));
    expect(open.toSorted()).toEqual(
      [
        'GET /images/:name',
        ...['activate', 'forgotten', 'reset', 'sign-in'].flatMap((name) => [
          `GET /portal/${name}`,
          `POST /portal/${name}`,
        ]),
      ].toSorted(),
    );
  });

  it.each(closed.map(at))('%s %s asks for a sign-in, and answers nobody else', async (method, pattern) => {
    const guest = portal.visitor({ cookie: 'subnetd-session=AAAAAAAAAAAAAAAAAAAAAAAAAAA' });
    const path = pathOf(pattern);
    const { status, words } = await (method === 'GET' ? guest.get(path) : guest.post(path));
    expect([status, guest.path().replace(/\?.*/, '')]).toEqual([200, '/portal/sign-in']);
    expect(words).not.toContain('root');
  });

  it.each(closed.filter(({ method }) => method === 'POST').map(at))(
    '%s %s does nothing without the token of the session',
    async (_, pattern) => {
      for (const csrf of ['', 'x'.repeat(43)]) {
        const { status, words } = await visitor.post(pathOf(pattern), { csrf });
        expect([status, words]).toEqual([403, expect.stringContaining('The form did not come from this portal')]);
      }
    },
  );

  it.each(closed.filter(({ method }) => method === 'GET').map(at))(
    '%s %s names its user, can be left, and is kept by no cache',
    async (_, pattern) => {
      const { headers, html, words } = await visitor.get(pathOf(pattern));
      expect(headers.get('cache-control')).toBe('no-store');
      if (headers.get('content-type')?.startsWith('text/html') !== true) return;
      expect(words).toContain('root Sign out');
      expect(html).not.toMatch(/argon2|undefined|\[object/);
    },
  );

  it('after a time ask for the password again before each sensitive step, and do nothing', async () => {
    const late = portal.visitor();
    await late.signIn();
    const { html } = await late.get('/portal/account');
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
    portal.wait(16 * 60_000);
    const sensitive = closed.filter((route) => route.kind === 'signed in' && route.isSensitive);
    expect(sensitive.map((route) => at(route).join(' '))).toEqual(
      expect.arrayContaining([
        'POST /portal/users/add',
        'POST /portal/users/:id{[0-9]+}',
        'POST /portal/account/profile',
      ]),
    );
    for (const { method, path: pattern } of sensitive) {
      const path = pathOf(pattern);
      await (method === 'GET' ? late.get(path) : late.post(path, { csrf }));
      expect(late.path(), path).toMatch(/^\/portal\/sign-in\?next=[^&]*&again=1$/);
    }
  });

  it.each(closed.filter(({ path }) => !closed.some((page) => page.method === 'GET' && page.path === path)).map(at))(
    'the address of the form %s %s leads to a page that has it',
    async (_, pattern) => {
      const { status } = await visitor.get(pathOf(pattern));
      // Every page has the form that signs out.
      const page = sections.find(({ path }) => pattern.startsWith(path)) ?? sections[0];
      expect([status, visitor.path()]).toEqual([200, page?.path]);
    },
  );

  it('name the methods that a page takes to who uses another one', async () => {
    const ask = async (path: string) => {
      const headers = { 'content-type': 'application/json' };
      const request = new Request(`http://portal.test${path}`, { method: 'PUT', headers, body: '{}' });
      const answer = await portal.answer({ request, remoteAddress: '192.0.2.1' });
      return [answer.status, answer.headers.get('allow')];
    };
    expect(await ask('/portal/audit-log')).toEqual([405, 'GET, HEAD']);
    expect(await ask('/portal/keys/1/revoke')).toEqual([405, 'GET, HEAD, POST']);
    expect(await ask('/portal/nothing')).toEqual([404, null]);
  });

  it('report an error that breaks a request before its route', async () => {
    const broken = await startPortal(await databases.create(), { publicUrl: 'no address' });
    const { status, html } = await broken.visitor().post('/portal/sign-in');
    expect([status, html]).toEqual([500, 'internal error; the log of subnetd says more\n']);
    expect(broken.bugs.counts.get('api')).toBe(1);
    await broken.stop();
  });
});
