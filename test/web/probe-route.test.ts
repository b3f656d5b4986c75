import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, test } from 'vitest';
import type { RoutesEnv } from '../../src/web/api-routes.ts';
import { addProbeRoute, type ProbeRouteDeps } from '../../src/web/subnet-routes.ts';

const REFUSED = { code: 1101, message: 'no credential' };
const USER = `Basic ${btoa('me:pass word')}`;
const SAME = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

function routes(more: Partial<ProbeRouteDeps> & { readonly refusal?: typeof REFUSED } = {}) {
  const { refusal = REFUSED, ...deps } = more;
  const probed: string[] = [];
  const app = new Hono<RoutesEnv>();
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  });
  addProbeRoute(app, {
    api: { authorize: async () => ({ ok: false, failure: refusal }) },
    checkUser: async (name, password) => ({ ok: name === 'me' && password === 'pass word' }),
    probe: (subnet, name) => {
      if (name === 'gone') return undefined;
      probed.push(`${subnet}/${name}`);
      return Promise.resolve();
    },
    ...deps,
  });
  const post = async (headers: Readonly<Record<string, string>>, path = '/targets/my%20net/n1/probe') => {
    const { status, headers: given } = await app.request(`http://subnetd.example:10545${path}`, {
      method: 'POST',
      headers,
    });
    return { status, location: given.get('location'), challenge: given.get('www-authenticate') };
  };
  return { app, post, probed };
}

describe('a probe now', () => {
  test('by a user of the web config, from our own page, runs and leads back to the page', async () => {
    const { post, probed } = routes();
    expect(await post({ authorization: USER, ...SAME })).toMatchObject({
      status: 303,
      location: '/targets/my%20net/n1',
    });
    const { 'sec-fetch-site': _, ...form } = SAME;
    // A browser without that header sends the origin.
    expect((await post({ authorization: USER, origin: 'http://subnetd.example:10545', ...form })).status).toBe(303);
    expect(probed).toEqual(['my net/n1', 'my net/n1']);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site of the same domain', { 'sec-fetch-site': 'same-site' }],
    ['a typed address', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'http://evil.example' }],
    ['nowhere', {}],
  ])('from %s is refused, whoever the browser says that it is', async (_, headers) => {
    const { app, probed } = routes();
    const answer = await app.request('/targets/d/n1/probe', {
      method: 'POST',
      headers: { authorization: USER, ...headers },
    });
    expect([answer.status, await answer.text()]).toEqual([
      403,
      'a browser sends this only from the page of the target; open that, and press the button there\n',
    ]);
    expect(probed).toEqual([]);
  });

  test('without a credential, or with a wrong password, is refused and asks for a user', async () => {
    const { app, post, probed } = routes();
    expect(await post(SAME)).toMatchObject({ status: 401, challenge: 'Basic realm="subnetd"' });
    const wrong = { authorization: `Basic ${btoa('me:wrong')}`, ...SAME };
    expect(await post(wrong)).toMatchObject({ status: 401, challenge: 'Basic realm="subnetd"' });
    const answer = await app.request('/targets/d/n1/probe', { method: 'POST' });
    expect(await answer.text()).toBe(
      'no credential; a probe needs an API key or a token with the scope operate, or a user of the web config\n',
    );
    expect(probed).toEqual([]);
  });

  test('by a program with the scope operate needs no page, and one without it is refused', async () => {
    const program = { authorization: 'Bearer token' };
    const { post, probed } = routes({
      api: { authorize: async () => ({ ok: true, value: { owner: 7, credential: 'key 3' } }) },
    });
    expect((await post(program)).status).toBe(303);
    expect(probed).toEqual(['my net/n1']);
    expect((await routes({ refusal: { code: 1104, message: 'may only read' } }).post(program)).status).toBe(403);
  });

  test('without users in the web config takes no user: everybody could be one', async () => {
    const { post, probed } = routes({ checkUser: undefined });
    expect(await post({ authorization: USER, ...SAME })).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="subnetd"',
    });
    expect(probed).toEqual([]);
  });

  test('of a target that the inventory does not have is not found', async () => {
    expect((await routes().post({ authorization: USER, ...SAME }, '/targets/d/gone/probe')).status).toBe(404);
  });
});
