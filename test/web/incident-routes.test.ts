import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { databaseAway } from '../../src/lib/database-failure.ts';
import type { RoutesEnv } from '../../src/web/api-routes.ts';
import { addIncidentRoutes, addOpenIncidentRoutes, type IncidentRoutesDeps } from '../../src/web/incident-routes.ts';
import type { Pages } from '../../src/web/pages/create-pages.ts';

const KEY = `subnetd_${'k'.repeat(43)}`;

/** The routes over an incident `known`, with the notes that it gets. */
function routes({ isPublic = false, isAway = false, hasUsers = false } = {}) {
  const notes: unknown[] = [];
  const acknowledged: string[] = [];
  const pages = {
    addNote: async (id: string, note: unknown) => {
      if (isAway) throw databaseAway();
      if (id === 'known') notes.push(note);
      return id === 'known' ? 'added' : id === 'full' ? 'full' : 'unknown';
    },
    isGenuine: async (id: string, { key }: { key?: string }) => {
      if (isAway) throw databaseAway();
      return key === `of-${id}`;
    },
    acknowledgePage: async (id: string, action: string) => (id === 'gone' ? undefined : `form to ${action}`),
    acknowledge: async (id: string, by: string) => {
      if (id === 'known') acknowledged.push(by);
      return id === 'known' ? 'acknowledged' : id === 'old' ? 'over' : 'unknown';
    },
    feed: async (forEverybody: boolean) => `<feed>${forEverybody ? 'public' : 'full'}</feed>`,
    incidents: async ({ alert }: { alert?: string }) => (alert === 'A' ? { found: 'known' } : { body: 'the list' }),
    incident: async (id: string, isSignedIn: boolean) => {
      if (isAway) throw databaseAway();
      return id === 'known' ? `page ${isSignedIn}` : undefined;
    },
    exportIncident: async (id: string, format: string) => (id === 'known' ? format : undefined),
  } as unknown as Pages;
  const deps: IncidentRoutesDeps = {
    pages: async () => pages,
    checkUser: hasUsers ? async (name, password) => ({ ok: name === 'grace' && password === 'right' }) : undefined,
    api: {
      authorize: async ({ request }) => {
        const { searchParams } = new URL(request.url);
        const isGood =
          searchParams.get('apiKey') === KEY || request.headers.get('authorization')?.endsWith('good') === true;
        return isGood
          ? { ok: true, value: { owner: 7, credential: 'key 3' } }
          : { ok: false, failure: { code: 1101, message: 'send an API key' } };
      },
    },
  };
  const app = new Hono<RoutesEnv>();
  addOpenIncidentRoutes(app, deps, isPublic);
  addIncidentRoutes(app, deps);
  const post = (
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
    id = 'known',
    path = 'notes',
  ) =>
    app.request(`http://s.example/incidents/${id}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return { app, notes, acknowledged, post };
}

describe('a note', () => {
  it('is added with a key or token of scope operate, of the form or the header, and says who added it', async () => {
    const { post, notes } = routes();
    for (const [fields, headers] of [
      [{ credential: KEY }, {}],
      [{ credential: ' good ' }, {}],
      [{}, { authorization: 'Bearer good' }],
    ] as const) {
      const answer = await post({ note: ' started it\r\n<b> ', ...fields }, headers);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/incidents/known#notes']);
    }
    expect(notes).toEqual(Array(3).fill({ author: 'admin user 7 by key 3', text: 'started it\n<b>' }));
  });

  it('is added by a program as JSON', async () => {
    const { app, notes } = routes();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ note: 'n', apiKey: KEY });
    expect((await app.request('/incidents/known/notes', { method: 'POST', headers, body })).status).toBe(303);
    expect(notes).toHaveLength(1);
    for (const bad of ['', '[', 'null', '{"note":3}'])
      expect((await app.request('/incidents/known/notes', { method: 'POST', headers, body: bad })).status).toBe(401);
  });

  it('without a credential is refused, and so is one from a page of another site for a user of the web config', async () => {
    const { post, notes } = routes({ hasUsers: true });
    const user = { authorization: `Basic ${btoa('grace:right')}` };
    const none = await post({ note: 'n' });
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="subnetd"']);
    expect(await none.text()).toContain('a note needs an API key or a token with the scope operate');
    expect((await post({ note: 'n' }, { authorization: `Basic ${btoa('grace:wrong')}` })).status).toBe(401);
    expect((await post({ note: 'n' }, { ...user, origin: 'http://evil.example' })).status).toBe(403);
    expect((await post({ note: 'n' }, { ...user, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(notes).toEqual([]);
    expect((await post({ note: 'n' }, { ...user, origin: 'http://s.example' })).status).toBe(303);
    expect(notes).toEqual([{ author: 'grace', text: 'n' }]);
  });

  it('has 1 to 2,000 characters, belongs to an incident, and needs the database', async () => {
    const { post, notes } = routes();
    const credential = KEY;
    for (const note of ['', ' \n ', 'x'.repeat(2_001)]) {
      const answer = await post({ note, credential });
      expect([answer.status, await answer.text()]).toEqual([
        400,
        'a note must have 1 to 2000 characters; go back and change it\n',
      ]);
    }
    expect((await post({ note: 'x'.repeat(40_000), credential })).status).toBe(413);
    expect((await post({ note: 'n', credential }, {}, 'other')).status).toBe(404);
    expect((await post({ note: 'n', credential }, {}, 'full')).status).toBe(409);
    expect((await post({ note: 'n' }, { 'content-type': 'multipart/form-data', authorization: 'good' })).status).toBe(
      400,
    );
    expect(notes).toEqual([]);
    expect((await post({ note: '😀'.repeat(1_000), credential })).status).toBe(303);
    const away = await routes({ isAway: true }).post({ note: 'n', credential });
    expect([away.status, await away.text()]).toEqual([
      503,
      'the database does not answer, so the note was not kept; try again when it is back\n',
    ]);
  });
});

describe('an acknowledgement', () => {
  const LINK = 'acknowledge?until=9&key=of-known';

  it('by the link of a message is a page that asks for a name; only its form acknowledges', async () => {
    const { app, acknowledged, post } = routes({ hasUsers: true });
    const page = await app.request(`/incidents/known/${LINK}`);
    expect([page.status, await page.text()]).toEqual([200, `form to /incidents/known/${LINK}`]);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect((await app.request(`/incidents/known/${LINK}`, { method: 'HEAD' })).status).toBe(200);
    expect(acknowledged).toEqual([]);
    for (const by of ['', ' \u202e ', 'x'.repeat(81)]) {
      const answer = await post({ by }, {}, 'known', LINK);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        'your name must have 1 to 80 characters; go back and write it\n',
      ]);
    }
    const done = await post({ by: ' Anna\n' }, {}, 'known', LINK);
    expect([done.status, await done.text()]).toEqual([200, `form to /incidents/known/${LINK}`]);
    expect(acknowledged).toEqual(['Anna']);
  });

  it('by a link that is too old, or of another incident, is refused', async () => {
    const { app, acknowledged, post } = routes();
    for (const path of ['known/acknowledge', 'known/acknowledge?key=of-other', `other/${LINK}`]) {
      const answer = await app.request(`/incidents/${path}`);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toMatch(
        /^this link has expired or is incomplete; open \/incidents\/\w+ and acknowledge/,
      );
    }
    const answer = await post({ by: 'Anna' }, {}, 'other', LINK);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('acknowledging needs an API key or a token with the scope operate');
    expect(acknowledged).toEqual([]);
  });

  it('on the page of the incident is of who signs in, from our own pages alone', async () => {
    const { acknowledged, post } = routes({ hasUsers: true });
    const user = { authorization: `Basic ${btoa('grace:right')}` };
    expect((await post({}, { ...user, origin: 'http://evil.example' }, 'known', 'acknowledge')).status).toBe(403);
    const answer = await post({ by: 'somebody else' }, { ...user, origin: 'http://s.example' }, 'known', 'acknowledge');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/incidents/known#acknowledged']);
    expect((await post({ credential: KEY }, {}, 'known', 'acknowledge')).status).toBe(303);
    expect(acknowledged).toEqual(['grace', 'admin user 7 by key 3']);
    expect((await post({ credential: KEY }, {}, 'old', 'acknowledge')).status).toBe(409);
    expect((await post({ credential: KEY }, {}, 'none', 'acknowledge')).status).toBe(404);
  });

  it('needs the database', async () => {
    const { app } = routes({ isAway: true });
    const answer = await app.request(`/incidents/known/${LINK}`);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      'the database does not answer, so nothing can be acknowledged now; try again when it is back\n',
    ]);
  });
});

describe('the addresses of incidents', () => {
  const ask = async (path: string, options: Parameters<typeof routes>[0] = {}, headers = {}) => {
    const answer = await routes(options).app.request(path, { headers });
    return [answer.status, answer.headers.get('content-type'), answer.headers.get('location') ?? (await answer.text())];
  };

  it('give the list, the page, both exports and the feed', async () => {
    expect(await ask('/incidents')).toEqual([200, 'text/html; charset=UTF-8', 'the list']);
    expect(await ask('/incidents?alert=A')).toEqual([302, null, '/incidents/known']);
    expect(await ask('/incidents/known')).toEqual([200, 'text/html; charset=UTF-8', 'page false']);
    const user = { authorization: 'Basic x' };
    expect((await ask('/incidents/known', { hasUsers: true }, user))[2]).toBe('page true');
    expect((await ask('/incidents/known', {}, user))[2]).toBe('page false');
    expect(await ask('/incidents/known.json')).toEqual([200, 'application/json', 'json']);
    expect(await ask('/incidents/known.md')).toEqual([200, 'text/markdown; charset=utf-8', 'md']);
    for (const path of ['other', 'other.md', 'known.txt', '.md', '%00', '..%2f..'])
      expect((await ask(`/incidents/${path}`))[0], path).toBe(404);
    expect((await ask('/incidents/old', { isAway: true })).slice(0, 1)).toEqual([503]);
    expect(await ask('/feed.atom')).toEqual([200, 'application/atom+xml; charset=utf-8', '<feed>full</feed>']);
  });

  it('give everybody the feed without reasons in public mode, and users the whole one', async () => {
    expect((await ask('/feed.atom', { isPublic: true }))[2]).toBe('<feed>public</feed>');
    expect((await ask('/feed.atom', { isPublic: true }, { authorization: 'Basic x' }))[2]).toBe('<feed>full</feed>');
  });
});
