import type { Context, Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { csrf } from 'hono/csrf';
import { settleWithin } from '../model/within.ts';
import { targetPath } from '../pages/paths.ts';
import { type ApiRoutes, operateRefusal, type RoutesEnv } from './api-routes.ts';
import type { CheckUser } from './web-config.ts';

/** What the route needs. */
export interface ProbeRouteDeps {
  readonly api: Pick<ApiRoutes, 'authorize'>;
  readonly checkUser: CheckUser | undefined;
  /** Probes a target at once; undefined when the inventory has no such target. */
  readonly probe: (subnet: string, name: string) => Promise<void> | undefined;
}

/** A probe that takes longer, such as a visit of a page, goes on, and the page is shown without its result. */
const WITHIN_MS = 6_000;

const NEEDED = 'a probe needs an API key or a token with the scope operate, or a user of the web config';

/**
 * "Probe now" on the page of a target. A browser names its user of the web config on each request, whoever made the page;
 * so a user may do it from our own pages alone. A program with a key or token of scope operate may do it from anywhere.
 */
export function addProbeRoute(app: Hono<RoutesEnv>, { api, checkUser, probe }: ProbeRouteDeps): void {
  const checkOrigin = csrf();
  const signIn = checkUser && basicAuth({ verifyUser: checkUser, realm: 'subnetd', invalidUserMessage: `${NEEDED}\n` });

  const refusalOf = async (c: Context<RoutesEnv>): Promise<Response | undefined> => {
    const isBasic = /^basic\b/i.test(c.req.header('authorization') ?? '');
    if (signIn === undefined || !isBasic) {
      const { raw } = c.req;
      const refused = await operateRefusal(api, raw, c.env?.incoming?.socket.remoteAddress, NEEDED);
      if (refused?.status === 401 && signIn) refused.headers.set('www-authenticate', 'Basic realm="subnetd"');
      return refused;
    }
    // Throws the refusal of a wrong password.
    await signIn(c, async () => {});
    try {
      await checkOrigin(c, async () => {});
      return undefined;
    } catch {
      return c.text(
        'a browser sends this only from the page of the target; open that, and press the button there\n',
        403,
      );
    }
  };

  app.post('/targets/:subnet/:name/probe', async (c) => {
    const refused = await refusalOf(c);
    if (refused !== undefined) return refused;
    const { subnet, name } = c.req.param();
    const probed = probe(subnet, name);
    if (probed === undefined) return c.text('the inventory has no such target; / lists them\n', 404);
    await settleWithin(WITHIN_MS, probed);
    return c.redirect(targetPath(subnet, name), 303);
  });
}
